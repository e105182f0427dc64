import { untilNothingNew, type StepRelation } from '../rounds.js';
import type { StrategyBody } from './strategy.js';

/**
 * Doubling with powers of base 3 instead of 2: base · (1 + A + A²)(1 + A³ + A⁶)… (Ioannidis, VLDB 1986). In base m a round
 * takes m products (A², …, Aᵐ, and one of Friend with the sum of the others) and there are log_m n rounds: m / ln m is
 * least at 3 among whole numbers.
 */
export const minimal: StrategyBody = (rounds) => {
  let power = rounds.know;
  let square: StepRelation | undefined;
  return untilNothingNew(rounds, async () => {
    if (square !== undefined) {
      // power(x, y) ← square(x, z), power(z, y)
      const cube = await rounds.product(square, power);
      rounds.release(power);
      rounds.release(square);
      power = cube;
    }
    // square(x, y) ← power(x, z), power(z, y)
    square = await rounds.product(power, power);
    const either = await rounds.index(power, square);
    // friend(x, y) ← friend(x, z), power(z, y); friend(x, y) ← friend(x, z), square(z, y)
    await rounds.add(await rounds.join(rounds.friend(), either));
    rounds.release(either);
  });
};
