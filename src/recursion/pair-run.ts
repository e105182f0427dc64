/**
 * Runs of encoded pairs: how relations lie between the tasks of a recursion. Ids are dense u32 (`column/dictionary.ts`);
 * a run is one stretch of interleaved pairs in shared memory.
 */
import { PAIR_BYTES } from '../kernel/pairs.js';
import type { MemoryViews } from '../memory/memory-views.js';
import { subRange, type Allocator, type Range } from '../memory/range.js';

export interface PairRun {
  readonly range: Range;
  readonly count: number;
}

/** One adjacency partition of Know: see `kernel/adjacency.ts`. */
export interface AdjacencyRef {
  readonly offsets: Range;
  readonly targets: Range;
  /** Distinct tuples of Know here. */
  readonly edgeCount: number;
}

/** Pairs in all runs. */
export function pairCount(runs: readonly PairRun[]): number {
  return runs.reduce((sum, run) => sum + run.count, 0);
}

/** Cuts a range of buckets, written one after another, into runs. */
export function cutRuns(range: Range, counts: ArrayLike<number>): PairRun[] {
  const runs: PairRun[] = [];
  let at = 0;
  for (let bucket = 0; bucket < counts.length; bucket++) {
    const count = counts[bucket] ?? 0;
    runs.push({ range: subRange(range, at * PAIR_BYTES, count * PAIR_BYTES), count });
    at += count;
  }
  return runs;
}

/** Words copied between two yields: a mebibyte, which takes 5 to 10 ms where the target is touched for the first time. */
const COPY_CHUNK = 1 << 18;

/** Copies runs, one after another, into a fresh range. */
export function* gather(
  runs: readonly PairRun[],
  allocator: Allocator,
  views: MemoryViews,
): Generator<void, { readonly range: Range; readonly count: number }> {
  const count = pairCount(runs);
  const range = allocator.allocate(count * PAIR_BYTES);
  const target = views.u32(range);
  let at = 0;
  for (const run of runs) {
    const pairs = views.u32(run.range);
    for (let start = 0; start < pairs.length; start += COPY_CHUNK) {
      target.set(pairs.subarray(start, start + COPY_CHUNK), at + start);
      yield;
    }
    at += run.count * 2;
  }
  return { range, count };
}
