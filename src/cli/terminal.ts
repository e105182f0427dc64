/**
 * What a command sees of the process: its three streams and the signal that stops it. Commands take this instead of
 * `process`, so that only `main.ts` touches the process itself.
 */
import type { Readable, Writable } from 'node:stream';
import { isClosedPipe } from './exit-codes.js';

export interface Terminal {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
  /** Aborted by SIGINT, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal;
}

/** Writes text and waits until it is handed over; a reader that has gone is no error. @throws what the stream reports */
export async function writeText(stream: Writable, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => {
      if (error === null || error === undefined || isClosedPipe(error)) resolve();
      else reject(error);
    });
  });
}
