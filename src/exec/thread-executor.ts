/**
 * Runs attempts on a piscina pool, which starts with its first attempt. A thread that ends under an attempt (a user's
 * `process.exit`, exhausted heap, termination) is reported as `lost`, after the thread has really ended.
 *
 * Hazard: piscina rejects before a terminated thread has ended; ranges of its attempt may be given back only afterwards.
 */
import type { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { toErrorData } from '../errors.js';
import type { AttemptMemory } from './attempt-memory.js';
import type { Executor, LostOutcome } from './executor.js';
import type { TaskMessage, TaskOutcome, ThreadData, ThreadHello } from './messages.js';

/** Milliseconds that an aborted attempt gets to reach its next yield before its thread is ended. */
const ABORT_GRACE_MS = 500;
const ABORT_POLL_MS = 20;

export class ThreadExecutor implements Executor {
  readonly #attempts: AttemptMemory;
  readonly #abortBoard: Int32Array;
  readonly #options: { readonly threads: number; readonly heapMebibytes: number | undefined };
  readonly #running = new Map<
    number,
    { readonly abort: AbortController; readonly slot: number; abortedAt: number }
  >();
  /** Threads that have not ended yet, with the promise of their end. */
  readonly #alive = new Map<Worker, Promise<void>>();
  #pool: Piscina<TaskMessage, TaskOutcome> | undefined;
  #watch: NodeJS.Timeout | undefined;
  #closing = false;

  constructor(
    attempts: AttemptMemory,
    abortBoard: Int32Array,
    options: { readonly threads: number; readonly heapMebibytes: number | undefined },
  ) {
    this.#attempts = attempts;
    this.#abortBoard = abortBoard;
    this.#options = options;
  }

  async run(message: TaskMessage): Promise<TaskOutcome | LostOutcome> {
    if (this.#isClosing()) return { kind: 'aborted' };
    const abort = new AbortController();
    this.#running.set(message.attemptId, { abort, slot: message.abortSlot, abortedAt: 0 });
    this.#watch ??= setInterval(() => {
      this.#endAborted();
    }, ABORT_POLL_MS);
    try {
      this.#pool ??= this.#start();
      return await this.#pool.run(message, { signal: abort.signal });
    } catch (error) {
      await this.#endings();
      if (abort.signal.aborted || this.#isClosing()) return { kind: 'aborted' };
      if (error instanceof Error && error.name === 'DataCloneError') {
        return { kind: 'failed', error: toErrorData(error) };
      }
      return { kind: 'lost', reason: error instanceof Error ? error.message : String(error) };
    } finally {
      this.#running.delete(message.attemptId);
      if (this.#running.size === 0) {
        clearInterval(this.#watch);
        this.#watch = undefined;
      }
    }
  }

  async close(): Promise<void> {
    this.#closing = true;
    clearInterval(this.#watch);
    await this.#pool?.destroy();
    await Promise.all(this.#alive.values());
  }

  #start(): Piscina<TaskMessage, TaskOutcome> {
    const { threads, heapMebibytes } = this.#options;
    const pool = new Piscina<TaskMessage, TaskOutcome>({
      filename: new URL('./thread-entry.js', import.meta.url).href,
      minThreads: 0,
      maxThreads: threads,
      // The default ends idle threads, and a new one would be started for each task.
      idleTimeout: Infinity,
      recordTiming: false,
      workerData: {
        rejoinThread: true,
        abortBoard: this.#abortBoard.buffer as SharedArrayBuffer,
      } satisfies ThreadData,
      ...(heapMebibytes === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: heapMebibytes } }),
    });
    pool.on('message', (hello: ThreadHello) => {
      this.#attempts.serve(hello);
      const worker = pool.threads.find((thread) => thread.threadId === hello.threadId);
      if (worker === undefined) return;
      const ended = new Promise<void>((resolve) => {
        worker.once('exit', () => {
          this.#alive.delete(worker);
          resolve();
        });
      });
      this.#alive.set(worker, ended);
    });
    // A thread that ends between attempts loses nothing; the next attempt starts another.
    pool.on('error', () => undefined);
    return pool;
  }

  #isClosing(): boolean {
    return this.#closing;
  }

  /** Waits for threads that piscina has let go of but that have not ended yet. */
  async #endings(): Promise<void> {
    const kept = new Set(this.#pool?.threads);
    await Promise.all([...this.#alive].filter(([worker]) => !kept.has(worker)).map(([, ended]) => ended));
  }

  #endAborted(): void {
    const now = performance.now();
    for (const running of this.#running.values()) {
      if (Atomics.load(this.#abortBoard, running.slot) === 0) continue;
      if (running.abortedAt === 0) running.abortedAt = now;
      else if (now - running.abortedAt > ABORT_GRACE_MS && !running.abort.signal.aborted)
        running.abort.abort();
    }
  }
}
