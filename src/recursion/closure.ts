/**
 * A transitive closure as a procedure of the lineage: loads the relations, plans, runs rounds, and leaves the result as
 * runs of encoded pairs that are decoded when read.
 */
import { LimitError } from '../errors.js';
import type { Materialized, ProcedureScope } from '../plan/lineage.js';
import type { BuiltFilter, JoinKeyStatistics } from './filter-build.js';
import { loadRelations, type ClosureQuery, type LoadedRelations } from './load.js';
import { pairCount } from './pair-run.js';
import { planClosure } from './planner.js';
import type { RoundReport } from './report.js';
import type { ResultArgs } from './result-source.js';
import { StagedRounds } from './rounds.js';
import type { RunRecord } from './run-record.js';
import { strategies } from './strategies.js';

const FILTER_TASKS = new URL('./filter-build.js', import.meta.url).href;
const RESULT_SOURCE = new URL('./result-source.js', import.meta.url).href;

/** Notes what it does in `record`, also where it is stopped. */
export async function runClosure(
  scope: ProcedureScope,
  query: ClosureQuery,
  record: RunRecord,
  observer: {
    /** Ends this run, beside the job's own signal. */
    readonly signal: AbortSignal | undefined;
    readonly onRound: ((round: RoundReport) => unknown) | undefined;
  },
): Promise<Materialized> {
  try {
    return await scope.abortedBy(observer.signal, () => evaluate(scope, query, record, observer.onRound));
  } finally {
    record.end();
  }
}

async function evaluate(
  scope: ProcedureScope,
  query: ClosureQuery,
  record: RunRecord,
  onRound: ((round: RoundReport) => unknown) | undefined,
): Promise<Materialized> {
  const { settings } = query;
  const relations = await loadRelations(scope, query);
  record.loaded(relations);
  const statistics = await gatherStatistics(scope, relations);
  const plan = planClosure(settings, statistics);
  record.planned(plan);
  const built =
    plan.filter === 'none'
      ? undefined
      : await buildFilter(scope, relations, plan.filter, settings, statistics);
  const rounds = await StagedRounds.start(scope, settings, relations, built?.filter);
  record.ready(rounds.pairs, built);
  checkLimit(rounds.pairs, settings.maxPairs);

  for await (const round of strategies[plan.strategy](rounds, settings.maxDepth - 1)) {
    record.round(round);
    await onRound?.(round);
    checkLimit(round.pairs, settings.maxPairs);
  }
  const friend = rounds.friend().map((runs) => [...runs]);
  const { dictionary, vertexCount } = relations;
  return {
    source(partition) {
      const runs = friend[partition] ?? [];
      const rowCount = pairCount(runs);
      const args: ResultArgs = { runs, dictionary, vertexCount };
      return {
        kind: 'module',
        url: RESULT_SOURCE,
        exportName: 'readResult',
        args,
        rowCount,
        weight: rowCount,
      };
    },
  };
}

function checkLimit(pairs: number, maxPairs: number): void {
  if (pairs <= maxPairs) return;
  throw new LimitError(
    `stopped: ${pairs} pairs were found, more than the limit of ${maxPairs}; raise it (option maxPairs, --max-pairs), ` +
      'bound the question (maxDepth, from), or leave the limit out',
    { limit: 'maxPairs', value: maxPairs, pairs },
  );
}

async function gatherStatistics(
  scope: ProcedureScope,
  relations: LoadedRelations,
): Promise<JoinKeyStatistics> {
  const { know, base, vertexCount, edges } = relations;
  const [result] = await scope.runStage('join key statistics', [
    {
      url: FILTER_TASKS,
      exportName: 'joinKeyStatistics',
      args: { know, base, vertexCount },
      functions: [],
      partition: 0,
      weight: edges + vertexCount,
    },
  ]);
  return result?.value as JoinKeyStatistics;
}

async function buildFilter(
  scope: ProcedureScope,
  relations: LoadedRelations,
  kind: 'bloom' | 'intersection' | 'exact',
  settings: { readonly falsePositiveRate: number },
  statistics: JoinKeyStatistics,
): Promise<BuiltFilter> {
  const { know, base, vertexCount, edges } = relations;
  const { falsePositiveRate } = settings;
  const [result] = await scope.runStage(`${kind} filter`, [
    {
      url: FILTER_TASKS,
      exportName: 'buildFilter',
      args: { know, base, vertexCount, kind, falsePositiveRate, statistics },
      functions: [],
      partition: 0,
      weight: edges + vertexCount,
    },
  ]);
  return result?.value as BuiltFilter;
}
