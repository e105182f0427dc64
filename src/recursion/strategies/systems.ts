/**
 * How systems run the semi-naive rule, as the paper compares them. They differ in what is read, moved and kept again each
 * round; the answers are the same.
 */
import { untilNothingNew } from '../rounds.js';
import type { StrategyBody } from './strategy.js';

/** Supersteps between two checkpoints of `pregel`. */
export const CHECKPOINT_ROUNDS = 10;

/** Hadoop: nothing stays. Know is read and shuffled again, and so is all that was found, to tell what is new. */
export const hadoop: StrategyBody = (rounds, maxSteps) =>
  untilNothingNew(
    rounds,
    async () => {
      await rounds.rereadKnow();
      await rounds.rereadFriend({ shuffled: true });
      await rounds.add(await rounds.join(rounds.delta(), rounds.know));
    },
    maxSteps,
  );

/** HaLoop (Shaw et al. 2012): reducers keep Know and their results in a cache, which is read again each round. No filter. */
export const haloop: StrategyBody = (rounds, maxSteps) =>
  untilNothingNew(
    rounds,
    async () => {
      await rounds.rereadFriend({ shuffled: false });
      await rounds.add(await rounds.join(rounds.delta(), rounds.know));
    },
    maxSteps,
  );

/** Pregel (Malewicz et al. 2010): supersteps over state that stays, with a checkpoint every few of them. */
export const pregel: StrategyBody = (rounds, maxSteps) =>
  untilNothingNew(
    rounds,
    async (round) => {
      await rounds.add(await rounds.join(rounds.delta(), rounds.know));
      if (round % CHECKPOINT_ROUNDS === 0) await rounds.checkpoint();
    },
    maxSteps,
  );
