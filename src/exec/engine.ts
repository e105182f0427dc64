/**
 * One context's machinery: memory, executors, stage runner, block store. Owned by `rdd/Context`; jobs run on it.
 */
import { isMainThread, workerData } from 'node:worker_threads';
import { StateError } from '../errors.js';
import { MemoryManager } from '../memory/memory-manager.js';
import type { ContextSettings } from '../options.js';
import { AbortBoard } from './abort-board.js';
import { AttemptMemory } from './attempt-memory.js';
import { BlockStore } from './block-store.js';
import type { Executor } from './executor.js';
import { InlineExecutor } from './inline-executor.js';
import type { ThreadData } from './messages.js';
import { MetricsRecorder } from './metrics.js';
import { StageRunner } from './stage-runner.js';
import { ThreadExecutor } from './thread-executor.js';

/** What the engine knows of a job. */
export interface RunningJob {
  /** Makes its stages reject, those to come as well. */
  stop(reason: Error): void;
  /** Resolves once no stage of it runs. */
  quiet(): Promise<void>;
}

export class Engine {
  readonly settings: ContextSettings;
  readonly memory: MemoryManager;
  readonly store: BlockStore;
  readonly stages: StageRunner;
  readonly board = new AbortBoard();
  readonly metrics = new MetricsRecorder();
  readonly #inline: Executor;
  readonly #threads: Executor | undefined;
  /** Jobs that are running: each ends when asked to. */
  readonly #jobs = new Set<RunningJob>();
  #closing: Promise<void> | undefined;

  /** @throws StateError on a worker thread of another context. */
  constructor(settings: ContextSettings) {
    if (!isMainThread && (workerData as Partial<ThreadData> | null)?.rejoinThread === true) {
      throw new StateError(
        'createContext was called on a worker thread of another context: a module that is shipped with fromModule is ' +
          'evaluated there. Move the exported functions to a module of their own',
      );
    }
    this.settings = settings;
    this.memory = new MemoryManager(settings.memoryBytes);
    this.store = new BlockStore(this.memory);
    const attempts = new AttemptMemory(this.memory);
    this.#inline = new InlineExecutor(this.memory, attempts, this.board.words);
    const { threads, threadHeapBytes } = settings;
    if (threads > 0) {
      this.#threads = new ThreadExecutor(attempts, this.board.words, {
        threads,
        heapMebibytes: threadHeapBytes === undefined ? undefined : Math.ceil(threadHeapBytes / 2 ** 20),
      });
    }
    this.stages = new StageRunner({
      inline: this.#inline,
      threads: this.#threads,
      concurrency: Math.max(1, threads),
      maxTaskAttempts: settings.maxTaskAttempts,
      attempts,
      memory: this.memory,
      board: this.board,
      metrics: this.metrics,
    });
  }

  get closed(): boolean {
    return this.#closing !== undefined;
  }

  /** @throws StateError once the context is closed. */
  register(job: RunningJob): void {
    if (this.#closing !== undefined) throw new StateError('the context is closed; create another');
    this.#jobs.add(job);
  }

  unregister(job: RunningJob): void {
    this.#jobs.delete(job);
  }

  /** Stops running jobs (they reject), ends the threads, releases all memory. Again is harmless. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const reason = new StateError('the context was closed while the job ran');
    for (const job of this.#jobs) job.stop(reason);
    // Not until they end: a job that waits for its caller (an iterator, an observer) has no stage that touches memory.
    await Promise.all([...this.#jobs].map((job) => job.quiet()));
    await this.#inline.close();
    await this.#threads?.close();
    this.store.clear();
    this.memory.close();
  }
}
