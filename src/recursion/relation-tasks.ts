/**
 * Encoded relations → where the recursion wants them: Know as adjacency by join key, the base by source.
 */
import type { TaskContext } from '../exec/task-runner.js';
import { fillAdjacency } from '../kernel/adjacency.js';
import { sortPairs } from '../kernel/pair-sort.js';
import { bucketStarts, countByBucket, PAIR_BYTES, scatterByBucket } from '../kernel/pairs.js';
import type { Range } from '../memory/range.js';
import { cutRuns, gather, type AdjacencyRef, type PairRun } from './pair-run.js';

/** Pairs between two yields. */
const CHUNK = 1 << 16;

/**
 * Pairs in ids of a local dictionary → merged ids, spread by their first element. With `sources`, only pairs whose first
 * element is among them. `swapped`: (x, y) becomes (y, x) first.
 */
export function* scatterRelation(
  args: {
    readonly codes: PairRun;
    readonly remap: Range;
    readonly partitionCount: number;
    readonly sources: Range | undefined;
    readonly swapped: boolean;
  },
  context: TaskContext,
): Generator<void, readonly PairRun[]> {
  const { allocator, views } = context;
  const { codes, partitionCount, swapped } = args;
  const local = views.u32(codes.range);
  const remap = views.u32(args.remap);
  const sources = args.sources === undefined ? undefined : new Set(views.u32(args.sources));
  const scratch = allocator.allocate(codes.count * PAIR_BYTES);
  const pairs = views.u32(scratch);
  let count = 0;
  for (let i = 0; i < codes.count; i++) {
    if (i % CHUNK === 0) yield;
    const first = remap[local[i * 2 + (swapped ? 1 : 0)] as number] as number;
    if (sources !== undefined && !sources.has(first)) continue;
    pairs[count * 2] = first;
    pairs[count * 2 + 1] = remap[local[i * 2 + (swapped ? 0 : 1)] as number] as number;
    count += 1;
  }
  const runs = yield* scatter(pairs, count, partitionCount, context);
  allocator.release(scratch);
  return runs;
}

/** (v, v) for ids `first`..`end`, or for the ids listed, spread like a relation. */
export function* identityRelation(
  args: { readonly ids: Range | undefined; readonly count: number; readonly partitionCount: number },
  context: TaskContext,
): Generator<void, readonly PairRun[]> {
  const { allocator, views } = context;
  const { count, partitionCount } = args;
  const listed = args.ids === undefined ? undefined : views.u32(args.ids);
  const scratch = allocator.allocate(count * PAIR_BYTES);
  const pairs = views.u32(scratch);
  for (let i = 0; i < count; i++) {
    const id = listed === undefined ? i : (listed[i] as number);
    pairs[i * 2] = id;
    pairs[i * 2 + 1] = id;
    if (i % CHUNK === 0) yield;
  }
  const runs = yield* scatter(pairs, count, partitionCount, context);
  allocator.release(scratch);
  return runs;
}

/** One partition of Know, by join key, duplicates dropped. */
export function* buildAdjacency(
  args: {
    readonly runs: readonly PairRun[];
    readonly vertexCount: number;
    readonly partitionCount: number;
  },
  context: TaskContext,
): Generator<void, AdjacencyRef> {
  const { allocator, views } = context;
  const { range, count } = yield* gather(args.runs, allocator, views);
  const scratch = allocator.allocate(count * PAIR_BYTES);
  const sorted = yield* sortPairs(views.u32(range), views.u32(scratch), count, args.vertexCount, 'both');
  const rows = Math.ceil(args.vertexCount / args.partitionCount);
  const offsets = allocator.allocate((rows + 1) * 4);
  const targets = allocator.allocate(count * 4);
  const edgeCount = fillAdjacency(sorted, count, args.partitionCount, views.u32(offsets), views.u32(targets));
  allocator.release(range);
  allocator.release(scratch);
  return { offsets, targets: allocator.trim(targets, edgeCount * 4), edgeCount };
}

/** The pairs of one partition of a relation that lies by its first element, sorted. */
export function* listAdjacency(
  args: { readonly adjacency: AdjacencyRef; readonly partition: number; readonly partitionCount: number },
  { allocator, views }: TaskContext,
): Generator<void, PairRun> {
  const { adjacency, partition, partitionCount } = args;
  const offsets = views.u32(adjacency.offsets);
  const targets = views.u32(adjacency.targets);
  const range = allocator.allocate(adjacency.edgeCount * PAIR_BYTES);
  const pairs = views.u32(range);
  for (let row = 0; row + 1 < offsets.length; row++) {
    if (row % CHUNK === 0) yield;
    for (let edge = offsets[row] as number; edge < (offsets[row + 1] as number); edge++) {
      pairs[edge * 2] = row * partitionCount + partition;
      pairs[edge * 2 + 1] = targets[edge] as number;
    }
  }
  return { range, count: adjacency.edgeCount };
}

function* scatter(
  pairs: Uint32Array,
  count: number,
  partitionCount: number,
  context: TaskContext,
): Generator<void, readonly PairRun[]> {
  const { allocator, views } = context;
  const counts = new Uint32Array(partitionCount);
  for (let start = 0; start < count; start += CHUNK) {
    countByBucket(pairs, start, Math.min(count, start + CHUNK), 0, counts);
    yield;
  }
  const range = allocator.allocate(count * PAIR_BYTES);
  const cursors = bucketStarts(counts);
  const out = views.u32(range);
  for (let start = 0; start < count; start += CHUNK) {
    scatterByBucket(pairs, start, Math.min(count, start + CHUNK), 0, cursors, out);
    yield;
  }
  return cutRuns(range, counts);
}
