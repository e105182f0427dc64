/**
 * Chooses what the caller left to `auto`, from statistics of the relations, and says why. Choices change time, never
 * content or order.
 */
import { OptionError } from '../errors.js';
import type { ClosureSettings } from '../options.js';
import type { JoinKeyStatistics } from './filter-build.js';
import type { ClosureQuery } from './load.js';
import type { RunReport } from './report.js';
import { strategies } from './strategies/index.js';

export interface Plan {
  readonly strategy: RunReport['strategy'];
  readonly filter: RunReport['filter'];
  /** One line for each choice. */
  readonly reasons: readonly string[];
}

/**
 * Share of tuples that must be prunable for the exact bitmap to pay: its measured break-even while tables fit in cache
 * (a probe costs one load; a shuffled tuple about fourteen times as much).
 */
const EXACT_BREAK_EVEN = 0.07;

/**
 * Refuses what the strategy that was asked for cannot answer.
 * @throws OptionError naming the options that do not go together, and those that would
 */
export function checkQuestion({ settings, base, know, from }: ClosureQuery): void {
  const { strategy, filter, maxDepth } = settings;
  if (strategy === 'auto') return;
  const { scope, filter: own } = strategies[strategy];
  const refuse = (option: string, problem: string): never => {
    throw new OptionError(`transitiveClosure: ${problem}`, { option, strategy });
  };
  if (own !== undefined && filter !== 'auto' && filter !== own) {
    refuse(
      'filter',
      `strategy ${strategy} comes with filter ${own}; leave filter out, or use strategy semi-naive`,
    );
  }
  if (scope !== 'linear' && maxDepth !== Infinity) {
    refuse(
      'maxDepth',
      `strategy ${strategy} takes many steps a round, so maxDepth does not go with it; use semi-naive`,
    );
  }
  if (scope !== 'closure') return;
  const problem = `strategy ${strategy} computes the closure of Know as a whole, so`;
  if (from !== undefined) refuse('from', `${problem} from does not go with it; use semi-naive`);
  if (base !== undefined && base !== know)
    refuse('base', `${problem} base does not go with it; use semi-naive`);
}

export function planClosure(settings: ClosureSettings, statistics: JoinKeyStatistics): Plan {
  const strategy = settings.strategy === 'auto' ? 'semi-naive' : settings.strategy;
  const definition = strategies[strategy];
  const reasons: string[] = [
    settings.strategy === 'auto'
      ? 'strategy semi-naive, chosen: joins each tuple once, where naive joins all of Friend every round'
      : `strategy ${strategy}, as asked: ${definition.summary}`,
  ];
  if (definition.filter !== undefined) {
    reasons.push(`filter ${definition.filter}: part of the strategy`);
    return { strategy, filter: definition.filter, reasons };
  }
  if (settings.filter !== 'auto') {
    reasons.push(`filter ${settings.filter}, as asked`);
    return { strategy, filter: settings.filter, reasons };
  }
  if (definition.scope !== 'linear') {
    reasons.push(
      'filter none, chosen: it would be built again for each join, as the relation joined with grows',
    );
    return { strategy, filter: 'none', reasons };
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
