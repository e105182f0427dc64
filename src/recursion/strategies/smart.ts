import { untilNothingNew } from '../rounds.js';
import type { StrategyBody } from './strategy.js';

/**
 * Doubling (Ioannidis, VLDB 1986): base · (1 + A)(1 + A²)(1 + A⁴)… takes O(log n) rounds, each with two products; pairs are
 * derived more often.
 */
export const smart: StrategyBody = (rounds) => {
  let power = rounds.know;
  return untilNothingNew(rounds, async (round) => {
    if (round > 1) {
      // power(x, y) ← power(x, z), power(z, y)
      const square = await rounds.product(power, power);
      rounds.release(power);
      power = square;
    }
    // friend(x, y) ← friend(x, z), power(z, y)
    await rounds.add(await rounds.join(rounds.friend(), power));
  });
};
