/** What a context has done since it was created; counters only grow. Rows and bytes are counted where they are written. */
export interface EngineMetrics {
  readonly jobs: number;
  readonly stages: number;
  /** Attempts that finished, retries included. */
  readonly tasks: number;
  /** Of those, run inline on the driver. */
  readonly inlineTasks: number;
  /** Attempts whose thread was lost. */
  readonly lostAttempts: number;
  /** Written into shuffle exchanges of `join`, `reduceByKey`, …; recursions report theirs apart. */
  readonly shuffleWriteRows: number;
  readonly shuffleWriteBytes: number;
  readonly cachedBlocks: number;
}

export class MetricsRecorder {
  readonly #counts = {
    jobs: 0,
    stages: 0,
    tasks: 0,
    inlineTasks: 0,
    lostAttempts: 0,
    shuffleWriteRows: 0,
    shuffleWriteBytes: 0,
    cachedBlocks: 0,
  };

  add(counter: keyof EngineMetrics, amount = 1): void {
    this.#counts[counter] += amount;
  }

  snapshot(): EngineMetrics {
    return { ...this.#counts };
  }
}
