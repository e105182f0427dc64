import { untilNothingNew } from '../rounds.js';
import type { StrategyBody } from './strategy.js';

/** Joins the whole of Friend with Know each round, until the count stops changing (Bancilhon 1986). */
export const naive: StrategyBody = (rounds, maxSteps) =>
  untilNothingNew(
    rounds,
    async () => {
      // friend(x, y) ← friend(x, z), know(z, y)
      await rounds.add(await rounds.join(rounds.friend(), rounds.know));
    },
    maxSteps,
  );
