/**
 * The tasks of a round, each over one partition:
 *
 *   exchange    delta(x, z), filtered by z, to the partition of z (or of x, to be read again there)
 *   join        candidate(x, y) ← delta(x, z), know(z, y), duplicates combined, to the partition of x
 *   eliminate   fresh(x, y) ← candidate(x, y), not known(x, y)
 *
 * A round's inputs are never changed, except the known pairs; see `KnownPairs` for what a lost thread costs.
 */
import type { TaskContext } from '../exec/task-runner.js';
import type { MembershipFilter } from '../filter/index.js';
import type { Adjacency } from '../kernel/adjacency.js';
import { countCandidates, joinSize, writeCandidates, writeDerived } from '../kernel/join.js';
import { sortPairs } from '../kernel/pair-sort.js';
import { bucketStarts, countByBucket, PAIR_BYTES, scatterByBucket } from '../kernel/pairs.js';
import type { MemoryViews } from '../memory/memory-views.js';
import { openFilter, type FilterRef } from './filter-build.js';
import { SAMPLE_STRIDE, type ProbeCounts, type Probing } from './filter-switch.js';
import { INSERT_CHUNK, KnownPairs, type KnownShape, type KnownState } from './known-pairs.js';
import { cutRuns, gather, pairCount, type AdjacencyRef, type PairRun } from './pair-run.js';

/** Pairs between two yields where a pair costs a few nanoseconds. */
const CHUNK = 1 << 16;
/** Derived tuples between two yields of a join. */
const JOIN_CHUNK = 1 << 19;

export interface ExchangeArgs {
  readonly runs: readonly PairRun[];
  /** The element that says where a pair goes. */
  readonly column: 0 | 1;
  /** Of second elements. */
  readonly filter: FilterRef | undefined;
  /** `sample`: some tuples are probed, all go on. */
  readonly probing: Probing;
  readonly partitionCount: number;
}

export interface ExchangeValue {
  /** By the partition where they go. */
  readonly runs: readonly PairRun[];
  readonly tested: number;
  readonly prunable: number;
  readonly pruned: number;
}

export function* exchange(args: ExchangeArgs, context: TaskContext): Generator<void, ExchangeValue> {
  const { filter, column, partitionCount } = args;
  const { allocator, views } = context;
  const total = pairCount(args.runs);
  const probe = filter === undefined || args.probing !== 'all' ? undefined : openFilter(filter, views);
  const kept = probe === undefined ? undefined : allocator.allocate(total * PAIR_BYTES);
  const inputs: { pairs: Uint32Array; count: number }[] = [];
  if (probe === undefined || kept === undefined) {
    for (const run of args.runs) inputs.push({ pairs: views.u32(run.range), count: run.count });
  } else {
    const out = views.u32(kept);
    let count = 0;
    for (const run of args.runs) {
      const pairs = views.u32(run.range);
      for (let start = 0; start < run.count; start += CHUNK) {
        count = probe.selectPairs(pairs, start, Math.min(run.count, start + CHUNK), out, count);
        yield;
      }
    }
    inputs.push({ pairs: out, count });
  }
  const counts = new Uint32Array(partitionCount);
  let written = 0;
  for (const { pairs, count } of inputs) {
    written += count;
    for (let start = 0; start < count; start += CHUNK) {
      countByBucket(pairs, start, Math.min(count, start + CHUNK), column, counts);
      yield;
    }
  }
  const range = allocator.allocate(written * PAIR_BYTES);
  const out = views.u32(range);
  const cursors = bucketStarts(counts);
  for (const { pairs, count } of inputs) {
    for (let start = 0; start < count; start += CHUNK) {
      scatterByBucket(pairs, start, Math.min(count, start + CHUNK), column, cursors, out);
      yield;
    }
  }
  if (kept !== undefined) allocator.release(kept);
  const runs = cutRuns(range, counts);
  if (filter !== undefined && args.probing === 'sample') {
    return { runs, pruned: 0, ...(yield* sample(args.runs, openFilter(filter, views), views)) };
  }
  const pruned = total - written;
  return { runs, pruned, tested: probe === undefined ? 0 : total, prunable: pruned };
}

/** Probes one tuple in `SAMPLE_STRIDE`. */
function* sample(
  runs: readonly PairRun[],
  filter: MembershipFilter,
  views: MemoryViews,
): Generator<void, ProbeCounts> {
  let tested = 0;
  let prunable = 0;
  for (const { range, count } of runs) {
    const pairs = views.u32(range);
    for (let i = 0; i < count; i += SAMPLE_STRIDE) {
      tested += 1;
      if (!filter.mightContainId(pairs[i * 2 + 1] as number)) prunable += 1;
      if (tested % CHUNK === 0) yield;
    }
  }
  return { tested, prunable };
}

export interface JoinArgs {
  readonly delta: readonly PairRun[];
  readonly know: AdjacencyRef;
  readonly vertexCount: number;
  readonly partitionCount: number;
}

export interface JoinValue {
  /** By partition of the result. */
  readonly runs: readonly PairRun[];
  readonly derived: number;
  /** Delta tuples that came and found no partner: with a filter, its false positives. */
  readonly unmatched: number;
}

export function* join(args: JoinArgs, context: TaskContext): Generator<void, JoinValue> {
  const { vertexCount, partitionCount } = args;
  const { allocator, views } = context;
  const { range, count } = yield* gather(args.delta, allocator, views);
  const know: Adjacency = {
    offsets: views.u32(args.know.offsets),
    targets: views.u32(args.know.targets),
    stride: partitionCount,
  };
  const delta = views.u32(range);
  let derived = 0;
  let unmatched = 0;
  for (let start = 0; start < count; start += CHUNK) {
    const size = joinSize(delta, start, Math.min(count, start + CHUNK), know);
    derived += size.derived;
    unmatched += size.unmatched;
    yield;
  }
  const runs =
    derived * 4 < vertexCount
      ? yield* joinFew(delta, count, derived, know, args, context)
      : yield* joinMany(delta, count, know, args, context);
  allocator.release(range);
  return { runs, derived, unmatched };
}

/** Few candidates: written out, sorted, neighbours compared. */
function* joinFew(
  delta: Uint32Array,
  count: number,
  derived: number,
  know: Adjacency,
  args: JoinArgs,
  context: TaskContext,
): Generator<void, readonly PairRun[]> {
  const { vertexCount, partitionCount } = args;
  const { allocator, views } = context;
  const listRange = allocator.allocate(derived * PAIR_BYTES);
  const scratchRange = allocator.allocate(derived * PAIR_BYTES);
  const list = views.u32(listRange);
  let written = 0;
  for (let start = 0; start < count; start += CHUNK) {
    written = writeDerived(delta, start, Math.min(count, start + CHUNK), know, list, written);
    yield;
  }
  const sorted = yield* sortPairs(list, views.u32(scratchRange), derived, vertexCount, 'both');
  let distinct = 0;
  for (let i = 0; i < derived; i++) {
    if (i % CHUNK === 0) yield;
    const first = sorted[i * 2] as number;
    const second = sorted[i * 2 + 1] as number;
    if (distinct > 0 && sorted[distinct * 2 - 2] === first && sorted[distinct * 2 - 1] === second) continue;
    sorted[distinct * 2] = first;
    sorted[distinct * 2 + 1] = second;
    distinct += 1;
  }
  const counts = new Uint32Array(partitionCount);
  countByBucket(sorted, 0, distinct, 0, counts);
  const out = allocator.allocate(distinct * PAIR_BYTES);
  scatterByBucket(sorted, 0, distinct, 0, bucketStarts(counts), views.u32(out));
  allocator.release(listRange);
  allocator.release(scratchRange);
  return cutRuns(out, counts);
}

/** Many: grouped by x, a stamp per y combines duplicates; counted first, so that nothing is written twice. */
function* joinMany(
  delta: Uint32Array,
  count: number,
  know: Adjacency,
  args: JoinArgs,
  context: TaskContext,
): Generator<void, readonly PairRun[]> {
  const { vertexCount, partitionCount } = args;
  const { allocator, views } = context;
  const scratchRange = allocator.allocate(count * PAIR_BYTES);
  const stampRange = allocator.allocate(vertexCount * 4);
  const stamps = views.u32(stampRange).fill(0);
  const sorted = yield* sortPairs(delta, views.u32(scratchRange), count, vertexCount, 'first');
  const chunk = Math.max(
    1,
    Math.min(CHUNK, Math.floor((JOIN_CHUNK * know.offsets.length) / (know.targets.length + 1))),
  );
  const counts = new Float64Array(partitionCount);
  const state = { source: -1, stamp: 0 };
  for (let start = 0; start < count; start += chunk) {
    countCandidates(sorted, start, Math.min(count, start + chunk), know, stamps, state, counts);
    yield;
  }
  const cursors = new Float64Array(partitionCount);
  let total = 0;
  for (let bucket = 0; bucket < partitionCount; bucket++) {
    cursors[bucket] = total;
    total += counts[bucket] as number;
  }
  const range = allocator.allocate(total * PAIR_BYTES);
  const out = views.u32(range);
  state.source = -1;
  for (let start = 0; start < count; start += chunk) {
    writeCandidates(sorted, start, Math.min(count, start + chunk), know, stamps, state, cursors, out);
    yield;
  }
  allocator.release(scratchRange);
  allocator.release(stampRange);
  return cutRuns(range, counts);
}

export interface EliminateArgs {
  readonly candidates: readonly PairRun[];
  readonly shape: KnownShape;
  readonly known: KnownState | undefined;
  /** Pairs to be known first: all fresh runs so far, when `known` was lost; else none. */
  readonly history: readonly PairRun[];
}

export interface EliminateValue {
  readonly fresh: PairRun;
  readonly known: KnownState;
}

export function* eliminate(args: EliminateArgs, context: TaskContext): Generator<void, EliminateValue> {
  const { allocator, views } = context;
  const known = new KnownPairs(args.known, args.shape, allocator, views);
  if (args.history.length > 0) yield* insertAll(args.history, known, context, undefined);
  const range = allocator.allocate(pairCount(args.candidates) * PAIR_BYTES);
  const count = yield* insertAll(args.candidates, known, context, views.u32(range));
  const fresh = { range: allocator.trim(range, count * PAIR_BYTES), count };
  return { fresh, known: known.state };
}

function* insertAll(
  runs: readonly PairRun[],
  known: KnownPairs,
  context: TaskContext,
  fresh: Uint32Array | undefined,
): Generator<void, number> {
  const out = fresh ?? new Uint32Array(INSERT_CHUNK * 2);
  let count = 0;
  for (const run of runs) {
    const pairs = context.views.u32(run.range);
    for (let start = 0; start < run.count; start += INSERT_CHUNK) {
      const at = fresh === undefined ? 0 : count;
      count = yield* known.insert(pairs, start, Math.min(run.count, start + INSERT_CHUNK), out, at);
      yield;
    }
  }
  return count;
}

/** A checkpoint's copy of runs, in a range of its own. */
export function* copyRuns(
  args: { readonly runs: readonly PairRun[] },
  { allocator, views }: TaskContext,
): Generator<void, null> {
  yield* gather(args.runs, allocator, views);
  return null;
}
