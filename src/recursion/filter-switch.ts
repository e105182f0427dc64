/**
 * `filter: 'auto'`: when a run probes its filter. Probing costs something for every tuple and saves the shuffle of those that
 * are pruned, so it pays while at least `BREAK_EVEN` of the tuples are. The share is known for the tuples that were loaded; after
 * that it is measured, by the probes themselves or, while they are off, by a sample now and then: after 1 join, 2, 4, …
 *
 * Decisions follow from counts only, never from the clock: the same input gives the same figures.
 */

/**
 * Share of tuples that must be prunable for the exact bitmap to pay; `docs/strategies.md` has the measurement. The bitmap is the
 * filter of choice as ids are dense: no false positives, one load a probe.
 */
export const BREAK_EVEN = 0.1;

/** While probing is off, one tuple in so many is looked at where a round is a check. */
export const SAMPLE_STRIDE = 256;

/** Tuples below which a sample says little: fewer than 64 probes. */
const MIN_SAMPLED_TUPLES = 64 * SAMPLE_STRIDE;

/** What is probed in a round: every tuple, a sample, or nothing. */
export type Probing = 'all' | 'sample' | 'none';

export interface ProbeCounts {
  readonly tested: number;
  /** Of those, tuples that the filter does not let through; where only a sample is probed, they go on all the same. */
  readonly prunable: number;
}

/** A change of mind, for `explain()`. */
export interface SwitchNote {
  /** The round after which it was made; 0: before the first. */
  readonly round: number;
  readonly on: boolean;
  /** Share of prunable tuples that it rests on. */
  readonly share: number;
}

export class FilterSwitch {
  readonly notes: SwitchNote[] = [];
  #on: boolean;
  /** Joins to wait before the next sample, and how many it will be after that one. */
  #wait = 0;
  #nextWait = 1;

  /** `share`: of the tuples to come, those that can be pruned, as far as is known. */
  constructor(share: number) {
    this.#on = share >= BREAK_EVEN;
    this.#note(0, share);
    if (!this.#on) this.#backOff();
  }

  /** What to probe of the tuples of a join. */
  next(tupleCount: number): Probing {
    if (this.#on) return 'all';
    if (this.#wait > 0) {
      this.#wait -= 1;
      return 'none';
    }
    return tupleCount < MIN_SAMPLED_TUPLES ? 'none' : 'sample';
  }

  /** What the probes of a join said. */
  observe(round: number, { tested, prunable }: ProbeCounts): void {
    if (tested === 0) return;
    const share = prunable / tested;
    const pays = share >= BREAK_EVEN;
    if (pays !== this.#on) {
      this.#on = pays;
      this.#note(round, share);
    }
    if (pays) this.#nextWait = 1;
    else this.#backOff();
  }

  #backOff(): void {
    this.#wait = this.#nextWait;
    this.#nextWait *= 2;
  }

  #note(round: number, share: number): void {
    this.notes.push({ round, on: this.#on, share });
  }
}
