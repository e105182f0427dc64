/**
 * Runs attempts on the driver's own thread, in slices: after `SLICE_MS` of work the event loop turns, so that abort
 * signals and progress get through. A user's `process.exit` becomes an error. What cannot be helped here: a user function
 * that never returns, and exhausted memory.
 */
import { setImmediate } from 'node:timers/promises';
import type { MemoryManager } from '../memory/memory-manager.js';
import type { AttemptMemory } from './attempt-memory.js';
import type { Executor } from './executor.js';
import { runGuarded } from './function/exit-guard.js';
import type { TaskMessage, TaskOutcome } from './messages.js';
import { TaskRunner } from './task-runner.js';

/** Milliseconds; DESIGN promises a turn of the loop at least every 20. */
const SLICE_MS = 10;

export class InlineExecutor implements Executor {
  readonly #memory: MemoryManager;
  readonly #attempts: AttemptMemory;
  readonly #runner: TaskRunner;
  #sliceStart = performance.now();

  constructor(memory: MemoryManager, attempts: AttemptMemory, abortBoard: Int32Array) {
    this.#memory = memory;
    this.#attempts = attempts;
    this.#runner = new TaskRunner(abortBoard);
  }

  run(message: TaskMessage): Promise<TaskOutcome> {
    return this.#runner.run(
      message,
      {
        views: this.#memory.views,
        allocator: this.#attempts.allocatorOf(message.attemptId),
        live: () => this.#attempts.live(message.attemptId),
      },
      {
        step: message.functions.length === 0 ? (body) => body() : runGuarded,
        pause: () => this.#pause(),
      },
    );
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #pause(): Promise<void> | undefined {
    if (performance.now() - this.#sliceStart < SLICE_MS) return undefined;
    return setImmediate().then(() => {
      this.#sliceStart = performance.now();
    });
  }
}
