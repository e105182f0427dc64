/**
 * The figures of one run as they become known: when it has ended they are its report; before that, or when it was
 * stopped, a partial one.
 */
import { StateError } from '../errors.js';
import type { ClosureSettings } from '../options.js';
import { PAIR_BYTES } from '../kernel/pairs.js';
import type { Prediction } from './cost-model/prediction.js';
import type { BuiltFilter } from './filter-build.js';
import type { SwitchNote } from './filter-switch.js';
import type { Plan } from './planner.js';
import { totalsOf, type PartialRunReport, type RoundReport, type RunReport } from './report.js';

export class RunRecord {
  readonly #started = performance.now();
  readonly #settings: ClosureSettings;
  readonly #threads: number;
  readonly #peakBytes: () => number;
  readonly #rounds: RoundReport[] = [];
  #ms: number | undefined;
  #setupMs: number | undefined;
  #relations: Pick<RunReport, 'vertices' | 'edges'> | undefined;
  #plan: Plan | undefined;
  #filter: BuiltFilter | undefined;
  #predicted: Prediction | null = null;
  #switches: readonly SwitchNote[] = [];
  #basePairs = 0;
  #resultTuples = 0;

  constructor(settings: ClosureSettings, threads: number, peakBytes: () => number) {
    this.#settings = settings;
    this.#threads = threads;
    this.#peakBytes = peakBytes;
  }

  /** Undefined until the relations are loaded. */
  get plan(): Plan | undefined {
    return this.#plan;
  }

  loaded(vertices: number, edges: number): void {
    this.#relations = { vertices, edges };
  }

  planned(plan: Plan, predicted: Prediction | undefined): void {
    this.#plan = plan;
    this.#predicted = predicted ?? null;
  }

  /** Why probing went on or off; grows. */
  switches(notes: readonly SwitchNote[]): void {
    this.#switches = notes;
  }

  get filterSwitches(): readonly SwitchNote[] {
    return this.#switches;
  }

  /** The result was moved once more. */
  resultMoved(tuples: number): void {
    this.#resultTuples = tuples;
  }

  /** Of several, the last one counts. */
  built(filter: BuiltFilter): void {
    this.#filter = filter;
  }

  /** Everything before round 1 is done. */
  ready(basePairs: number): void {
    this.#basePairs = basePairs;
    this.#setupMs = this.#elapsedMs();
  }

  round(report: RoundReport): void {
    this.#rounds.push(report);
  }

  /** The clock stands still from now on. */
  end(): void {
    this.#ms ??= this.#elapsedMs();
  }

  /** @throws StateError before the run was planned */
  report(): RunReport {
    if (this.#plan === undefined || this.#relations === undefined) {
      throw new StateError('the run has not come as far as a plan');
    }
    const { strategy, filter, direction } = this.#plan;
    return { ...this.#figures(), ...this.#relations, strategy, filter, direction, complete: true };
  }

  partial(): PartialRunReport {
    const { strategy, filter, direction } = this.#plan ?? this.#settings;
    const { vertices, edges } = this.#relations ?? { vertices: null, edges: null };
    return { ...this.#figures(), vertices, edges, strategy, filter, direction, complete: false };
  }

  #figures(): Pick<RunReport, 'pairs' | 'threads' | 'partitions' | 'predicted' | 'rounds' | 'totals'> {
    const ms = this.#elapsedMs();
    return {
      pairs: this.#rounds.at(-1)?.pairs ?? this.#basePairs,
      threads: this.#threads,
      partitions: this.#settings.partitions,
      predicted: this.#predicted,
      rounds: [...this.#rounds],
      totals: totalsOf(this.#rounds, {
        ms,
        setupMs: this.#setupMs ?? ms,
        filterBits: this.#filter?.bits ?? 0,
        filterBuildBits: this.#filter?.buildBits ?? 0,
        filterFill: this.#filter?.fill ?? 0,
        predictedFalsePositiveRate: this.#filter?.predictedFalsePositiveRate ?? 0,
        resultShuffledTuples: this.#resultTuples,
        resultShuffledBytes: this.#resultTuples * PAIR_BYTES,
        peakBytes: this.#peakBytes(),
      }),
    };
  }

  #elapsedMs(): number {
    return this.#ms ?? performance.now() - this.#started;
  }
}
