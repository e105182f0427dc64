/**
 * Chooses what the caller left to `auto`, from statistics of the relations, and says why. Choices change time, never
 * content or order.
 */
import { OptionError } from '../errors.js';
import type { ClosureSettings, Direction } from '../options.js';
import type { JoinKeyStatistics } from './filter-build.js';
import { BREAK_EVEN } from './filter-switch.js';
import type { ClosureQuery } from './load.js';
import type { RunReport } from './report.js';
import { perPair, type ReversedFigures } from './cost-model/statistics-tasks.js';
import type { ClosureStatistics } from './cost-model/statistics.js';
import { strategies } from './strategies/index.js';

export interface Plan {
  readonly strategy: RunReport['strategy'];
  readonly filter: RunReport['filter'];
  /** With `filter: 'auto'`: the share of tuples that the filter is thought to prune, by which probing starts on or off. */
  readonly prunableShare: number | undefined;
  readonly direction: Direction;
  /** One line for each choice. */
  readonly reasons: readonly string[];
}

/** A direction and why. */
export interface DirectionChoice {
  readonly direction: Direction;
  readonly reason: string;
}

/**
 * What a tuple costs, in nanoseconds on the machine where it was measured; only ratios matter (docs/strategies.md has the
 * measurement): derived by a join, moved by the join exchange, and moved once more at the end of a right-linear run.
 */
const DERIVED_COST = 5;
const SHUFFLED_COST = 25;
const RESULT_COST = 6;

/**
 * Refuses what the strategy that was asked for cannot answer.
 * @throws OptionError naming the options that do not go together, and those that would
 */
export function checkQuestion(query: ClosureQuery): void {
  const { settings, base, know, from } = query;
  const { strategy, filter, maxDepth, direction } = settings;
  const obstacle = direction === 'right' ? whyNotRight(query) : undefined;
  if (obstacle !== undefined) {
    throw new OptionError(`transitiveClosure: direction right ${obstacle}; use direction left`, {
      option: 'direction',
    });
  }
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

/** What stands against right-linear evaluation; undefined: nothing. */
function whyNotRight({ settings, base, know, from }: ClosureQuery): string | undefined {
  const { strategy } = settings;
  if (base !== undefined && base !== know) return 'needs Know as its base';
  if (from !== undefined) return 'computes paths from everywhere, so from does not go with it';
  if (strategy !== 'auto' && strategies[strategy].scope !== 'linear')
    return `does not go with strategy ${strategy}, which has none`;
  return undefined;
}

/** `statistics`: of left-linear evaluation; undefined where there are none. */
export function planDirection(
  query: ClosureQuery,
  statistics: ClosureStatistics | undefined,
): DirectionChoice {
  const { direction, filter } = query.settings;
  if (direction !== 'auto') return { direction, reason: `direction ${direction}, as asked` };
  const obstacle = whyNotRight(query);
  if (obstacle !== undefined) return { direction: 'left', reason: `direction left: the other ${obstacle}` };
  if (statistics === undefined) return { direction: 'left', reason: 'direction left: without statistics' };
  // A pair to the left, and to the right.
  const left = closureTotals(statistics);
  const { reversed } = statistics;
  const kept = (deadEndShare: number): number => (filter === 'none' ? 1 : 1 - deadEndShare);
  const leftCost = left.derivedPerPair * DERIVED_COST + kept(left.deadEndShare) * SHUFFLED_COST;
  const rightCost =
    reversed.derivedPerPair * DERIVED_COST + kept(reversed.deadEndShare) * SHUFFLED_COST + RESULT_COST;
  const chosen = rightCost < leftCost ? 'right' : 'left';
  const ratio = chosen === 'left' ? rightCost / leftCost : leftCost / rightCost;
  return {
    direction: chosen,
    reason:
      `direction ${chosen}, chosen: about ${left.derivedPerPair.toFixed(1)} tuples are derived a pair to the left and ` +
      `${percent(left.deadEndShare)} can be pruned, ${reversed.derivedPerPair.toFixed(1)} and ${percent(reversed.deadEndShare)} ` +
      `to the right; the other would cost about ${ratio.toFixed(1)} times as much`,
  };
}

/** A pair, of the closure that the statistics are of. */
function closureTotals(statistics: ClosureStatistics): ReversedFigures {
  let [pairs, derived, deadEnds] = [0, 0, 0];
  for (const sample of statistics.samples) {
    pairs += sample.weight * total(sample.pairs);
    derived += sample.weight * total(sample.derived);
    deadEnds += sample.weight * total(sample.deadEnds);
  }
  if (statistics.deadEndPairs !== null) deadEnds = total(statistics.deadEndPairs) * statistics.samples.length;
  return perPair(pairs, derived, deadEnds);
}

function total(levels: readonly number[]): number {
  return levels.reduce((sum, count) => sum + count, 0);
}

/** `keys` and `statistics`: of the direction chosen. */
export function planClosure(
  settings: ClosureSettings,
  { direction, reason }: DirectionChoice,
  keys: JoinKeyStatistics,
  statistics: ClosureStatistics | undefined,
): Plan {
  const strategy = settings.strategy === 'auto' ? 'semi-naive' : settings.strategy;
  const definition = strategies[strategy];
  const plan = { strategy, direction, prunableShare: undefined };
  const reasons: string[] = [
    settings.strategy === 'auto'
      ? 'strategy semi-naive, chosen: joins each tuple once, where naive joins all of Friend every round'
      : `strategy ${strategy}, as asked: ${definition.summary}`,
    ...(definition.scope === 'linear' ? [reason] : []),
  ];
  const because = (filter: Plan['filter'], why: string): Plan => ({
    ...plan,
    filter,
    reasons: [...reasons, `filter ${filter}${why}`],
  });
  if (definition.filter !== undefined) return because(definition.filter, ': part of the strategy');
  if (settings.filter !== 'auto') return because(settings.filter, ', as asked');
  if (definition.scope !== 'linear') {
    return because(
      'none',
      ', chosen: it would be built again for each join, as the relation joined with grows',
    );
  }
  if (keys.deadEndCount === 0) return because('none', ', chosen: no tuple can end where Know has no tuple');
  const share = prunableShare(keys, statistics);
  const chosen = because(
    'exact',
    `, chosen: ${keys.deadEndCount} dead ${keys.deadEndCount === 1 ? 'end' : 'ends'}; about ${percent(share)} of the tuples end there, and a bitmap over dense ids ` +
      `pays from ${percent(BREAK_EVEN)}. Probing starts ${share < BREAK_EVEN ? 'off' : 'on'}`,
  );
  return { ...chosen, prunableShare: share };
}

/** Of the closure if there are statistics, else of the tuples loaded. */
function prunableShare(keys: JoinKeyStatistics, statistics: ClosureStatistics | undefined): number {
  if (statistics === undefined) {
    return keys.tupleCount === 0 ? 0 : keys.deadEndTupleCount / keys.tupleCount;
  }
  return closureTotals(statistics).deadEndShare;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
