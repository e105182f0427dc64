/**
 * A transitive closure as a procedure of the lineage: loads the relations, plans, runs rounds, and leaves the result as
 * runs of encoded pairs that are decoded when read.
 */
import { LimitError } from '../errors.js';
import type { ClosureSettings } from '../options.js';
import type { Materialized, ProcedureScope } from '../plan/lineage.js';
import { predict } from './cost-model/predict.js';
import { encodeRelations, rereadKnow, type ClosureQuery } from './load.js';
import { pairCount } from './pair-run.js';
import { planClosure, planDirection, type Plan } from './planner.js';
import { atMost } from './cost-model/estimate.js';
import type { Prediction } from './cost-model/prediction.js';
import type { RoundReport } from './report.js';
import type { ResultArgs } from './result-source.js';
import { RunFilters } from './run-filters.js';
import type { RunRecord } from './run-record.js';
import { StagedRounds } from './staged-rounds.js';
import { strategies } from './strategies/index.js';
import type { ClosureStatistics } from './cost-model/statistics.js';
import { survey } from './survey.js';

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
  const encoded = await encodeRelations(scope, query);
  const { dictionary, vertexCount, vertices } = encoded;
  let surveyed = await survey(scope, settings, encoded, settings.direction === 'right' ? 'right' : 'left');
  const choice = planDirection(query, surveyed.statistics);
  if (choice.direction === 'right' && settings.direction === 'auto') {
    scope.release({ ranges: [...surveyed.know.ranges, ...surveyed.base.ranges] });
    surveyed = await survey(scope, settings, encoded, 'right');
  }
  scope.release(encoded);
  const { know, base, keys, statistics } = surveyed;
  record.loaded(vertices, know.tupleCount);
  const plan = planClosure(settings, choice, keys, statistics);
  record.planned(plan, statistics && predictRun(plan, settings, statistics));
  const filters = new RunFilters(scope, settings.falsePositiveRate, vertexCount, record);
  await filters.choose(plan, know, base.runs, keys);
  const rounds = await StagedRounds.start(
    scope,
    {
      filterFor: (round, left, right) => filters.filterFor(round, left, right),
      readKnow: () => rereadKnow(scope, query, vertexCount, plan.direction),
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
  const swapped = plan.direction === 'right';
  const friend = await rounds.result({ swapped });
  scope.keep(friend);
  if (swapped) record.resultMoved(rounds.pairs);
  return {
    source(partition) {
      const runs = friend.runs[partition] ?? [];
      const rowCount = pairCount(runs);
      const args: ResultArgs = { runs, dictionary, vertexCount, swapped };
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

/** Of an adaptive filter only the bounds are known: at most what is moved without one. */
function predictRun(
  { strategy, filter, prunableShare }: Plan,
  { falsePositiveRate, maxDepth }: ClosureSettings,
  statistics: ClosureStatistics,
): Prediction {
  const depth = maxDepth === Infinity ? {} : { maxDepth };
  const prediction = predict({ strategy, filter, falsePositiveRate, ...depth }, statistics);
  if (prunableShare === undefined) return prediction;
  const { joinShuffledTuples, joinShuffledBytes } = predict({ strategy, ...depth }, statistics).totals;
  return {
    ...prediction,
    totals: {
      ...prediction.totals,
      joinShuffledTuples: joinShuffledTuples && atMost(joinShuffledTuples),
      joinShuffledBytes: joinShuffledBytes && atMost(joinShuffledBytes),
      tested: null,
      pruned: null,
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
