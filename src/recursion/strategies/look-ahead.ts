import { untilNothingNew } from '../rounds.js';
import type { StrategyBody } from './strategy.js';

/**
 * Two steps a round, by a three-way join (Phan et al., GTSD 2020): half as many rounds. Duplicates of the first step are
 * combined but not eliminated, so that the second step derives some pairs again.
 */
export const lookAhead: StrategyBody = (rounds, maxSteps) =>
  untilNothingNew(
    rounds,
    async (round) => {
      // friend(x, y) ← delta(x, z), know(z, y)
      const once = await rounds.join(rounds.delta(), rounds.know);
      if (2 * round > maxSteps) return rounds.add(once);
      // friend(x, y) ← delta(x, z), know(z, v), know(v, y)
      const twice = await rounds.join(once, rounds.know);
      return rounds.add(once, twice);
    },
    Math.ceil(maxSteps / 2),
  );
