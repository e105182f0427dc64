/**
 * Searches from sources over the whole of Know, level by level: what semi-naive evaluation would join, derive and write at
 * each distance, without keeping a pair.
 */
import type { TaskContext } from '../../exec/task-runner.js';
import {
  addDegrees,
  addWeight,
  countTargets,
  expand,
  type DegreeSum,
  type SparseRows,
} from '../../kernel/reach.js';
import type { MemoryViews } from '../../memory/memory-views.js';
import type { Range } from '../../memory/range.js';

/** Vertices expanded between two yields. */
const CHUNK = 1 << 12;
/** Vertices and edges looked at between two yields, over levels and searches: a millisecond or two. */
const WORK = 1 << 17;
const LAST_STAMP = 2 ** 32 - 1;

export interface RowsRef {
  readonly offsets: Range;
  readonly targets: Range;
}

/** Know, whole, by its first and by its second element. */
export interface GraphRef {
  readonly vertexCount: number;
  readonly forward: RowsRef;
  readonly backward: RowsRef;
}

/** What the pairs that start at one source, or at all of them together, amount to, by distance − 1. */
export interface ReachLevels {
  /** Pairs whose shortest path is so long. */
  readonly pairs: readonly number[];
  /** Σ out-degree of their ends: what joining them derives. */
  readonly derived: readonly number[];
  /** Pairs whose end has no tuple in Know. */
  readonly deadEnds: readonly number[];
  /** Candidates that joining them writes, duplicates combined within each partition of the end. */
  readonly combined: readonly number[];
}

export type MutableLevels = { -readonly [K in keyof ReachLevels]: number[] };

export function emptyLevels(): MutableLevels {
  return { pairs: [], derived: [], deadEnds: [], combined: [] };
}

/** Breadth-first search, again and again, over buffers that stay. */
export class ReachSearch {
  readonly #context: TaskContext;
  readonly #forward: SparseRows;
  readonly #partitionCount: number;
  readonly #maxSteps: number;
  readonly #ranges: readonly Range[];
  readonly #queue: Uint32Array;
  readonly #byPartition: Uint32Array;
  readonly #seen: Uint32Array;
  readonly #stamps: Uint32Array;
  #seenStamp = 0;
  #combinedStamp = 0;
  /** Since the last yield. */
  #work = 0;

  constructor(
    args: {
      readonly graph: GraphRef;
      /** That candidates are combined in; 0: they are not counted. */
      readonly partitionCount: number;
      readonly maxSteps: number;
    },
    context: TaskContext,
  ) {
    const { allocator, views } = context;
    const { vertexCount, forward } = args.graph;
    this.#context = context;
    this.#forward = openRows(forward, views);
    this.#partitionCount = args.partitionCount;
    this.#maxSteps = args.maxSteps;
    this.#ranges = [0, 1, 2, 3].map(() => allocator.allocate((vertexCount + 1) * 4));
    [this.#queue, this.#byPartition, this.#seen, this.#stamps] = this.#ranges.map((range) =>
      views.u32(range).fill(0),
    ) as [Uint32Array, Uint32Array, Uint32Array, Uint32Array];
  }

  release(): void {
    for (const range of this.#ranges) this.#context.allocator.release(range);
  }

  /** Adds what starts at `source` to `levels`, and `weight` to the visits of each vertex reached. Returns their number. */
  *from(
    source: number,
    weight: number,
    levels: MutableLevels,
    visits: Float64Array,
  ): Generator<void, number> {
    const queue = this.#queue;
    queue[0] = source;
    this.#seenStamp = nextStamp(this.#seen, this.#seenStamp);
    let [start, end] = [0, 1];
    let tail = yield* this.#expand(start, end, end);
    // The source's own place in the queue stays outside of all levels: it is reached only if it lies on a cycle.
    for (let level = 0; tail > end; level++) {
      [start, end] = [end, tail];
      const degrees: DegreeSum = { sum: 0, zeros: 0 };
      addDegrees(this.#forward, queue, start, end, degrees);
      addWeight(queue, start, end, weight, visits);
      const combined = yield* this.#combined(start, end, degrees.sum);
      add(levels.pairs, level, end - start);
      add(levels.derived, level, degrees.sum);
      add(levels.deadEnds, level, degrees.zeros);
      add(levels.combined, level, combined);
      this.#work += end - start + degrees.sum;
      if (this.#work > WORK) {
        this.#work = 0;
        yield;
      }
      tail = level + 1 > this.#maxSteps ? end : yield* this.#expand(start, end, tail);
    }
    return tail - 1;
  }

  *#expand(start: number, end: number, from: number): Generator<void, number> {
    let tail = from;
    for (let at = start; at < end; at += CHUNK) {
      const stop = Math.min(end, at + CHUNK);
      tail = expand(this.#forward, this.#queue, at, stop, tail, this.#seen, this.#seenStamp);
      if (stop - at === CHUNK) yield;
    }
    return tail;
  }

  *#combined(start: number, end: number, derived: number): Generator<void, number> {
    if (derived === 0 || this.#partitionCount === 0) return 0;
    // A vertex's targets are distinct.
    return end - start === 1 ? derived : yield* this.#combine(start, end);
  }

  /** Distinct targets of queue[start..end], counted apart for each partition of the vertex that they are a target of. */
  *#combine(start: number, end: number): Generator<void, number> {
    const starts = new Uint32Array(this.#partitionCount + 1);
    for (let i = start; i < end; i++) {
      const bucket = ((this.#queue[i] as number) % this.#partitionCount) + 1;
      starts[bucket] = (starts[bucket] as number) + 1;
    }
    for (let bucket = 1; bucket < starts.length; bucket++) {
      starts[bucket] = (starts[bucket] as number) + (starts[bucket - 1] as number);
    }
    const cursors = starts.slice();
    for (let i = start; i < end; i++) {
      const vertex = this.#queue[i] as number;
      const bucket = vertex % this.#partitionCount;
      const at = cursors[bucket] as number;
      this.#byPartition[at] = vertex;
      cursors[bucket] = at + 1;
    }
    let count = 0;
    for (let bucket = 0; bucket < this.#partitionCount; bucket++) {
      const stop = starts[bucket + 1] as number;
      if (starts[bucket] === stop) continue;
      this.#combinedStamp = nextStamp(this.#stamps, this.#combinedStamp);
      for (let at = starts[bucket] as number; at < stop; at += CHUNK) {
        const chunkEnd = Math.min(stop, at + CHUNK);
        count += countTargets(
          this.#forward,
          this.#byPartition,
          at,
          chunkEnd,
          this.#stamps,
          this.#combinedStamp,
        );
        if (chunkEnd - at === CHUNK) yield;
      }
    }
    return count;
  }
}

export function openRows(rows: RowsRef, views: MemoryViews): SparseRows {
  return { offsets: views.u32(rows.offsets), targets: views.u32(rows.targets) };
}

function add(levels: number[], level: number, count: number): void {
  levels[level] = (levels[level] ?? 0) + count;
}

/** The next stamp; where there is none, all are forgotten. */
function nextStamp(stamps: Uint32Array, stamp: number): number {
  if (stamp < LAST_STAMP) return stamp + 1;
  stamps.fill(0);
  return 1;
}
