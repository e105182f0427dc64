/**
 * Chooses what the caller left to `auto`, from statistics of the relations, and says why. Choices change time, never
 * content or order.
 */
import type { ClosureSettings } from '../options.js';
import type { JoinKeyStatistics } from './filter-build.js';

export interface Plan {
  readonly strategy: 'naive' | 'semi-naive';
  readonly filter: 'none' | 'bloom' | 'intersection' | 'exact';
  /** One line for each choice. */
  readonly reasons: readonly string[];
}

/**
 * Share of tuples that must be prunable for the exact bitmap to pay: its measured break-even while tables fit in cache
 * (a probe costs one load; a shuffled tuple about fourteen times as much).
 */
const EXACT_BREAK_EVEN = 0.07;

export function planClosure(settings: ClosureSettings, statistics: JoinKeyStatistics): Plan {
  const strategy = settings.strategy === 'naive' ? 'naive' : 'semi-naive';
  const reasons: string[] = [
    settings.strategy === 'auto'
      ? 'strategy semi-naive, chosen: joins each tuple once, where naive joins all of Friend every round'
      : `strategy ${strategy}, as asked`,
  ];
  if (settings.filter !== 'auto') {
    reasons.push(`filter ${settings.filter}, as asked`);
    return { strategy, filter: settings.filter, reasons };
  }
  const { tupleCount, deadEndTupleCount, deadEndCount } = statistics;
  const share = tupleCount === 0 ? 0 : deadEndTupleCount / tupleCount;
  const percent = `${(share * 100).toFixed(1)} %`;
  if (share < EXACT_BREAK_EVEN) {
    reasons.push(
      `filter none, chosen: ${percent} of the tuples loaded end where Know has no tuple (${deadEndCount} dead ends); ` +
        `an exact bitmap pays from ${EXACT_BREAK_EVEN * 100} %`,
    );
    return { strategy, filter: 'none', reasons };
  }
  reasons.push(
    `filter exact, chosen: ${percent} of the tuples loaded end where Know has no tuple (${deadEndCount} dead ends), and ` +
      'a bitmap over dense ids has no false positives',
  );
  return { strategy, filter: 'exact', reasons };
}
