/**
 * One row of a comparison: a finished run, or one that a limit stopped, with the rounds that it got through. The two
 * are told apart by `complete`, as in the JSON report.
 */
import type { FilterKind, PartialRunReport, RunReport, Strategy } from '../index.js';
import type { Limit } from './exit-codes.js';
import { formatCount } from './figures.js';

/** Which strategy a row compares; filters are compared under semi-naive evaluation. */
export interface Contender {
  readonly strategy: Exclude<Strategy, 'auto'>;
  readonly filter: Exclude<FilterKind, 'auto'>;
}

/** Naive is the baseline; then semi-naive, alone and with each filter. */
export const CONTENDERS: readonly Contender[] = [
  { strategy: 'naive', filter: 'none' },
  { strategy: 'semi-naive', filter: 'none' },
  { strategy: 'semi-naive', filter: 'bloom' },
  { strategy: 'semi-naive', filter: 'intersection' },
  { strategy: 'semi-naive', filter: 'exact' },
];

/** A run that a limit stopped: what it had done by then. `pairs` is a lower bound, not an answer. */
export interface StoppedRun extends Omit<PartialRunReport, keyof Contender>, Contender {
  /** The limit, by the option that raises it. */
  readonly stopped: Limit;
  readonly message: string;
}

export type ComparedRun = RunReport | StoppedRun;

/** `semi-naive + bloom`, or the strategy alone. */
export function contenderName({ strategy, filter }: Contender): string {
  return filter === 'none' ? strategy : `${strategy} + ${filter}`;
}

/** Whether all complete runs found equally many pairs, and a sentence that says so. */
export function agreementOf(runs: readonly ComparedRun[]): {
  readonly holds: boolean;
  readonly text: string;
} {
  const complete = runs.filter((run) => run.complete);
  const counts = new Set(complete.map((run) => run.pairs));
  const [first] = counts;
  if (first === undefined)
    return { holds: true, text: 'No strategy finished, so there is no answer to compare' };
  if (counts.size === 1) {
    const who =
      complete.length === runs.length
        ? `All ${runs.length} answers agree`
        : `The ${complete.length} of ${runs.length} answers that are complete agree`;
    return { holds: true, text: `${who}: ${formatCount(first)} pairs` };
  }
  const each = complete.map((run) => `${contenderName(run)} ${formatCount(run.pairs)}`).join(', ');
  return { holds: false, text: `The answers do NOT agree: ${each}` };
}
