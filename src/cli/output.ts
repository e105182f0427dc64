/**
 * Where pairs go: standard output as TSV, or the file of `--out`, whose extension decides the format. The file appears
 * when it is complete, under its name; whatever stops the run leaves none behind.
 *
 * Hazard: writing over the file that is read would destroy the input, so it is refused before anything runs.
 */
import { realpath } from 'node:fs/promises';
import { extname } from 'node:path';
import { writePairs } from '../io/pair-writer.js';
import { UsageError } from './exit-codes.js';
import type { Terminal } from './terminal.js';

type PairBatch = readonly (readonly [string, string])[];
export type PairBatches = AsyncIterable<PairBatch>;

/** @throws UsageError if `--out` names standard output or the input file. */
export async function checkOutFile(out: string | undefined, file: string): Promise<void> {
  if (out === undefined) return;
  if (out === '-' || out === '') {
    throw new UsageError('--out needs the path of a file; without --out, pairs go to standard output', {
      option: 'out',
    });
  }
  const [source, target] = await Promise.all([realPathOf(file), realPathOf(out)]);
  if (source !== undefined && source === target) {
    throw new UsageError(`--out ${out} is the input file; choose another name`, {
      option: 'out',
      value: out,
    });
  }
}

/** Pairs → the file of `--out`: CSV if it ends in `.csv`, else TSV. Returns how many were written. @throws InputError */
export async function writeOutFile(pairs: PairBatches, path: string, signal: AbortSignal): Promise<number> {
  const format = extname(path).toLowerCase() === '.csv' ? 'csv' : 'tsv';
  const written = await writePairs(stopping(pairs, signal), { kind: 'file', path }, format);
  return written.pairs;
}

/** Pairs → standard output as TSV, no faster than its reader; a reader that leaves ends the writing quietly. */
export async function streamPairs(pairs: PairBatches, { stdout, signal }: Terminal): Promise<void> {
  await writePairs(stopping(pairs, signal), { kind: 'stream', stream: stdout }, 'tsv');
}

/** The same batches; between two of them an abort is noticed. */
async function* stopping(pairs: PairBatches, signal: AbortSignal): AsyncGenerator<PairBatch> {
  for await (const batch of pairs) {
    signal.throwIfAborted();
    yield batch;
  }
}

async function realPathOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch {
    // A file that is not there yet, or cannot be looked at, is not the other one; reading or writing it says more.
    return undefined;
  }
}
