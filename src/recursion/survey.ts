/**
 * The relations of a recursion in one direction, and what is known of them before round 1: of their join keys always, of the
 * closure where that is affordable.
 */
import type { ClosureSettings, Direction } from '../options.js';
import type { ProcedureScope } from '../plan/lineage.js';
import type { TaskResult } from '../plan/task.js';
import type { JoinKeyStatistics } from './filter-build.js';
import { placeRelations, type EncodedRelations, type PlacedRelations } from './load.js';
import { pairCount } from './pair-run.js';
import {
  affordableSample,
  gatherStatistics,
  type ClosureStatistics,
  type Sample,
} from './cost-model/statistics.js';

const FILTER_TASKS = new URL('./filter-build.js', import.meta.url).href;

export interface Survey extends PlacedRelations {
  readonly keys: JoinKeyStatistics;
  /** Undefined: not affordable, or of another base, of seeds or reflexive, which statistics do not cover. */
  readonly statistics: ClosureStatistics | undefined;
}

/** `sample`: default: as much as is little beside a run. */
export async function survey(
  scope: ProcedureScope,
  settings: ClosureSettings,
  encoded: EncodedRelations,
  direction: Direction,
  sample?: Sample,
): Promise<Survey> {
  const { vertexCount } = encoded;
  const placed = await placeRelations(scope, settings, encoded, direction);
  const { know, base } = placed;
  const weight = know.tupleCount + base.runs.reduce((sum, runs) => sum + pairCount(runs), vertexCount);
  const [result] = (await scope.runStage('join key statistics', [
    {
      url: FILTER_TASKS,
      exportName: 'joinKeyStatistics',
      args: { know: know.adjacency, base: base.runs, invariant: true, vertexCount },
      functions: [],
      partition: 0,
      weight,
    },
  ])) as [TaskResult<JoinKeyStatistics>];
  const keys = result.value;
  const wholeClosure = encoded.base === undefined && encoded.seeds === undefined && !settings.reflexive;
  const chosen = sample ?? affordableSample(vertexCount, know.tupleCount, settings.maxDepth);
  const statistics =
    wholeClosure && chosen !== 'none'
      ? await gatherStatistics(scope, {
          know,
          loadedCount: placed.loadedCount,
          keys,
          vertexCount,
          direction,
          partitions: settings.partitions,
          maxDepth: settings.maxDepth,
          sample: chosen,
        })
      : undefined;
  return { ...placed, keys, statistics };
}
