/** Counters of one round, filled by the operators as they run. */
import type { Probing } from './filter-switch.js';
import type { ExchangeFigures, RoundReport } from './report.js';

type Counter = Exclude<keyof ExchangeFigures, 'duplicates' | 'fresh'> | 'checkpointBytes';
export type Phase = 'exchangeMs' | 'joinMs' | 'dedupMs';

export class RoundFigures {
  readonly #started = performance.now();
  readonly #counts: Record<Counter, number> = {
    delta: 0,
    derived: 0,
    joinShuffledTuples: 0,
    joinShuffledBytes: 0,
    dedupShuffledTuples: 0,
    dedupShuffledBytes: 0,
    tested: 0,
    pruned: 0,
    falsePositives: 0,
    checkpointBytes: 0,
  };
  #probing: Probing = 'none';
  readonly #phases: Record<Phase, number> = { exchangeMs: 0, joinMs: 0, dedupMs: 0 };

  add(counter: Counter, count: number): void {
    this.#counts[counter] += count;
  }

  /** What a join probed; of several, the most counts. */
  probed(probing: Probing): void {
    if (this.#probing !== 'all' && probing !== 'none') this.#probing = probing;
  }

  /** Runs `body`; its time goes to the phase. */
  async timed<T>(phase: Phase, body: () => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      return await body();
    } finally {
      this.#phases[phase] += performance.now() - started;
    }
  }

  /** The round has ended. `pairs`: of Friend, before and after. */
  report(round: number, before: number, pairs: number): RoundReport {
    const fresh = pairs - before;
    const { delta, derived, ...exchanges } = this.#counts;
    return {
      round,
      pairs,
      delta,
      derived,
      duplicates: derived - fresh,
      fresh,
      ...exchanges,
      probed: this.#probing,
      ms: performance.now() - this.#started,
      ...this.#phases,
    };
  }
}
