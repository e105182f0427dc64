/**
 * Evaluation strategies, each as its definition reads.
 *
 *   Friend(x, y) ← Know(x, y)
 *   Friend(x, y) ← Friend(x, z) ⋈ Know(z, y)
 */
import type { RoundReport } from './report.js';
import type { Rounds } from './rounds.js';

/** Runs rounds until nothing new appears or `maxRounds` were run; yields each round's figures. */
export type StrategyBody = (rounds: Rounds, maxRounds: number) => AsyncGenerator<RoundReport, void>;

/** Joins the whole of Friend with Know each round, until the count stops changing (Bancilhon 1986). */
async function* naive(rounds: Rounds, maxRounds: number): AsyncGenerator<RoundReport, void> {
  let fresh = rounds.pairs;
  for (let round = 1; round <= maxRounds && fresh > 0; round++) {
    const report = await rounds.step(rounds.friend());
    yield report;
    fresh = report.fresh;
  }
}

/** Joins only what the last round found (Bancilhon & Ramakrishnan 1986). */
async function* semiNaive(rounds: Rounds, maxRounds: number): AsyncGenerator<RoundReport, void> {
  let fresh = rounds.pairs;
  for (let round = 1; round <= maxRounds && fresh > 0; round++) {
    const report = await rounds.step(rounds.delta());
    yield report;
    fresh = report.fresh;
  }
}

export const strategies: Readonly<Record<'naive' | 'semi-naive', StrategyBody>> = {
  naive,
  'semi-naive': semiNaive,
};
