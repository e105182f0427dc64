/**
 * Reports as text tables, for people. Exchanges are added up (join and duplicate elimination); the JSON report has them
 * apart. Without colours, so that a table in a file or a pipe is plain text.
 */
import CliTable3 from 'cli-table3';
import type { Estimate, ExchangeFigures, Prediction, RunReport } from '../index.js';
import { formatBytes } from '../memory/memory-manager.js';
import { contenderName, type ComparedRun } from './compared-run.js';
import { formatCount, formatQuantity, formatRate, formatTime } from './figures.js';

/** A table longer than this shows its first and last rounds: a chain of 10,000 vertices takes 10,000 rounds. */
const MAX_ROUND_ROWS = 40;
const LAST_ROUND_ROWS = 10;

const PLAIN_STYLE = { head: [], border: [], compact: true };

/** One finished run: a line of facts, its rounds, and what its filter did. Ends with a newline. */
export function reportTable(report: RunReport): string {
  const head = ['round', 'delta', ...EXCHANGE_HEAD, 'time'];
  const table = new CliTable3({ head, colAligns: head.map(() => 'right'), style: PLAIN_STYLE });
  const { rounds, totals } = report;
  const firstCount = rounds.length > MAX_ROUND_ROWS ? MAX_ROUND_ROWS - LAST_ROUND_ROWS : rounds.length;
  const rowOf = (round: RunReport['rounds'][number]): string[] => [
    formatCount(round.round),
    formatCount(round.delta),
    ...exchangeCells(round),
    formatTime(round.ms),
  ];
  for (const round of rounds.slice(0, firstCount)) table.push(rowOf(round));
  if (firstCount < rounds.length) {
    const hiddenCount = rounds.length - firstCount - LAST_ROUND_ROWS;
    table.push([
      { colSpan: head.length, hAlign: 'center', content: `… ${formatQuantity(hiddenCount, 'round')} …` },
    ]);
    for (const round of rounds.slice(-LAST_ROUND_ROWS)) table.push(rowOf(round));
  }
  table.push(['total', formatCount(totals.delta), ...exchangeCells(totals), formatTime(totals.ms)]);
  if (report.predicted !== null) table.push(predictedRow(report.predicted));
  return `${factsLine(report)}\n${table.toString()}\n${filterLine(report)}\n`;
}

/** A comparison: a row for each run, and the time as a multiple of the fastest complete one. Ends with a newline. */
export function comparisonTable(runs: readonly ComparedRun[]): string {
  const head = ['strategy', 'pairs', 'rounds', ...EXCHANGE_HEAD, 'time', '× fastest'];
  const colAligns = head.map((_, column) => (column === 0 ? 'left' : 'right'));
  const table = new CliTable3({ head, colAligns, style: PLAIN_STYLE });
  const fastestMs = Math.min(...runs.filter((run) => run.complete).map((run) => run.totals.ms));
  for (const run of runs) {
    table.push([
      contenderName(run),
      run.complete ? formatCount(run.pairs) : `stopped at ${formatCount(run.pairs)}`,
      formatCount(run.rounds.length),
      ...exchangeCells(run.totals),
      formatTime(run.totals.ms),
      run.complete ? (run.totals.ms / fastestMs).toFixed(2) : `stopped: ${run.stopped}`,
    ]);
  }
  return `${table.toString()}\n`;
}

const EXCHANGE_HEAD = [
  'derived',
  'duplicates',
  'fresh',
  'shuffled tuples',
  'shuffled bytes',
  'pruned',
  'false positives',
] as const;

function exchangeCells(figures: ExchangeFigures): string[] {
  return [
    formatCount(figures.derived),
    formatCount(figures.duplicates),
    formatCount(figures.fresh),
    formatCount(figures.joinShuffledTuples + figures.dedupShuffledTuples),
    formatBytes(figures.joinShuffledBytes + figures.dedupShuffledBytes),
    formatCount(figures.pruned),
    formatCount(figures.falsePositives),
  ];
}

/** What was to be expected of the totals; empty where the cost model does not tell. */
function predictedRow({ totals }: Prediction): string[] {
  const { delta, derived, joinShuffledTuples, dedupShuffledTuples, joinShuffledBytes, dedupShuffledBytes } =
    totals;
  return [
    'predicted',
    estimateCell([delta], formatCount),
    estimateCell([derived], formatCount),
    '',
    '',
    estimateCell([joinShuffledTuples, dedupShuffledTuples], formatCount),
    estimateCell([joinShuffledBytes, dedupShuffledBytes], formatBytes),
    estimateCell([totals.pruned], formatCount),
    estimateCell([totals.falsePositives], formatCount),
    '',
  ];
}

/** The sum of estimates: a figure, an interval, or a bound. */
function estimateCell(parts: readonly (Estimate | null)[], format: (value: number) => string): string {
  const known = parts.filter((part) => part !== null);
  if (known.length < parts.length) return '';
  const sum = (of: (part: Estimate) => number): string =>
    format(Math.round(known.reduce((total, part) => total + of(part), 0)));
  const high = sum((part) => part.high);
  if (known.some(({ basis }) => basis === 'upper-bound')) return `≤ ${high}`;
  const low = sum((part) => part.low);
  return low === high ? high : `${low} – ${high}`;
}

function factsLine(report: RunReport): string {
  return [
    formatQuantity(report.pairs, 'pair'),
    report.vertices === 1 ? '1 vertex' : `${formatCount(report.vertices)} vertices`,
    formatQuantity(report.edges, 'edge'),
    contenderName(report),
    report.direction === 'right' ? 'right-linear' : 'left-linear',
    report.threads === 0 ? 'inline' : formatQuantity(report.threads, 'thread'),
    formatQuantity(report.partitions, 'partition'),
  ].join(' · ');
}

function filterLine({ filter, totals }: RunReport): string {
  const peak = `peak memory ${formatBytes(totals.peakBytes)}`;
  if (filter === 'none') return `no filter · ${peak}`;
  return [
    `filter ${formatQuantity(totals.filterBits, 'bit')}`,
    `${formatQuantity(totals.tested, 'tuple')} tested`,
    `false positives predicted ${formatRate(totals.predictedFalsePositiveRate)}`,
    `observed ${formatRate(totals.observedFalsePositiveRate)}`,
    peak,
  ].join(' · ');
}
