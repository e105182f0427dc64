/**
 * Statistics of a closure: what the cost model and the choice of a direction rest on. Exact ones come from a search from
 * every source; sampled ones from sources drawn with a chance proportional to a sketch of their reach, so that few suffice
 * on uneven graphs too.
 */
import type { Direction } from '../../options.js';
import type { ProcedureScope } from '../../plan/lineage.js';
import type { TaskResult, TaskSpec } from '../../plan/task.js';
import type { JoinKeyStatistics } from '../filter-build.js';
import {
  perPair,
  type DeadEndPairs,
  type Draw,
  type DrawnSource,
  type ReversedFigures,
  type SearchValue,
  type VisitSums,
} from './statistics-tasks.js';
import type { GraphRef, ReachLevels } from './reach-search.js';
import type { StepRelation } from '../rounds.js';

const STATISTICS_TASKS = new URL('./statistics-tasks.js', import.meta.url).href;

/** Plain data; JSON keeps it as it is. */
export interface ClosureStatistics {
  readonly kind: 'exact' | 'sampled';
  /** The evaluation that they are of. */
  readonly direction: Direction;
  readonly vertices: number;
  /** Distinct tuples of Know. */
  readonly edges: number;
  /** Tuples of Know as they come, duplicates included. */
  readonly tuples: number;
  /** Distinct join keys of Know: sources, seen in the direction. */
  readonly sources: number;
  /** Distinct join keys that tuples of Friend can have: targets. */
  readonly joinKeys: number;
  /** Of those, keys without a tuple in Know. */
  readonly deadEnds: number;
  /** That `combined` was counted for. */
  readonly partitions: number;
  /** Longest path looked at; null: all. */
  readonly maxDepth: number | null;
  /** Exact: one sample, of weight 1, that holds all. Sampled: each speaks for all of Friend, times its weight. */
  readonly samples: readonly ReachSample[];
  /** Σ over vertices of (pairs that end there) · (pairs that start there); null if sampled. */
  readonly through: number | null;
  /** Of a sample: all pairs that end at a dead end, by distance − 1, where they are so few that all were counted. */
  readonly deadEndPairs: readonly number[] | null;
  /** Σ over dead ends of (pairs that end there)², and the most pairs that end at one. */
  readonly deadEndSquares: number;
  readonly deadEndMost: number;
  readonly reversed: ReversedFigures;
}

export interface ReachSample extends ReachLevels {
  /** How many such samples all of Friend amounts to. */
  readonly weight: number;
}

export interface StatisticsRequest {
  readonly know: StepRelation;
  readonly loadedCount: number;
  readonly keys: JoinKeyStatistics;
  readonly vertexCount: number;
  readonly direction: Direction;
  readonly partitions: number;
  /** Infinity: no bound. */
  readonly maxDepth: number;
  readonly sample: Exclude<Sample, 'none'>;
}

/** Which sources are searched: all, none, or so many, drawn. */
export type Sample = 'all' | 'none' | { readonly count: number; readonly seed: number };

/** Tasks that search; a constant, so that sums do not depend on threads. */
const SEARCH_TASKS = 8;

/** Edges times vertices up to which every source is searched: a few milliseconds. */
const WHOLE_WORK = 1 << 21;
/** Edges visited by a sample, roughly, and above how many edges a run does without: a sketch alone visits each 16 times. */
const SAMPLE_WORK = 1 << 23;
const MAX_SAMPLED_EDGES = 1 << 20;
/** The same for a bounded depth: a run of a few rounds is soon over. */
const MAX_SAMPLED_EDGES_BOUNDED = 1 << 17;
const MAX_DRAWN = 32;
/** Edges visited, at most, to count the pairs that end at dead ends. */
const DEAD_END_WORK = 1 << 21;
const MIN_DRAWN = 16;

/** The sources that a run searches before its first round, so that this costs little beside the run. */
export function affordableSample(vertexCount: number, edgeCount: number, maxDepth: number): Sample {
  if (vertexCount * edgeCount <= WHOLE_WORK) return 'all';
  if (edgeCount > (maxDepth === Infinity ? MAX_SAMPLED_EDGES : MAX_SAMPLED_EDGES_BOUNDED)) return 'none';
  const affordable = Math.floor(SAMPLE_WORK / edgeCount);
  return { count: Math.max(MIN_DRAWN, Math.min(MAX_DRAWN, affordable)), seed: 1 };
}

export async function gatherStatistics(
  scope: ProcedureScope,
  request: StatisticsRequest,
): Promise<ClosureStatistics> {
  const { know, keys, vertexCount, direction, partitions, maxDepth, sample } = request;
  const draw = sample === 'all' ? undefined : sample;
  const weight = vertexCount + know.tupleCount;
  const [joined] = (await scope.runStage('rows of Know', [
    task('joinRows', 0, weight, { know: know.adjacency, vertexCount }),
  ])) as [TaskResult<GraphRef>];
  const graph = joined.value;
  const drawing = draw === undefined ? undefined : await drawSources(scope, graph, draw, weight);
  const drawn = drawing?.drawn;
  const searchWeight = weight * (draw?.count ?? vertexCount);
  const searches = (await scope.runStage(
    'search from sources',
    Array.from({ length: SEARCH_TASKS }, (_, first) =>
      task('searchLevels', first, searchWeight / SEARCH_TASKS, {
        graph,
        drawn: drawn?.filter((_source, i) => i % SEARCH_TASKS === first),
        first,
        step: SEARCH_TASKS,
        partitionCount: partitions,
        maxSteps: maxDepth - 1,
      }),
    ),
  )) as readonly TaskResult<SearchValue>[];
  const values = searches.map(({ value }) => value);
  const [sums] = (await scope.runStage('sum of searches', [
    task('sumVisits', 0, vertexCount, {
      graph,
      visits: values.map(({ visits }) => visits),
      reached: values.flatMap(({ reached }) => reached ?? []),
    }),
  ])) as [TaskResult<VisitSums>];
  // Few dead ends are easily missed by a sample, and quickly searched for.
  const few = draw !== undefined && keys.deadEndCount * know.tupleCount <= DEAD_END_WORK;
  const deadEnds = few ? await searchDeadEnds(scope, graph, maxDepth, weight * keys.deadEndCount) : undefined;
  for (const result of [joined, ...searches]) scope.release(result);
  return {
    kind: draw === undefined ? 'exact' : 'sampled',
    direction,
    vertices: vertexCount,
    edges: know.tupleCount,
    tuples: request.loadedCount,
    sources: keys.sourceCount,
    joinKeys: keys.joinKeyCount,
    deadEnds: keys.deadEndCount,
    partitions,
    maxDepth: Number.isFinite(maxDepth) ? maxDepth : null,
    samples: drawn === undefined ? [wholeSample(values)] : drawnSamples(drawn, values),
    through: sums.value.through ?? null,
    deadEndPairs: deadEnds?.levels ?? null,
    deadEndSquares: (deadEnds ?? sums.value).deadEndSquares,
    deadEndMost: (deadEnds ?? sums.value).deadEndMost,
    reversed:
      drawing === undefined
        ? reversedOf(values)
        : { derivedPerPair: drawing.derivedPerPair, deadEndShare: drawing.deadEndShare },
  };
}

async function drawSources(
  scope: ProcedureScope,
  graph: GraphRef,
  draw: { readonly count: number; readonly seed: number },
  weight: number,
): Promise<Draw> {
  const [result] = (await scope.runStage('draw sources', [
    task('drawSources', 0, weight * 2, { graph, ...draw }),
  ])) as [TaskResult<Draw>];
  return result.value;
}

async function searchDeadEnds(
  scope: ProcedureScope,
  graph: GraphRef,
  maxDepth: number,
  weight: number,
): Promise<DeadEndPairs> {
  const [result] = (await scope.runStage('search from dead ends', [
    task('searchDeadEnds', 0, weight, { graph, maxSteps: maxDepth - 1 }),
  ])) as [TaskResult<DeadEndPairs>];
  return result.value;
}

function wholeSample(values: readonly SearchValue[]): ReachSample {
  const levels = values.flatMap(({ sources }) => sources);
  const sum = (of: (each: ReachLevels) => readonly number[]): number[] => {
    const total: number[] = [];
    for (const each of levels)
      for (const [i, count] of of(each).entries()) total[i] = (total[i] ?? 0) + count;
    return total;
  };
  return {
    weight: 1,
    pairs: sum(({ pairs }) => pairs),
    derived: sum(({ derived }) => derived),
    deadEnds: sum(({ deadEnds }) => deadEnds),
    combined: sum(({ combined }) => combined),
  };
}

function reversedOf(values: readonly SearchValue[]): ReversedFigures {
  let [pairs, derived, deadEnds] = [0, 0, 0];
  for (const { sources, reversedDerived, reversedDeadEnds } of values) {
    for (const levels of sources) pairs += levels.pairs.reduce((sum, count) => sum + count, 0);
    derived += reversedDerived;
    deadEnds += reversedDeadEnds;
  }
  return perPair(pairs, derived, deadEnds);
}

/** Drawn once, each speaks for all: `weight` is that of the draw times the number of draws. */
function drawnSamples(drawn: readonly DrawnSource[], values: readonly SearchValue[]): ReachSample[] {
  return values.flatMap(({ sources }, first) =>
    sources.map((levels, i) => ({
      ...levels,
      weight: (drawn[first + i * SEARCH_TASKS] as DrawnSource).weight * drawn.length,
    })),
  );
}

function task(exportName: string, partition: number, weight: number, args: unknown): TaskSpec {
  return { url: STATISTICS_TASKS, exportName, args, functions: [], partition, weight };
}
