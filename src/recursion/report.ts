/**
 * What every strategy reports, round by round and in total, so that strategies can be compared (DESIGN: same figures for
 * all). Counters are JS numbers: exact to 2⁵³.
 */
import type { Direction, FilterKind, Strategy } from '../options.js';
import type { Prediction } from './cost-model/prediction.js';
import type { Probing } from './filter-switch.js';

export interface ExchangeFigures {
  /** Tuples joined this round; for naive, all of Friend. */
  readonly delta: number;
  /** Tuples that the join produced, before duplicates were combined. */
  readonly derived: number;
  /** derived − fresh. */
  readonly duplicates: number;
  /** Derived tuples that were not known before: the next delta. */
  readonly fresh: number;
  /** Written into the join exchange, tuples that stay in their partition included (as in Spark's shuffle write). */
  readonly joinShuffledTuples: number;
  readonly joinShuffledBytes: number;
  /** Written into the duplicate-elimination exchange, after duplicates were combined within each join task. */
  readonly dedupShuffledTuples: number;
  readonly dedupShuffledBytes: number;
  /** Delta tuples that were probed against the filter. */
  readonly tested: number;
  /** Of those, dropped before the join exchange (still part of the result). */
  readonly pruned: number;
  /** Of those, passed although they cannot join. */
  readonly falsePositives: number;
}

/** One step of the recursion that was run. Round 1 joins the base; the last finds nothing new. */
export interface RoundReport extends ExchangeFigures {
  readonly round: number;
  /** Pairs of the result known after this round. */
  readonly pairs: number;
  /** Which tuples were probed against the filter: with `filter: 'auto'` it may be a sample, or none. */
  readonly probed: Probing;
  /** Bytes that a checkpoint copied. */
  readonly checkpointBytes: number;
  /** Wall-clock milliseconds, and the phases that they are made of. */
  readonly ms: number;
  readonly exchangeMs: number;
  readonly joinMs: number;
  readonly dedupMs: number;
}

export interface ReportTotals extends ExchangeFigures {
  /** Wall-clock milliseconds of the whole run, loading and encoding included. */
  readonly ms: number;
  /** Milliseconds before round 1: reading, dictionary, partitioning of Know, filter. */
  readonly setupMs: number;
  /** Bits of the final filter; 0 without one. */
  readonly filterBits: number;
  /** Bits of everything that had to be built for it (intersection: the first pass as well). */
  readonly filterBuildBits: number;
  /** Share of the filter's bits that are set, 0..1. */
  readonly filterFill: number;
  readonly predictedFalsePositiveRate: number;
  /** falsePositives / (falsePositives + pruned): of the tuples that cannot join, those that passed. 0 if none was tested. */
  readonly observedFalsePositiveRate: number;
  /** Written once, when all rounds are done: pairs of a right-linear run, moved to where their first element belongs. */
  readonly resultShuffledTuples: number;
  readonly resultShuffledBytes: number;
  /** Bytes that checkpoints copied, all together. */
  readonly checkpointBytes: number;
  /** The most bytes of shared memory that the context held at once during the run. */
  readonly peakBytes: number;
}

/** Figures of one finished run of a recursion. */
export interface RunReport {
  readonly pairs: number;
  readonly vertices: number;
  /** Distinct tuples of Know. */
  readonly edges: number;
  readonly strategy: Exclude<Strategy, 'auto'>;
  readonly filter: Exclude<FilterKind, 'auto'>;
  readonly direction: Direction;
  readonly threads: number;
  readonly partitions: number;
  readonly complete: true;
  /** What was to be expected, from statistics gathered before round 1; null where none were (docs/strategies.md). */
  readonly predicted: Prediction | null;
  readonly rounds: readonly RoundReport[];
  readonly totals: ReportTotals;
}

/**
 * Figures of a run that goes on, or was stopped: those of the rounds that ended, and a lower bound of the pairs. Figures of
 * a filter that is not built yet are 0.
 */
export interface PartialRunReport extends Omit<
  RunReport,
  'complete' | 'vertices' | 'edges' | 'strategy' | 'filter' | 'direction'
> {
  /** null: the relations were not loaded yet. */
  readonly vertices: number | null;
  readonly edges: number | null;
  /** As asked, until it is chosen. */
  readonly strategy: Strategy;
  readonly filter: FilterKind;
  readonly direction: Direction | 'auto';
  readonly complete: false;
}

/** Adds up rounds, beside what is known of the run as a whole. */
export function totalsOf(
  rounds: readonly RoundReport[],
  run: Omit<ReportTotals, keyof ExchangeFigures | 'observedFalsePositiveRate' | 'checkpointBytes'>,
): ReportTotals {
  const sum = (figure: keyof ExchangeFigures | 'checkpointBytes'): number =>
    rounds.reduce((total, round) => total + round[figure], 0);
  const pruned = sum('pruned');
  const falsePositives = sum('falsePositives');
  const cannotJoin = pruned + falsePositives;
  return {
    delta: sum('delta'),
    derived: sum('derived'),
    duplicates: sum('duplicates'),
    fresh: sum('fresh'),
    joinShuffledTuples: sum('joinShuffledTuples'),
    joinShuffledBytes: sum('joinShuffledBytes'),
    dedupShuffledTuples: sum('dedupShuffledTuples'),
    dedupShuffledBytes: sum('dedupShuffledBytes'),
    tested: sum('tested'),
    pruned,
    falsePositives,
    checkpointBytes: sum('checkpointBytes'),
    observedFalsePositiveRate: cannotJoin === 0 ? 0 : falsePositives / cannotJoin,
    ...run,
  };
}
