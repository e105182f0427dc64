import type { StrategyBody } from './strategy.js';

/** One pass over the columns of a bit matrix: row i takes over row k where bit (i, k) is set (Warshall, JACM 1962). */
export const warshall: StrategyBody = async function* (rounds) {
  if (rounds.pairs > 0) yield await rounds.round(() => rounds.close('warshall'));
};

/** The same in two passes in the order of rows, below and above the diagonal, which stay in the cache (Warren, CACM 1975). */
export const warren: StrategyBody = async function* (rounds) {
  if (rounds.pairs > 0) yield await rounds.round(() => rounds.close('warren'));
};
