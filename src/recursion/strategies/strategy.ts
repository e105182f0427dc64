/** What a strategy is: the body of a recursion, and which questions it can answer. */
import type { RoundReport } from '../report.js';
import type { Rounds } from '../rounds.js';

/** Runs rounds until nothing new appears, or `maxSteps` steps along Know were taken; yields each round's figures. */
export type StrategyBody = (rounds: Rounds, maxSteps: number) => AsyncGenerator<RoundReport, void>;

export interface StrategyDefinition {
  readonly body: StrategyBody;
  /**
   * `linear`: any base, seeds and depth. `doubling`: any base and seeds, but rounds take more steps at once than a depth could
   * bound. `closure`: the closure of Know, whole.
   */
  readonly scope: 'linear' | 'doubling' | 'closure';
  /** What a round joins with what, for `explain()`; undefined: nothing is joined. */
  readonly shape: { readonly left: string; readonly right: string } | undefined;
  /** The only filter that belongs to it; undefined: any. */
  readonly filter?: 'none' | 'intersection';
  /** Why it is what it is, for `explain()`. */
  readonly summary: string;
}
