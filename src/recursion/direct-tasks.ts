/**
 * Direct methods: the whole closure in one task, on a bit matrix, without an exchange. Costs n² bits whatever the answer's
 * size.
 */
import type { TaskContext } from '../exec/task-runner.js';
import {
  clearPairs,
  countRow,
  listRow,
  setPairs,
  takeOverColumn,
  takeOverRows,
  type BitMatrix,
  type DirectCounts,
} from '../kernel/bit-matrix.js';
import { PAIR_BYTES } from '../kernel/pairs.js';
import { cutRuns, type PairRun } from './pair-run.js';

export type DirectMethod = 'warshall' | 'warren';

/** Words of the matrix that are worked on between two yields: a few milliseconds. */
const WORDS_PER_SLICE = 1 << 21;
/** Pairs between two yields. */
const CHUNK = 1 << 16;

export interface DirectValue extends DirectCounts {
  /** What was not there before, by partition of the first element. */
  readonly runs: readonly PairRun[];
}

export function* closeMatrix(
  args: {
    readonly method: DirectMethod;
    readonly runs: readonly PairRun[];
    readonly vertexCount: number;
    readonly partitionCount: number;
  },
  { allocator, views }: TaskContext,
): Generator<void, DirectValue> {
  const { method, runs, vertexCount: size, partitionCount } = args;
  const rowWords = Math.ceil(size / 32);
  const range = allocator.allocate(size * rowWords * 4);
  const matrix: BitMatrix = { words: views.u32(range), rowWords, size };
  for (let row = 0; row < size; row++) {
    matrix.words.fill(0, row * rowWords, (row + 1) * rowWords);
    if (row % rowsPerSlice(rowWords) === 0) yield;
  }
  yield* overPairs(runs, views, (pairs, start, end) => {
    setPairs(matrix, pairs, start, end);
  });
  const counts: DirectCounts = { joined: 0, derived: 0 };
  yield* method === 'warshall' ? warshall(matrix, counts) : warren(matrix, counts);
  yield* overPairs(runs, views, (pairs, start, end) => {
    clearPairs(matrix, pairs, start, end);
  });
  const fresh = yield* listByPartition(matrix, partitionCount, allocator, views);
  allocator.release(range);
  return { ...counts, runs: fresh };
}

/** for k: for i: if bit (i, k): row(i) ← row(i) ∪ row(k) */
function* warshall(matrix: BitMatrix, counts: DirectCounts): Generator<void, void> {
  const { size, rowWords } = matrix;
  const rows = rowsPerSlice(rowWords);
  for (let k = 0; k < size; k++) {
    const bitsOfK = countRow(matrix, k);
    for (let start = 0; start < size; start += rows) {
      takeOverColumn(matrix, k, start, Math.min(size, start + rows), counts, bitsOfK);
      yield;
    }
  }
}

/** for i: for k < i: …; then for i: for k > i: if bit (i, k): row(i) ← row(i) ∪ row(k) */
function* warren(matrix: BitMatrix, counts: DirectCounts): Generator<void, void> {
  const { size, rowWords } = matrix;
  const rows = rowsPerSlice(rowWords);
  // A row changes only in its own turn, so that its bits are counted once a pass.
  const bits = new Float64Array(size).fill(-1);
  const bitsOf = (row: number): number => {
    if (bits[row] === -1) bits[row] = countRow(matrix, row);
    return bits[row] as number;
  };
  for (const pass of ['below', 'above'] as const) {
    for (let i = 0; i < size; i++) {
      const end = pass === 'below' ? i : size;
      for (let start = pass === 'below' ? 0 : i + 1; start < end; start += rows) {
        takeOverRows(matrix, i, start, Math.min(end, start + rows), counts, bitsOf);
        yield;
      }
      bits[i] = -1;
    }
  }
}

function* listByPartition(
  matrix: BitMatrix,
  partitionCount: number,
  allocator: TaskContext['allocator'],
  views: TaskContext['views'],
): Generator<void, readonly PairRun[]> {
  const { size, rowWords } = matrix;
  const counts = new Float64Array(partitionCount);
  for (let row = 0; row < size; row++) {
    const partition = row % partitionCount;
    counts[partition] = (counts[partition] as number) + countRow(matrix, row);
    if (row % rowsPerSlice(rowWords) === 0) yield;
  }
  const range = allocator.allocate(counts.reduce((sum, count) => sum + count, 0) * PAIR_BYTES);
  const out = views.u32(range);
  let at = 0;
  for (let partition = 0; partition < partitionCount; partition++) {
    for (let row = partition; row < size; row += partitionCount) {
      at = listRow(matrix, row, out, at);
      if (row % rowsPerSlice(rowWords) === partition) yield;
    }
  }
  return cutRuns(range, counts);
}

function* overPairs(
  runs: readonly PairRun[],
  views: TaskContext['views'],
  visit: (pairs: Uint32Array, start: number, end: number) => void,
): Generator<void, void> {
  for (const run of runs) {
    const pairs = views.u32(run.range);
    for (let start = 0; start < run.count; start += CHUNK) {
      visit(pairs, start, Math.min(run.count, start + CHUNK));
      yield;
    }
  }
}

function rowsPerSlice(rowWords: number): number {
  return Math.max(1, Math.floor(WORDS_PER_SLICE / Math.max(1, rowWords)));
}
