/**
 * Before round 1: the relations in dense ids, where the rounds want them. Know is partitioned by join key once and stays
 * put; the base is partitioned by source.
 */
import type { DictionaryBlock } from '../column/dictionary.js';
import { sameRange, type Range } from '../memory/range.js';
import type { ClosureSettings } from '../options.js';
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

export interface LoadedRelations {
  readonly dictionary: DictionaryBlock;
  /** Ids are below. */
  readonly vertexCount: number;
  /** Vertices of Know and the base: without seeds that neither holds. */
  readonly vertices: number;
  readonly know: StepRelation;
  /** By source; duplicates are still in it. */
  readonly base: Relation;
}

const ENCODE_TASKS = new URL('./encode-tasks.js', import.meta.url).href;
const RELATION_TASKS = new URL('./relation-tasks.js', import.meta.url).href;

export async function loadRelations(scope: ProcedureScope, query: ClosureQuery): Promise<LoadedRelations> {
  const { settings, from } = query;
  const { partitions: partitionCount } = settings;
  const know = await encode(scope, query.know, 'Know');
  const base =
    query.base === undefined || query.base === query.know
      ? undefined
      : await encode(scope, query.base, 'the base');
  const seeds = from === undefined ? undefined : await encodeSeeds(scope, from);

  const encoded = [...know, ...(base ?? []), ...(seeds === undefined ? [] : [seeds])];
  const merged = await mergeDictionaries(scope, encoded);
  const { dictionary, remaps, counts } = merged.value;
  scope.keep({ ranges: merged.ranges.filter((range) => !remaps.some((remap) => sameRange(remap, range))) });
  const vertexCount = counts.at(-1) ?? 0;
  const vertices = counts[know.length + (base?.length ?? 0) - 1] ?? 0;

  const seedIds = seeds === undefined ? undefined : (remaps.at(-1) as Range);
  const knowRuns = await scatter(scope, know, remaps, partitionCount, undefined, 'partition Know');
  const startRemaps = base === undefined ? remaps : remaps.slice(know.length);
  const startRuns =
    base === undefined && seedIds === undefined
      ? knowRuns
      : await scatter(scope, base ?? know, startRemaps, partitionCount, seedIds, 'partition the base');
  const identity = settings.reflexive
    ? await reflexivePairs(
        scope,
        seedIds,
        seedIds === undefined ? vertexCount : seedIds.length / 4,
        partitionCount,
      )
    : undefined;
  const start = identity === undefined ? startRuns : concatenate(startRuns, identity);
  const index = await indexKnow(scope, knowRuns.runs, vertexCount, partitionCount);
  if (startRuns !== knowRuns) scope.release(knowRuns);
  for (const part of encoded) scope.release(part);
  scope.release({ ranges: remaps });
  return { dictionary, vertexCount, vertices, know: index, base: start };
}

/**
 * Know once more, from its source to where it is joined, in the ids of the first time: it comes first in the dictionary, and
 * ids follow first appearance. The caller gives its ranges back.
 */
export async function rereadKnow(
  scope: ProcedureScope,
  query: ClosureQuery,
  vertexCount: number,
): Promise<StepRelation & { readonly shuffled: PartitionedPairs }> {
  const { partitions: partitionCount } = query.settings;
  const encoded = await encode(scope, query.know, 'Know');
  const merged = await mergeDictionaries(scope, encoded);
  const moved = await scatter(
    scope,
    encoded,
    merged.value.remaps,
    partitionCount,
    undefined,
    'partition Know',
  );
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

/** Spreads encoded partitions by their first element; keeps only seeds' pairs where seeds are given. */
async function scatter(
  scope: ProcedureScope,
  parts: readonly Encoded[],
  remaps: readonly Range[],
  partitionCount: number,
  sources: Range | undefined,
  name: string,
): Promise<Relation> {
  const tasks = parts.map((part, partition) =>
    task('scatterRelation', partition, part.value.codes.count, {
      codes: part.value.codes,
      remap: remaps[partition],
      partitionCount,
      sources,
    }),
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
