/**
 * A report as JSON: the documented names first and in the documented order, any further figures after them. Programs
 * read this; names are never changed, only added.
 */
import type { ExchangeFigures, ReportTotals, RoundReport, RunReport } from '../index.js';
import type { ComparedRun, StoppedRun } from './compared-run.js';

const EXCHANGE_NAMES = [
  'delta',
  'derived',
  'duplicates',
  'fresh',
  'joinShuffledTuples',
  'joinShuffledBytes',
  'dedupShuffledTuples',
  'dedupShuffledBytes',
  'tested',
  'pruned',
  'falsePositives',
] as const satisfies readonly (keyof ExchangeFigures)[];

const ROUND_NAMES = ['round', ...EXCHANGE_NAMES, 'ms'] as const satisfies readonly (keyof RoundReport)[];

const TOTAL_NAMES = [
  ...EXCHANGE_NAMES,
  'ms',
  'filterBits',
  'predictedFalsePositiveRate',
  'observedFalsePositiveRate',
  'peakBytes',
] as const satisfies readonly (keyof ReportTotals)[];

const REPORT_NAMES = [
  'pairs',
  'vertices',
  'edges',
  'strategy',
  'filter',
  'threads',
  'partitions',
  'complete',
  'rounds',
  'totals',
] as const satisfies readonly (keyof RunReport)[];

/** A stopped run says so before its rounds, which may be many. */
const STOPPED_NAMES = [
  ...REPORT_NAMES.slice(0, -2),
  'stopped',
  'message',
  'rounds',
  'totals',
] as const satisfies readonly (keyof StoppedRun)[];

/** One finished run as one line of JSON. */
export function reportJson(report: RunReport): string {
  return JSON.stringify(ordered(report));
}

/** A comparison as one JSON array; stopped runs stand in it with `complete: false`. */
export function comparisonJson(runs: readonly ComparedRun[]): string {
  return JSON.stringify(runs.map(ordered));
}

function ordered(run: ComparedRun): object {
  return {
    ...(run.complete ? namedFirst(run, REPORT_NAMES) : namedFirst(run, STOPPED_NAMES)),
    rounds: run.rounds.map((round) => namedFirst(round, ROUND_NAMES)),
    totals: namedFirst(run.totals, TOTAL_NAMES),
  };
}

/** The same properties; those named come first, in that order. */
function namedFirst<T extends object>(value: T, names: readonly (keyof T)[]): object {
  return { ...Object.fromEntries(names.map((name) => [name, value[name]])), ...value };
}
