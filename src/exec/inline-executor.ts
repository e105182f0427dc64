/**
 * Runs attempts on the driver's own thread, in slices: after `SLICE_MS` of work the event loop turns, so that abort
 * signals and progress get through. A user's `process.exit` becomes an error. What cannot be helped here: a user function
 * that never returns, and exhausted memory.
 */
import { setImmediate } from 'node:timers/promises';
import { toErrorData } from '../errors.js';
import type { MemoryManager } from '../memory/memory-manager.js';
import type { AttemptMemory } from './attempt-memory.js';
import type { Executor } from './executor.js';
import { ExitGuard } from './function/exit-guard.js';
import type { TaskMessage, TaskOutcome } from './messages.js';
import { TaskRunner, type InlineTurns } from './task-runner.js';

/** Milliseconds; DESIGN promises a turn of the loop at least every 20. */
const SLICE_MS = 10;

export class InlineExecutor implements Executor {
  readonly #memory: MemoryManager;
  readonly #attempts: AttemptMemory;
  readonly #runner: TaskRunner;
  readonly #guard = new ExitGuard();
  #sliceStart = performance.now();

  constructor(memory: MemoryManager, attempts: AttemptMemory, abortBoard: Int32Array) {
    this.#memory = memory;
    this.#attempts = attempts;
    this.#runner = new TaskRunner(abortBoard);
  }

  run(message: TaskMessage): Promise<TaskOutcome> {
    if (message.functions.length > 0) return this.#runGuarded(message);
    return this.#run(message, { load: (body) => body(), step: (body) => body() });
  }

  close(): Promise<void> {
    this.#guard.close();
    return Promise.resolve();
  }

  async #runGuarded(message: TaskMessage): Promise<TaskOutcome> {
    const { functions, stageId, partition } = message;
    const operation = [...new Set(functions.map((fn) => fn.operation))].join(' or ');
    const attempt = this.#guard.attempt({ operation, stage: stageId, partition });
    const outcome = await this.#run(message, {
      load: (body) => attempt.load(body),
      step: (body) => attempt.step(body),
    });
    const refused = await attempt.settle();
    if (refused === undefined || outcome.kind === 'failed') return outcome;
    return { kind: 'failed', error: toErrorData(refused) };
  }

  #run(message: TaskMessage, turns: Omit<InlineTurns, 'pause'>): Promise<TaskOutcome> {
    const memory = {
      views: this.#memory.views,
      allocator: this.#attempts.allocatorOf(message.attemptId),
      live: () => this.#attempts.live(message.attemptId),
    };
    return this.#runner.run(message, memory, { ...turns, pause: () => this.#pause() });
  }

  #pause(): Promise<void> | undefined {
    if (performance.now() - this.#sliceStart < SLICE_MS) return undefined;
    return setImmediate().then(() => {
      this.#sliceStart = performance.now();
    });
  }
}
