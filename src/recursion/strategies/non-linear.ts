import { untilNothingNew } from '../rounds.js';
import type { StrategyBody } from './strategy.js';

/**
 * The non-linear rule, friend ← friend ⋈ friend, semi-naively: join tasks, then separate tasks that eliminate duplicates
 * (Afrati et al.). O(log n) rounds; Friend itself moves, every round.
 */
export const nonLinear: StrategyBody = (rounds) =>
  untilNothingNew(rounds, async () => {
    const friend = await rounds.index(rounds.friend());
    const delta = await rounds.index(rounds.delta());
    // friend(x, y) ← delta(x, z), friend(z, y)
    const forward = await rounds.join(rounds.delta(), friend);
    // friend(x, y) ← friend(x, z), delta(z, y), where the first is older: the rest is in the rule above
    const backward = await rounds.join(rounds.older(), delta);
    rounds.release(friend);
    rounds.release(delta);
    await rounds.add(forward, backward);
  });
