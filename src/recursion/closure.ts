/**
 * A transitive closure as a procedure of the lineage: loads the relations, plans, runs rounds, and leaves the result as
 * runs of encoded pairs that are decoded when read.
 */
import { LimitError } from '../errors.js';
import type { Materialized, ProcedureScope } from '../plan/lineage.js';
import type { BuiltFilter, JoinKeyStatistics } from './filter-build.js';
import { loadRelations, type ClosureQuery, type LoadedRelations } from './load.js';
import { pairCount } from './pair-run.js';
import { planClosure, type Plan } from './planner.js';
import { totalsOf, type RoundReport, type RunReport } from './report.js';
import type { ResultArgs } from './result-source.js';
import { StagedRounds } from './rounds.js';
import { strategies } from './strategies.js';

/** What became of a run, for `report()` and `explain()`. */
export interface ClosureOutcome {
  readonly report: RunReport;
  readonly plan: Plan;
}

const FILTER_TASKS = new URL('./filter-build.js', import.meta.url).href;
const RESULT_SOURCE = new URL('./result-source.js', import.meta.url).href;

export async function runClosure(
  scope: ProcedureScope,
  query: ClosureQuery,
  callbacks: {
    /** Ends this run, beside the job's own signal. */
    readonly signal: AbortSignal | undefined;
    readonly onRound: ((round: RoundReport) => unknown) | undefined;
    readonly onFinish: (outcome: ClosureOutcome) => void;
  },
): Promise<Materialized> {
  return scope.abortedBy(callbacks.signal, () => evaluate(scope, query, callbacks));
}

async function evaluate(
  scope: ProcedureScope,
  query: ClosureQuery,
  callbacks: Omit<Parameters<typeof runClosure>[2], 'signal'>,
): Promise<Materialized> {
  const started = performance.now();
  const { settings } = query;
  const relations = await loadRelations(scope, query);
  const statistics = await gatherStatistics(scope, relations);
  const plan = planClosure(settings, statistics);
  const built =
    plan.filter === 'none'
      ? undefined
      : await buildFilter(scope, relations, plan.filter, settings, statistics);
  const rounds = await StagedRounds.start(scope, settings, relations, built?.filter);
  const setupMs = performance.now() - started;
  checkLimit(rounds.pairs, settings.maxPairs);

  const reports: RoundReport[] = [];
  for await (const report of strategies[plan.strategy](rounds, settings.maxDepth - 1)) {
    reports.push(report);
    await callbacks.onRound?.(report);
    checkLimit(report.pairs, settings.maxPairs);
  }
  const friend = rounds.friend().map((runs) => [...runs]);
  callbacks.onFinish({
    plan,
    report: {
      pairs: rounds.pairs,
      vertices: relations.vertices,
      edges: relations.edges,
      strategy: plan.strategy,
      filter: plan.filter,
      threads: scope.threads,
      partitions: settings.partitions,
      complete: true,
      rounds: reports,
      totals: totalsOf(reports, {
        ms: performance.now() - started,
        setupMs,
        filterBits: built?.bits ?? 0,
        filterBuildBits: built?.buildBits ?? 0,
        filterFill: built?.fill ?? 0,
        predictedFalsePositiveRate: built?.predictedFalsePositiveRate ?? 0,
        peakBytes: scope.peakBytes(),
      }),
    },
  });
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
