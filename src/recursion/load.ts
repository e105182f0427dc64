/**
 * Before round 1: the relations in dense ids, where the rounds want them. Know is partitioned by join key once and stays
 * put; the base is partitioned by source.
 */
import type { DictionaryBlock } from '../column/dictionary.js';
import { sameRange, type Range } from '../memory/range.js';
import type { ClosureSettings, Direction } from '../options.js';
import type { PlanNode, ProcedureScope } from '../plan/lineage.js';
import type { TaskResult, TaskSpec } from '../plan/task.js';
import type { PipelineResult } from '../exec/pipeline-run.js';
import type { EncodedPartition, MergedDictionary } from './encode-tasks.js';
import { pairCount, type AdjacencyRef, type PairRun } from './pair-run.js';
import type { PartitionedPairs, Relation, StepRelation } from './rounds.js';

/** A closure as asked for: relations and seeds beside the settings. */
export interface ClosureQuery {
  readonly know: PlanNode;
  /** Undefined: Know. */
  readonly base: PlanNode | undefined;
  /** Undefined: every source. */
  readonly from: readonly unknown[] | undefined;
  readonly settings: ClosureSettings;
}

/** Relations in dense ids, by partition of the input. Ranges but the dictionary's are the holder's to release. */
export interface EncodedRelations {
  readonly dictionary: DictionaryBlock;
  /** Ids are below. */
  readonly vertexCount: number;
  /** Vertices of Know and the base: without seeds that neither holds. */
  readonly vertices: number;
  readonly know: readonly EncodedPart[];
  /** Undefined: Know. */
  readonly base: readonly EncodedPart[] | undefined;
  /** Ids of seeds; undefined: every source. */
  readonly seeds: Range | undefined;
  readonly ranges: readonly Range[];
}

/** A part's pairs in ids of its own, and what these are. */
interface EncodedPart {
  readonly codes: PairRun;
  readonly remap: Range;
}

/** Relations where rounds of one direction want them: by first element; `right`: all pairs swapped. */
export interface PlacedRelations {
  readonly know: StepRelation;
  /** Tuples of Know as they come, duplicates included. */
  readonly loadedCount: number;
  /** Duplicates are still in it. */
  readonly base: Relation;
}

const ENCODE_TASKS = new URL('./encode-tasks.js', import.meta.url).href;
const RELATION_TASKS = new URL('./relation-tasks.js', import.meta.url).href;

export async function encodeRelations(scope: ProcedureScope, query: ClosureQuery): Promise<EncodedRelations> {
  const know = await encode(scope, query.know, 'Know');
  const base =
    query.base === undefined || query.base === query.know
      ? undefined
      : await encode(scope, query.base, 'the base');
  const seeds = query.from === undefined ? undefined : await encodeSeeds(scope, query.from);

  const encoded = [...know, ...(base ?? []), ...(seeds === undefined ? [] : [seeds])];
  const merged = await mergeDictionaries(scope, encoded);
  const { dictionary, remaps, counts } = merged.value;
  scope.keep({ ranges: merged.ranges.filter((range) => !remaps.some((remap) => sameRange(remap, range))) });
  const parts = encoded.map(({ value: { codes } }, i) => ({ codes, remap: remaps[i] as Range }));
  const knowAndBase = know.length + (base?.length ?? 0);
  return {
    dictionary,
    vertexCount: counts.at(-1) ?? 0,
    vertices: counts[knowAndBase - 1] ?? 0,
    know: parts.slice(0, know.length),
    base: base === undefined ? undefined : parts.slice(know.length, knowAndBase),
    seeds: seeds === undefined ? undefined : remaps.at(-1),
    ranges: [...encoded.flatMap(({ ranges }) => ranges), ...remaps],
  };
}

/** The caller gives the ranges of what is placed back. */
export async function placeRelations(
  scope: ProcedureScope,
  settings: ClosureSettings,
  encoded: EncodedRelations,
  direction: Direction,
): Promise<PlacedRelations> {
  const { vertexCount, seeds } = encoded;
  const shape = { partitionCount: settings.partitions, swapped: direction === 'right' };
  const know = await scatter(scope, encoded.know, { ...shape, sources: undefined }, 'partition Know');
  const start =
    encoded.base === undefined && seeds === undefined
      ? know
      : await scatter(
          scope,
          encoded.base ?? encoded.know,
          { ...shape, sources: seeds },
          'partition the base',
        );
  const identity = settings.reflexive
    ? await reflexivePairs(
        scope,
        seeds,
        seeds === undefined ? vertexCount : seeds.length / 4,
        settings.partitions,
      )
    : undefined;
  const index = await indexKnow(scope, know.runs, vertexCount, settings.partitions);
  if (start !== know) scope.release(know);
  return {
    know: index,
    loadedCount: know.runs.reduce((sum, runs) => sum + pairCount(runs), 0),
    base: identity === undefined ? start : concatenate(start, identity),
  };
}

/**
 * Know once more, from its source to where it is joined, in the ids of the first time: it comes first in the dictionary, and
 * ids follow first appearance. The caller gives its ranges back.
 */
export async function rereadKnow(
  scope: ProcedureScope,
  query: ClosureQuery,
  vertexCount: number,
  direction: Direction,
): Promise<StepRelation & { readonly shuffled: PartitionedPairs }> {
  const { partitions: partitionCount } = query.settings;
  const encoded = await encode(scope, query.know, 'Know');
  const merged = await mergeDictionaries(scope, encoded);
  const parts = encoded.map(({ value: { codes } }, i) => ({ codes, remap: merged.value.remaps[i] as Range }));
  const shape = { partitionCount, swapped: direction === 'right', sources: undefined };
  const moved = await scatter(scope, parts, shape, 'partition Know');
  const index = await indexKnow(scope, moved.runs, vertexCount, partitionCount);
  for (const part of [...encoded, merged, moved]) scope.release(part);
  return { ...index, shuffled: moved.runs };
}

async function mergeDictionaries(
  scope: ProcedureScope,
  encoded: readonly Encoded[],
): Promise<TaskResult<MergedDictionary>> {
  return one<MergedDictionary>(scope, 'merge dictionaries', {
    url: ENCODE_TASKS,
    exportName: 'mergeDictionaries',
    args: { dictionaries: encoded.map((part) => part.value.dictionary) },
    functions: [],
    partition: 0,
    weight: encoded.reduce((sum, part) => sum + part.value.dictionary.count, 0),
  });
}

async function indexKnow(
  scope: ProcedureScope,
  runs: PartitionedPairs,
  vertexCount: number,
  partitionCount: number,
): Promise<StepRelation> {
  const results = await scope.runStage(
    'adjacency of Know',
    runs.map((mine, partition) =>
      task('buildAdjacency', partition, pairCount(mine), { runs: mine, vertexCount, partitionCount }),
    ),
  );
  const adjacency = results.map((result) => result.value as AdjacencyRef);
  return {
    adjacency,
    tupleCount: adjacency.reduce((sum, ref) => sum + ref.edgeCount, 0),
    ranges: results.flatMap(({ ranges }) => ranges),
  };
}

type Encoded = TaskResult<EncodedPartition>;

async function encode(scope: ProcedureScope, node: PlanNode, relation: string): Promise<readonly Encoded[]> {
  const results = await scope.runParent(node, {
    name: `dictionary of ${relation}`,
    url: ENCODE_TASKS,
    exportName: 'encodeRelation',
    args: { relation },
  });
  return results as readonly Encoded[];
}

async function encodeSeeds(scope: ProcedureScope, from: readonly unknown[]): Promise<Encoded> {
  const block = scope.writeRows(from);
  const result = await one<PipelineResult<EncodedPartition>>(scope, 'dictionary of seeds', {
    url: ENCODE_TASKS,
    exportName: 'encodeKeys',
    args: { pipeline: { source: { kind: 'blocks', blocks: [block] }, steps: [] } },
    functions: [],
    partition: 0,
    weight: from.length,
  });
  return { value: result.value.value, ranges: result.ranges };
}

/** Spreads encoded parts by their first element; keeps only seeds' pairs where seeds are given. */
async function scatter(
  scope: ProcedureScope,
  parts: readonly EncodedPart[],
  shape: { readonly partitionCount: number; readonly swapped: boolean; readonly sources: Range | undefined },
  name: string,
): Promise<Relation> {
  const { partitionCount } = shape;
  const tasks = parts.map(({ codes, remap }, partition) =>
    task('scatterRelation', partition, codes.count, { codes, remap, ...shape }),
  );
  const results = await scope.runStage(name, tasks);
  const written = results.map((result) => result.value as readonly PairRun[]);
  return {
    runs: Array.from({ length: partitionCount }, (_, reader) =>
      written.flatMap((runs) => runs[reader] ?? []),
    ),
    ranges: results.flatMap(({ ranges }) => ranges),
  };
}

function concatenate(one: Relation, other: Relation): Relation {
  return {
    runs: one.runs.map((runs, partition) => [...runs, ...(other.runs[partition] ?? [])]),
    ranges: [...one.ranges, ...other.ranges],
  };
}

async function reflexivePairs(
  scope: ProcedureScope,
  ids: Range | undefined,
  count: number,
  partitionCount: number,
): Promise<Relation> {
  const result = await one<readonly PairRun[]>(
    scope,
    'reflexive pairs',
    task('identityRelation', 0, count, { ids, count, partitionCount }),
  );
  return { runs: result.value.map((run) => [run]), ranges: result.ranges };
}

function task(exportName: string, partition: number, weight: number, args: unknown): TaskSpec {
  return { url: RELATION_TASKS, exportName, args, functions: [], partition, weight };
}

async function one<R>(scope: ProcedureScope, name: string, spec: TaskSpec): Promise<TaskResult<R>> {
  const [result] = await scope.runStage(name, [spec]);
  return result as TaskResult<R>;
}
