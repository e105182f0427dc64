/** What the cost model is asked, and what it answers. */
import type { FilterKind, Strategy } from '../../options.js';
import type { Estimate } from './estimate.js';

/** What is to be predicted. */
export interface ClosurePlan {
  readonly strategy: Exclude<Strategy, 'auto'>;
  /** Default: the strategy's own, else `none`. */
  readonly filter?: Exclude<FilterKind, 'auto'>;
  /** Default: 0.01. */
  readonly falsePositiveRate?: number;
  /** At most that of the statistics. Default: theirs. */
  readonly maxDepth?: number;
}

/** Figures of a run as in its report. */
export interface Prediction {
  readonly strategy: Exclude<Strategy, 'auto'>;
  readonly filter: Exclude<FilterKind, 'auto'>;
  /** Rate at which the truth lies in an interval. */
  readonly confidence: number;
  /** Rounds that will be run; null where the statistics do not tell. */
  readonly rounds: Estimate | null;
  readonly pairs: Estimate;
  readonly totals: PredictedFigures;
  readonly filterBits: Estimate;
  /** Of the filter, full as it will be. */
  readonly falsePositiveRate: number;
}

/** null: distances do not tell. */
export interface PredictedFigures {
  readonly delta: Estimate | null;
  readonly derived: Estimate | null;
  readonly joinShuffledTuples: Estimate | null;
  readonly joinShuffledBytes: Estimate | null;
  readonly dedupShuffledTuples: Estimate | null;
  readonly dedupShuffledBytes: Estimate | null;
  readonly tested: Estimate | null;
  readonly pruned: Estimate | null;
  readonly falsePositives: Estimate | null;
  readonly checkpointBytes: Estimate | null;
}
