/**
 * The tasks that gather statistics of a closure: Know as plain rows in both directions, sources drawn for a sample, and
 * searches from sources that count what semi-naive evaluation would do at each distance.
 */
import type { TaskContext } from '../exec/task-runner.js';
import { mixU32 } from '../filter/mix.js';
import {
  addDegrees,
  addWeight,
  countTargets,
  expand,
  sketchBackwards,
  type DegreeSum,
  type SparseRows,
} from '../kernel/reach.js';
import type { MemoryViews } from '../memory/memory-views.js';
import type { Range } from '../memory/range.js';
import type { AdjacencyRef } from './pair-run.js';

/** Vertices expanded, or rows copied, between two yields. */
const CHUNK = 1 << 12;
const LAST_STAMP = 2 ** 32 - 1;
/** ⌊2³²/φ⌋: the steps of the counter behind random numbers. */
const GOLDEN = 0x9e3779b9;

interface RowsRef {
  readonly offsets: Range;
  readonly targets: Range;
}

/** Know, whole, by its first and by its second element. */
export interface GraphRef {
  readonly vertexCount: number;
  readonly forward: RowsRef;
  readonly backward: RowsRef;
}

export function* joinRows(
  args: { readonly know: readonly AdjacencyRef[]; readonly vertexCount: number },
  { allocator, views }: TaskContext,
): Generator<void, GraphRef> {
  const { know, vertexCount } = args;
  const edgeCount = know.reduce((sum, part) => sum + part.edgeCount, 0);
  const rows = (): RowsRef => ({
    offsets: allocator.allocate((vertexCount + 1) * 4),
    targets: allocator.allocate(edgeCount * 4),
  });
  const graph = { vertexCount, forward: rows(), backward: rows() };
  const forward = open(graph.forward, views);
  const backward = open(graph.backward, views);
  const parts = know.map((part) => ({ offsets: views.u32(part.offsets), targets: views.u32(part.targets) }));
  backward.offsets.fill(0);
  let edge = 0;
  for (let vertex = 0; vertex < vertexCount; vertex++) {
    if (vertex % CHUNK === 0) yield;
    forward.offsets[vertex] = edge;
    const { offsets, targets } = parts[vertex % parts.length] as SparseRows;
    const row = Math.floor(vertex / parts.length);
    for (let at = offsets[row] as number; at < (offsets[row + 1] as number); at++) {
      const target = targets[at] as number;
      forward.targets[edge++] = target;
      backward.offsets[target] = (backward.offsets[target] as number) + 1;
    }
  }
  forward.offsets[vertexCount] = edge;
  // In-degrees → ends of rows; filling backwards moves each end to its row's start.
  for (let vertex = 1; vertex <= vertexCount; vertex++) {
    backward.offsets[vertex] =
      (backward.offsets[vertex] as number) + (backward.offsets[vertex - 1] as number);
  }
  for (let vertex = vertexCount - 1; vertex >= 0; vertex--) {
    if (vertex % CHUNK === 0) yield;
    for (
      let at = (forward.offsets[vertex + 1] as number) - 1;
      at >= (forward.offsets[vertex] as number);
      at--
    ) {
      const target = forward.targets[at] as number;
      const end = (backward.offsets[target] as number) - 1;
      backward.offsets[target] = end;
      backward.targets[end] = vertex;
    }
  }
  return graph;
}

/** A source, and how many sources it stands for. */
export interface DrawnSource {
  readonly source: number;
  readonly weight: number;
}

/** What evaluation in the other direction would meet. */
export interface ReversedFigures {
  /** Tuples derived a pair. */
  readonly derivedPerPair: number;
  /** Share of pairs that start where no tuple of Know ends. */
  readonly deadEndShare: number;
}

export interface Draw extends ReversedFigures {
  readonly drawn: readonly DrawnSource[];
}

/** Vertices in a sketch, k; reach is then known to about 1/√(k − 2), 27 %. */
const SKETCH_SIZE = 16;
export const SKETCH_ERROR = 1 / Math.sqrt(SKETCH_SIZE - 2);

/**
 * Draws sources with replacement, each with a probability proportional to an estimate of how many vertices it reaches: what
 * a source adds to a sum over pairs, times its weight, is then nearly the same for all, however uneven the graph.
 */
export function* drawSources(
  args: { readonly graph: GraphRef; readonly count: number; readonly seed: number },
  { allocator, views }: TaskContext,
): Generator<void, Draw> {
  const { vertexCount } = args.graph;
  const random = randomNumbers(args.seed);
  const backward = open(args.graph.backward, views);
  const ranges = [0, 1, 2, 3, 4].map(() => allocator.allocate(vertexCount * 4));
  const [order, queue, stamps, counts, fullAt] = ranges.map((range) => views.u32(range)) as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  for (let i = 0; i < vertexCount; i++) {
    if (i % CHUNK === 0) yield;
    const at = Math.floor(random() * (i + 1));
    order[i] = order[at] as number;
    order[at] = i;
  }
  for (const array of [stamps, counts, fullAt]) array.fill(0);
  const sketch = { counts, fullAt, size: SKETCH_SIZE };
  let work = 0;
  for (let rank = 1; rank <= vertexCount; rank++) {
    let [start, end, tail] = [0, 1, 1];
    queue[0] = order[rank - 1] as number;
    // The vertex itself is in its own sketch only if it lies on a cycle; its place in the queue is taken over.
    tail = sketchBackwards(backward, queue, 0, 1, 1, stamps, rank, sketch);
    start = 1;
    while (start < tail) {
      end = Math.min(tail, start + CHUNK);
      tail = sketchBackwards(backward, queue, start, end, tail, stamps, rank, sketch);
      work += end - start;
      start = end;
      if (work >= CHUNK) {
        work = 0;
        yield;
      }
    }
    if (++work >= CHUNK) {
      work = 0;
      yield;
    }
  }
  // Prefix sums of the estimates; a draw falls into one of the gaps.
  const sums = new Float64Array(vertexCount);
  let [sum, reversedDerived, reversedDeadEnds] = [0, 0, 0];
  for (let vertex = 0; vertex < vertexCount; vertex++) {
    const count = counts[vertex] as number;
    const reach =
      count < SKETCH_SIZE ? count : ((SKETCH_SIZE - 1) * vertexCount) / (fullAt[vertex] as number);
    const inDegree = (backward.offsets[vertex + 1] as number) - (backward.offsets[vertex] as number);
    reversedDerived += reach * inDegree;
    if (inDegree === 0) reversedDeadEnds += reach;
    sum += reach;
    sums[vertex] = sum;
  }
  for (const range of ranges) allocator.release(range);
  const drawn = Array.from({ length: sum === 0 ? 0 : args.count }, () => {
    const source = firstAbove(sums, random() * sum);
    const share = ((sums[source] as number) - (source === 0 ? 0 : (sums[source - 1] as number))) / sum;
    return { source, weight: 1 / (args.count * share) };
  });
  // Where many vertices reach the same ones, their sketches err alike, and a quotient does not.
  return { drawn, ...perPair(sum, reversedDerived, reversedDeadEnds) };
}

export function perPair(pairs: number, derived: number, deadEnds: number): ReversedFigures {
  return pairs === 0
    ? { derivedPerPair: 0, deadEndShare: 0 }
    : { derivedPerPair: derived / pairs, deadEndShare: deadEnds / pairs };
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

export interface SearchValue {
  /** One for each source drawn; all in one where every source is searched. */
  readonly sources: readonly ReachLevels[];
  /** Σ over pairs of the in-degree of their start, and pairs whose start has none; 0 for a sample. */
  readonly reversedDerived: number;
  readonly reversedDeadEnds: number;
  /** f64 by vertex: pairs that end there, weighted. */
  readonly visits: Range;
  /** f64 by vertex: pairs that start there; undefined for a sample. */
  readonly reached: Range | undefined;
}

/** Searches from the sources drawn or, without any, from every vertex that is `first` mod `step`. */
export function* searchLevels(
  args: {
    readonly graph: GraphRef;
    readonly drawn: readonly DrawnSource[] | undefined;
    readonly first: number;
    readonly step: number;
    readonly partitionCount: number;
    readonly maxSteps: number;
  },
  context: TaskContext,
): Generator<void, SearchValue> {
  const { allocator, views } = context;
  const { graph, drawn, first, step } = args;
  const { vertexCount } = graph;
  const search = new Search(args, context);
  const visits = allocator.allocate(vertexCount * 8);
  const visited = views.f64(visits).fill(0);
  const backward = open(graph.backward, views);
  const inDegree = (vertex: number): number =>
    (backward.offsets[vertex + 1] as number) - (backward.offsets[vertex] as number);
  if (drawn !== undefined) {
    const sources: ReachLevels[] = [];
    for (const { source, weight } of drawn) {
      const levels = emptyLevels();
      yield* search.from(source, weight, levels, visited);
      sources.push(levels);
    }
    search.release();
    return { sources, reversedDerived: 0, reversedDeadEnds: 0, visits, reached: undefined };
  }
  const reached = allocator.allocate(vertexCount * 8);
  const reachedBy = views.f64(reached).fill(0);
  const levels = emptyLevels();
  let reversedDerived = 0;
  let reversedDeadEnds = 0;
  for (let source = first; source < vertexCount; source += step) {
    const pairs = yield* search.from(source, 1, levels, visited);
    reachedBy[source] = pairs;
    reversedDerived += pairs * inDegree(source);
    if (inDegree(source) === 0) reversedDeadEnds += pairs;
  }
  search.release();
  return { sources: [levels], reversedDerived, reversedDeadEnds, visits, reached };
}

type MutableLevels = { -readonly [K in keyof ReachLevels]: number[] };

function emptyLevels(): MutableLevels {
  return { pairs: [], derived: [], deadEnds: [], combined: [] };
}

/** Breadth-first search, again and again, over buffers that stay. */
class Search {
  readonly #context: TaskContext;
  readonly #forward: SparseRows;
  readonly #partitionCount: number;
  readonly #maxSteps: number;
  readonly #ranges: readonly Range[];
  readonly #queue: Uint32Array;
  readonly #byPartition: Uint32Array;
  readonly #seen: Uint32Array;
  readonly #combined: Uint32Array;
  #seenStamp = 0;
  #combinedStamp = 0;

  constructor(
    args: { readonly graph: GraphRef; readonly partitionCount: number; readonly maxSteps: number },
    context: TaskContext,
  ) {
    const { allocator, views } = context;
    const { vertexCount, forward } = args.graph;
    this.#context = context;
    this.#forward = open(forward, views);
    this.#partitionCount = args.partitionCount;
    this.#maxSteps = args.maxSteps;
    this.#ranges = [0, 1, 2, 3].map(() => allocator.allocate((vertexCount + 1) * 4));
    [this.#queue, this.#byPartition, this.#seen, this.#combined] = this.#ranges.map((range) =>
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
      const combined = degrees.sum === 0 ? 0 : yield* this.#combine(start, end);
      add(levels.pairs, level, end - start);
      add(levels.derived, level, degrees.sum);
      add(levels.deadEnds, level, degrees.zeros);
      add(levels.combined, level, combined);
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
      this.#combinedStamp = nextStamp(this.#combined, this.#combinedStamp);
      for (let at = starts[bucket] as number; at < stop; at += CHUNK) {
        const chunkEnd = Math.min(stop, at + CHUNK);
        count += countTargets(
          this.#forward,
          this.#byPartition,
          at,
          chunkEnd,
          this.#combined,
          this.#combinedStamp,
        );
        if (chunkEnd - at === CHUNK) yield;
      }
    }
    return count;
  }
}

/** What only sums over all searches tell. */
export interface VisitSums {
  /** Σ over dead ends of (pairs that end there)². */
  readonly deadEndSquares: number;
  /** The most pairs that end at one dead end. */
  readonly deadEndMost: number;
  /** Σ over vertices of (pairs that end there) · (pairs that start there); undefined for a sample. */
  readonly through: number | undefined;
}

export function* sumVisits(
  args: {
    readonly graph: GraphRef;
    readonly visits: readonly Range[];
    readonly reached: readonly Range[];
  },
  { views }: TaskContext,
): Generator<void, VisitSums> {
  const { offsets } = open(args.graph.forward, views);
  const visits = args.visits.map((range) => views.f64(range));
  const reached = args.reached.map((range) => views.f64(range));
  let deadEndSquares = 0;
  let deadEndMost = 0;
  let through = 0;
  for (let vertex = 0; vertex < args.graph.vertexCount; vertex++) {
    if (vertex % CHUNK === 0) yield;
    const ending = sumAt(visits, vertex);
    through += ending * sumAt(reached, vertex);
    if (offsets[vertex] !== offsets[vertex + 1]) continue;
    deadEndSquares += ending ** 2;
    deadEndMost = Math.max(deadEndMost, ending);
  }
  return { deadEndSquares, deadEndMost, through: reached.length === 0 ? undefined : through };
}

function sumAt(arrays: readonly Float64Array[], index: number): number {
  let sum = 0;
  for (const array of arrays) sum += array[index] as number;
  return sum;
}

function open(rows: RowsRef, views: MemoryViews): SparseRows {
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

/** Index of the first sum that is larger. */
function firstAbove(sums: Float64Array, value: number): number {
  let low = 0;
  let high = sums.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sums[middle] as number) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Numbers in [0, 1), from a counter that is mixed: enough for drawing samples. */
function randomNumbers(seed: number): () => number {
  let state = mixU32(seed);
  return () => mixU32((state = (state + GOLDEN) >>> 0)) / 2 ** 32;
}
