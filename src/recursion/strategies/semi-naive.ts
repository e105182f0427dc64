import { untilNothingNew } from '../rounds.js';
import type { StrategyBody } from './strategy.js';

/** Joins only what the last round found (Bancilhon & Ramakrishnan 1986). */
export const semiNaive: StrategyBody = (rounds, maxSteps) =>
  untilNothingNew(
    rounds,
    async () => {
      // friend(x, y) ← delta(x, z), know(z, y)
      await rounds.add(await rounds.join(rounds.delta(), rounds.know));
    },
    maxSteps,
  );
