/**
 * A transitive closure as a procedure of the lineage: loads the relations, plans, runs rounds, and leaves the result as
 * runs of encoded pairs that are decoded when read.
 */
import { LimitError } from '../errors.js';
import type { Materialized, ProcedureScope } from '../plan/lineage.js';
import { loadRelations, rereadKnow, type ClosureQuery } from './load.js';
import { pairCount } from './pair-run.js';
import { planClosure } from './planner.js';
import type { RoundReport } from './report.js';
import type { ResultArgs } from './result-source.js';
import { RunFilters } from './run-filters.js';
import type { RunRecord } from './run-record.js';
import { StagedRounds } from './staged-rounds.js';
import { strategies } from './strategies/index.js';

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
  const { dictionary, vertexCount, know, base } = relations;
  const filters = new RunFilters(scope, settings.falsePositiveRate, vertexCount, record);
  const statistics = await filters.statistics(know, base.runs, true);
  const plan = planClosure(settings, statistics);
  record.planned(plan);
  await filters.choose(plan.filter, know, base.runs, statistics);
  const rounds = await StagedRounds.start(
    scope,
    {
      filterFor: (left, right) => filters.filterFor(left, right),
      readKnow: () => rereadKnow(scope, query, vertexCount),
    },
    { partitionCount: settings.partitions, vertexCount, know, base },
  );
  record.ready(rounds.pairs);
  checkLimit(rounds.pairs, settings.maxPairs);

  for await (const round of strategies[plan.strategy].body(rounds, settings.maxDepth - 1)) {
    record.round(round);
    await onRound?.(round);
    checkLimit(round.pairs, settings.maxPairs);
  }
  const friend = rounds.friend().runs;
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
