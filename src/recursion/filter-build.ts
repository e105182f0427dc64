/**
 * The filter before the join exchange: which join keys can still find a partner.
 *
 * For joins with Know it is loop-invariant, and proved so for any base: every delta tuple's join key is a target of the base or of Know, so
 * (targets(base) ∪ targets(Know)) ∩ sources(Know) holds every key that a delta tuple of any round can match. It is built
 * from the relations as loaded, complete before the first probe, and lives no longer than the run: a later Know is
 * another run with another filter. For joins with another relation it is built from both sides of that one join, and dropped
 * after it. A tuple that it drops still is in Friend.
 */
import { createFilter, wordCount, type FilterShape, type MembershipFilter } from '../filter/index.js';
import type { TaskContext } from '../exec/task-runner.js';
import type { MemoryViews } from '../memory/memory-views.js';
import type { Range } from '../memory/range.js';
import { bloomShape, exactShape } from './filter-shapes.js';
import type { AdjacencyRef } from './pair-run.js';
import type { PartitionedPairs } from './rounds.js';

export interface FilterRef {
  readonly shape: FilterShape;
  readonly words: Range;
}

/** What the choice and the size of a filter rest on. */
export interface JoinKeyStatistics {
  /** Distinct sources of Know. */
  readonly sourceCount: number;
  /** Distinct join keys that delta tuples can have: targets of base and Know. */
  readonly joinKeyCount: number;
  /** Of those, keys without a tuple in Know: dead ends. */
  readonly deadEndCount: number;
  /** Tuples of base and Know, and how many of them end at a dead end. */
  readonly tupleCount: number;
  readonly deadEndTupleCount: number;
}

/** Ids looked at between two yields. */
const CHUNK = 1 << 16;

interface KeyArgs {
  /** The relation joined with. */
  readonly know: readonly AdjacencyRef[];
  /** The pairs that are joined with it: the base, for a filter of every round; one round's, for a filter of that round. */
  readonly base: PartitionedPairs;
  /** Whether the targets of `know` are join keys too, as in every round but the first. */
  readonly invariant: boolean;
  readonly vertexCount: number;
}

export function* joinKeyStatistics(args: KeyArgs, context: TaskContext): Generator<void, JoinKeyStatistics> {
  const bits = yield* keyBits(args, context);
  let sourceCount = 0;
  let joinKeyCount = 0;
  let deadEndCount = 0;
  for (let id = 0; id < args.vertexCount; id++) {
    if (id % CHUNK === 0) yield;
    const flags = bits.flags[id] as number;
    sourceCount += flags & SOURCE;
    if ((flags & JOIN_KEY) === 0) continue;
    joinKeyCount += 1;
    if ((flags & SOURCE) === 0) deadEndCount += 1;
  }
  let tupleCount = 0;
  let deadEndTupleCount = 0;
  for (const ids of bits.targets) {
    for (let i = 0; i < ids.count; i++) {
      if (i % CHUNK === 0) yield;
      const id = ids.array[ids.start + i * ids.step] as number;
      tupleCount += 1;
      if (((bits.flags[id] as number) & SOURCE) === 0) deadEndTupleCount += 1;
    }
  }
  context.allocator.release(bits.range);
  return { sourceCount, joinKeyCount, deadEndCount, tupleCount, deadEndTupleCount };
}

export interface BuiltFilter {
  readonly filter: FilterRef;
  readonly bits: number;
  /** Bits of all that was built on the way, the filter included. */
  readonly buildBits: number;
  readonly fill: number;
  readonly predictedFalsePositiveRate: number;
}

export function* buildFilter(
  args: KeyArgs & {
    readonly kind: 'bloom' | 'intersection' | 'exact';
    readonly falsePositiveRate: number;
    readonly statistics: JoinKeyStatistics;
  },
  context: TaskContext,
): Generator<void, BuiltFilter> {
  const { kind, falsePositiveRate, statistics, vertexCount } = args;
  const { allocator, views } = context;
  const keys = yield* keyBits(args, context);
  const isSource = (id: number): boolean => ((keys.flags[id] as number) & SOURCE) !== 0;
  const isJoinKey = (id: number): boolean => ((keys.flags[id] as number) & JOIN_KEY) !== 0;

  let firstPassBits = 0;
  let admitted: (id: number) => boolean = isSource;
  let count = statistics.sourceCount;
  if (kind === 'intersection') {
    // Variant C: a filter of the delta side's keys, then a fresh one of those of Know's keys that pass it.
    const shape = bloomShape(statistics.joinKeyCount, falsePositiveRate);
    const first = createFilter(shape);
    yield* forEachId(vertexCount, (id) => {
      if (isJoinKey(id)) first.addId(id);
    });
    firstPassBits = shape.bitCount;
    admitted = (id) => isSource(id) && first.mightContainId(id);
    count = 0;
    yield* forEachId(vertexCount, (id) => {
      if (admitted(id)) count += 1;
    });
  }
  const shape = kind === 'exact' ? exactShape(vertexCount) : bloomShape(count, falsePositiveRate);
  const range = allocator.allocate(wordCount(shape) * 4);
  const filter = createFilter(shape, views.u32(range).fill(0));
  yield* forEachId(vertexCount, (id) => {
    if (admitted(id)) filter.addId(id);
  });
  allocator.release(keys.range);
  return {
    filter: { shape, words: range },
    bits: shape.bitCount,
    buildBits: shape.bitCount + firstPassBits,
    fill: filter.fill,
    predictedFalsePositiveRate: filter.predictedFalsePositiveRate(),
  };
}

/** The filter, ready to be probed on this thread. */
export function openFilter(ref: FilterRef, views: MemoryViews): MembershipFilter {
  return createFilter(ref.shape, views.u32(ref.words));
}

const SOURCE = 1;
const JOIN_KEY = 2;

interface Ids {
  readonly array: Uint32Array;
  readonly start: number;
  readonly step: number;
  readonly count: number;
}

function* forEachId(vertexCount: number, visit: (id: number) => void): Generator<void, void> {
  for (let id = 0; id < vertexCount; id++) {
    if (id % CHUNK === 0) yield;
    visit(id);
  }
}

/** For each id whether it is a source of Know and whether it can be a delta's join key. The caller releases `range`. */
function* keyBits(
  { know, base, invariant, vertexCount }: KeyArgs,
  { allocator, views }: TaskContext,
): Generator<void, { readonly flags: Uint8Array; readonly range: Range; readonly targets: readonly Ids[] }> {
  const range = allocator.allocate(vertexCount);
  const flags = views.bytes(range).fill(0);
  const stride = know.length;
  for (const [partition, ref] of know.entries()) {
    const offsets = views.u32(ref.offsets);
    for (let row = 0; row + 1 < offsets.length; row++) {
      if (row % CHUNK === 0) yield;
      if (offsets[row] !== offsets[row + 1]) flags[row * stride + partition] = SOURCE;
    }
  }
  const targets: Ids[] = [
    ...(invariant ? know : []).map((ref) => ({
      array: views.u32(ref.targets),
      start: 0,
      step: 1,
      count: ref.edgeCount,
    })),
    ...base.flat().map((run) => ({ array: views.u32(run.range), start: 1, step: 2, count: run.count })),
  ];
  for (const ids of targets) {
    for (let i = 0; i < ids.count; i++) {
      if (i % CHUNK === 0) yield;
      const id = ids.array[ids.start + i * ids.step] as number;
      flags[id] = (flags[id] as number) | JOIN_KEY;
    }
  }
  return { flags, range, targets };
}
