/** `closureStatistics` as an action: what the cost model predicts from, without running the closure. */
import { StateError } from '../errors.js';
import { checkSignal, closureSettings, statisticsSettings, type StatisticsOptions } from '../options.js';
import type { PlanNode } from '../plan/lineage.js';
import { encodeRelations } from '../recursion/load.js';
import type { ClosureStatistics } from '../recursion/cost-model/statistics.js';
import { survey } from '../recursion/survey.js';
import { countRows, type ActionOptions } from './actions.js';
import type { Session } from './session.js';

export interface ClosureStatisticsOptions extends StatisticsOptions, ActionOptions {}

/** Runs one job over Know. */
export async function gatherClosureStatistics(
  session: Session,
  know: PlanNode,
  { signal, ...options }: ClosureStatisticsOptions,
): Promise<ClosureStatistics> {
  checkSignal(signal, 'closureStatistics');
  const { direction, partitions, maxDepth, sample } = statisticsSettings(
    options,
    session.engine.settings.partitions,
    ['signal'],
  );
  const depth = maxDepth === Infinity ? {} : { maxDepth };
  const settings = closureSettings(depth, partitions);
  let statistics = undefined as ClosureStatistics | undefined;
  const node = session.lineage.procedure('closureStatistics', {
    detail: '',
    partitionCount: 1,
    parents: [know],
    cacheAs: 'materialized',
    // What it leaves is kept here; its rows are none.
    materialize: async (scope) => {
      const encoded = await encodeRelations(scope, { know, base: undefined, from: undefined, settings });
      ({ statistics } = await survey(scope, settings, encoded, direction, sample));
      return { source: () => ({ kind: 'blocks', blocks: [] }) };
    },
    describe: () => [],
  });
  await countRows(session.engine, node, signal === undefined ? {} : { signal });
  if (statistics === undefined) throw new StateError('closureStatistics: the job gave none');
  return statistics;
}
