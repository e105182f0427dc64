/**
 * Writes pairs to a file or a stream, batch by batch, no faster than the target takes them. A file appears under its
 * name when it is complete: it is written beside it under another name, and renamed.
 *
 * Hazard: renaming onto a device or a pipe (`/dev/null`) would replace it by a file, so these are written directly.
 */
import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, open, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Writable } from 'node:stream';
import { InputError } from '../errors.js';
import { fileError } from './byte-source.js';
import { formatCsv, formatTsv, type PairBatch, type PairFormat } from './pair-format.js';

/** Where pairs go. A stream is not ended, so that standard output stays usable. */
export type PairTarget =
  { readonly kind: 'file'; readonly path: string } | { readonly kind: 'stream'; readonly stream: Writable };

export interface WrittenPairs {
  readonly pairs: number;
  /** Bytes of UTF-8. */
  readonly bytes: number;
  /** Whether the stream's reader left before the end; the counts are then those of what was handed over. */
  readonly closed: boolean;
}

/** One place to write to; `write` is awaited before the next call, and says false once nobody reads any more. */
type Write = (bytes: Buffer) => Promise<boolean>;

const CLOSED_CODES: ReadonlySet<unknown> = new Set([
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
]);
/** Permissions of a new file, before the process's mask. */
const NEW_FILE_MODE = 0o666;

/**
 * Writes all pairs. A stream whose reader leaves (`| head`) ends the writing quietly and the batches early. If the
 * batches fail, or the target does, a file target is as it was before.
 *
 * @throws InputError if the file cannot be written or is a directory; whatever the batches throw; errors of the stream.
 */
export async function writePairs(
  batches: AsyncIterable<PairBatch>,
  target: PairTarget,
  format: PairFormat,
): Promise<WrittenPairs> {
  return target.kind === 'file'
    ? await writeFile(batches, target.path, format)
    : await writeStream(batches, target.stream, format);
}

async function writeBatches(
  batches: AsyncIterable<PairBatch>,
  write: Write,
  format: PairFormat,
): Promise<WrittenPairs> {
  const formatted = format === 'csv' ? formatCsv : formatTsv;
  let pairs = 0;
  let bytes = 0;
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    const text = Buffer.from(formatted(batch));
    if (!(await write(text))) return { pairs, bytes, closed: true };
    pairs += batch.length;
    bytes += text.length;
  }
  return { pairs, bytes, closed: false };
}

async function writeFile(
  batches: AsyncIterable<PairBatch>,
  path: string,
  format: PairFormat,
): Promise<WrittenPairs> {
  const place = await placeOf(path);
  const temporary = place.isReplaced ? join(dirname(place.path), `.${randomUUID()}.partial`) : undefined;
  const handle = await attempt(path, () =>
    temporary === undefined ? open(place.path, 'w') : open(temporary, 'wx', place.mode ?? NEW_FILE_MODE),
  );
  try {
    const written = await writeThrough(batches, handle, path, format, place.mode);
    if (temporary !== undefined) await attempt(path, () => rename(temporary, place.path));
    return written;
  } finally {
    // Nothing is left to remove once it was renamed.
    if (temporary !== undefined) await rm(temporary, { force: true });
  }
}

/** Writes and closes. `mode` overrides what the process's mask left of the permissions, once the file is complete. */
async function writeThrough(
  batches: AsyncIterable<PairBatch>,
  handle: FileHandle,
  path: string,
  format: PairFormat,
  mode: number | undefined,
): Promise<WrittenPairs> {
  try {
    const write: Write = async (bytes) => {
      await attempt(path, () => handle.writeFile(bytes));
      return true;
    };
    const written = await writeBatches(batches, write, format);
    if (mode !== undefined) await attempt(path, () => handle.chmod(mode));
    return written;
  } finally {
    await handle.close();
  }
}

interface Place {
  readonly path: string;
  readonly isReplaced: boolean;
  /** Permissions to keep: those of the file that is replaced. */
  readonly mode: number | undefined;
}

/** What stands at the target now: a regular file or nothing is replaced, a device or a pipe is written to. */
async function placeOf(path: string): Promise<Place> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) {
      throw new InputError(`cannot write ${path}: it is a directory; give the path of a file`, {
        file: path,
      });
    }
    await access(path, constants.W_OK);
    // A link stays a link: the file that it leads to is replaced.
    const isReplaced = found.isFile();
    return { path: await realpath(path), isReplaced, mode: isReplaced ? found.mode & 0o777 : undefined };
  } catch (error) {
    if (isMissing(error)) return { path, isReplaced: true, mode: undefined };
    throw fileError(error, path, 'write');
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

async function attempt<T>(path: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (isMissing(error)) {
      throw new InputError(
        `cannot write ${path}: its directory does not exist; create it first`,
        { file: path, systemCode: 'ENOENT' },
        { cause: error },
      );
    }
    throw fileError(error, path, 'write');
  }
}

async function writeStream(
  batches: AsyncIterable<PairBatch>,
  stream: Writable,
  format: PairFormat,
): Promise<WrittenPairs> {
  let isClosed = stream.destroyed || stream.closed;
  let failure: Error | undefined;
  let settle: () => void = () => undefined;
  const onClose = (): void => {
    isClosed = true;
    settle();
  };
  // Unheard, the event would end the process, though the write that met the error is told of it too.
  const onError = (error: Error): void => {
    isClosed = true;
    if (!isReaderGone(error)) failure ??= error;
  };
  const write: Write = (bytes) =>
    new Promise((resolve, reject) => {
      settle = () => {
        if (failure !== undefined) reject(failure);
        else resolve(!isClosed);
      };
      if (isClosed) {
        settle();
        return;
      }
      stream.write(bytes, (error) => {
        if (error !== null && error !== undefined) onError(error);
        settle();
      });
    });
  stream.on('close', onClose);
  stream.on('error', onError);
  try {
    return await writeBatches(batches, write, format);
  } finally {
    stream.off('close', onClose);
    // The event of a failed write may be still to come: the listener then stays with the stream, which is of no more use.
    if (!isClosed) stream.off('error', onError);
  }
}

function isReaderGone(error: Error): boolean {
  return 'code' in error && CLOSED_CODES.has(error.code);
}
