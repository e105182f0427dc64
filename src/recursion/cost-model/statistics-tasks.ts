/**
 * The tasks that gather statistics of a closure: Know as plain rows in both directions, sources drawn for a sample, and
 * searches from sources that count what semi-naive evaluation would do at each distance.
 */
import type { TaskContext } from '../../exec/task-runner.js';
import { mixU32 } from '../../filter/mix.js';
import { sketchBackwards, type SparseRows } from '../../kernel/reach.js';
import type { Range } from '../../memory/range.js';
import type { AdjacencyRef } from '../pair-run.js';
import {
  emptyLevels,
  openRows,
  ReachSearch,
  type GraphRef,
  type ReachLevels,
  type RowsRef,
} from './reach-search.js';

/** Rows copied, or vertices expanded, between two yields. */
const CHUNK = 1 << 12;
/** ⌊2³²/φ⌋: the steps of the counter behind random numbers. */
const GOLDEN = 0x9e3779b9;

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
  const forward = openRows(graph.forward, views);
  const backward = openRows(graph.backward, views);
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
  const backward = openRows(args.graph.backward, views);
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
    queue[0] = order[rank - 1] as number;
    // Its own place in the queue stays outside: the vertex is in its sketch only if it lies on a cycle.
    let tail = sketchBackwards(backward, queue, 0, 1, 1, stamps, rank, sketch);
    for (let start = 1; start < tail;) {
      const end = Math.min(tail, start + CHUNK);
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
  const search = new ReachSearch(args, context);
  const visits = allocator.allocate(vertexCount * 8);
  const visited = views.f64(visits).fill(0);
  const backward = openRows(graph.backward, views);
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

export interface DeadEndPairs extends Omit<VisitSums, 'through'> {
  /** Pairs that end at a dead end, by distance − 1. */
  readonly levels: readonly number[];
}

/** All pairs that end at a dead end, by searches backwards from each. */
export function* searchDeadEnds(
  args: { readonly graph: GraphRef; readonly maxSteps: number },
  context: TaskContext,
): Generator<void, DeadEndPairs> {
  const { allocator, views } = context;
  const { vertexCount, forward, backward } = args.graph;
  const { offsets } = openRows(forward, views);
  const search = new ReachSearch(
    { ...args, graph: { vertexCount, forward: backward, backward: forward }, partitionCount: 0 },
    context,
  );
  const visits = allocator.allocate(vertexCount * 8);
  const levels = emptyLevels();
  let [deadEndSquares, deadEndMost] = [0, 0];
  for (let vertex = 0; vertex < vertexCount; vertex++) {
    if (vertex % CHUNK === 0) yield;
    if (offsets[vertex] !== offsets[vertex + 1]) continue;
    const ending = yield* search.from(vertex, 1, levels, views.f64(visits));
    deadEndSquares += ending ** 2;
    deadEndMost = Math.max(deadEndMost, ending);
  }
  search.release();
  allocator.release(visits);
  return { levels: levels.pairs, deadEndSquares, deadEndMost };
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
  const { offsets } = openRows(args.graph.forward, views);
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
