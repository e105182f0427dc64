/**
 * Reads one partition of a recursive result as rows: the fresh runs of all rounds, sorted by (source id, target id), so
 * that the order does not depend on strategy, filter or threads; ids decoded as they are read.
 */
import { DictionaryReader, type DictionaryBlock } from '../column/dictionary.js';
import { BATCH_ROWS, type Batch } from '../exec/pipeline-steps.js';
import type { TaskContext } from '../exec/task-runner.js';
import { sortPairs } from '../kernel/pair-sort.js';
import { PAIR_BYTES, swapPairs } from '../kernel/pairs.js';
import { gather, type PairRun } from './pair-run.js';

export interface ResultArgs {
  readonly runs: readonly PairRun[];
  /** Runs hold (target, source). */
  readonly swapped: boolean;
  readonly dictionary: DictionaryBlock;
  readonly vertexCount: number;
}

export function* readResult(args: ResultArgs, context: TaskContext): Generator<Batch, undefined> {
  const { allocator, views } = context;
  const { range, count } = yield* withoutRows(gather(args.runs, allocator, views));
  if (args.swapped) yield* withoutRows(swapAll(views.u32(range), count));
  const scratch = allocator.allocate(count * PAIR_BYTES);
  const pairs = yield* withoutRows(
    sortPairs(views.u32(range), views.u32(scratch), count, args.vertexCount, 'both'),
  );
  const dictionary = new DictionaryReader(args.dictionary, views);
  try {
    for (let start = 0; start < count; start += BATCH_ROWS) {
      const end = Math.min(count, start + BATCH_ROWS);
      const batch: unknown[] = [];
      for (let i = start; i < end; i++) {
        batch.push([dictionary.value(pairs[i * 2] as number), dictionary.value(pairs[i * 2 + 1] as number)]);
      }
      yield batch;
    }
  } finally {
    allocator.release(range);
    allocator.release(scratch);
  }
  return undefined;
}

/** Pairs swapped between two yields. */
const SWAP_CHUNK = 1 << 16;

function* swapAll(pairs: Uint32Array, count: number): Generator<void, void> {
  for (let start = 0; start < count; start += SWAP_CHUNK) {
    swapPairs(pairs, start, Math.min(count, start + SWAP_CHUNK));
    yield;
  }
}

/** Work that gives no rows yet: where it yields, an empty batch. */
function* withoutRows<T>(work: Generator<void, T>): Generator<Batch, T> {
  let step = work.next();
  for (; step.done !== true; step = work.next()) yield [];
  return step.value;
}
