/**
 * Runs one attempt at a task on the thread it is called on. A task is a generator that yields between batches of work:
 * at each yield the abort word is looked at, and on the driver (inline) the event loop gets its turn.
 */
import { toErrorData, FunctionError, type ErrorData } from '../errors.js';
import type { MemoryViews } from '../memory/memory-views.js';
import type { Allocator, Range } from '../memory/range.js';
import type { ShippedFunction } from '../plan/shipped-function.js';
import { FunctionCache } from './function/compile-function.js';
import type { TaskMessage, TaskOutcome } from './messages.js';

/** What a task may use. */
export interface TaskContext {
  readonly views: MemoryViews;
  /** Ranges that are allocated and not released become part of the task's result. */
  readonly allocator: Allocator;
  readonly stageId: number;
  readonly partition: number;
  /** A user's function of this task, compiled for this thread. */
  compiled(fn: ShippedFunction): (...args: never[]) => unknown;
  /** An exported function of one of the task's `imports`. */
  imported(url: string, exportName: string): (...args: never[]) => unknown;
}

/** How an attempt runs beside the driver's own work. */
export interface InlineTurns {
  load(body: () => Promise<void>): Promise<void>;
  /** Runs the task to its next yield. */
  step<T>(body: () => T): T;
  /** Awaited after each step where it is given. */
  pause(): Promise<void> | undefined;
}

/** A task: yields at least every few milliseconds of work, returns structured-clonable data. */
type TaskFunction = (args: never, context: TaskContext) => Generator<void, unknown>;

/** Milliseconds: how late an abort is noticed while modules load. */
const ABORT_POLL_MS = 20;

type Module = Readonly<Record<string, unknown>>;

export class TaskRunner {
  readonly #functions = new FunctionCache();
  readonly #modules = new Map<string, Module>();
  readonly #abortBoard: Int32Array;

  constructor(abortBoard: Int32Array) {
    this.#abortBoard = abortBoard;
  }

  /** Never rejects: what is thrown becomes a `failed` outcome. */
  async run(
    message: TaskMessage,
    memory: { readonly views: MemoryViews; readonly allocator: Allocator; live(): readonly Range[] },
    inline?: InlineTurns,
  ): Promise<TaskOutcome> {
    try {
      const load = (): Promise<void> => this.#load(message);
      await this.#unlessAborted(message.abortSlot, inline === undefined ? load() : inline.load(load));
      if (this.#isAborted(message.abortSlot)) return { kind: 'aborted' };
      const task = this.#imported(message.url, message.exportName) as TaskFunction;
      const body = task(message.args as never, {
        views: memory.views,
        allocator: memory.allocator,
        stageId: message.stageId,
        partition: message.partition,
        compiled: (fn) => this.#functions.get(fn),
        imported: (url, exportName) => this.#imported(url, exportName),
      });
      for (;;) {
        if (this.#isAborted(message.abortSlot)) {
          body.return(undefined);
          return { kind: 'aborted' };
        }
        const step = inline === undefined ? body.next() : inline.step(() => body.next());
        if (step.done === true) return { kind: 'done', value: step.value, live: memory.live() };
        const pause = inline?.pause();
        if (pause !== undefined) await pause;
      }
    } catch (error) {
      return { kind: 'failed', error: asData(error) };
    }
  }

  async #load(message: TaskMessage): Promise<void> {
    for (const url of [message.url, ...message.imports]) {
      if (!this.#modules.has(url)) this.#modules.set(url, (await import(url)) as Module);
    }
    await this.#functions.load(message.functions);
  }

  /** Waits for the modules, which may never come, or for the job's end. */
  async #unlessAborted(abortSlot: number, loading: Promise<void>): Promise<void> {
    let poll: NodeJS.Timeout | undefined;
    const aborted = new Promise<void>((resolve) => {
      poll = setInterval(() => {
        if (this.#isAborted(abortSlot)) resolve();
      }, ABORT_POLL_MS).unref();
    });
    try {
      await Promise.race([loading, aborted]);
    } finally {
      clearInterval(poll);
    }
  }

  #isAborted(abortSlot: number): boolean {
    return Atomics.load(this.#abortBoard, abortSlot) !== 0;
  }

  #imported(url: string, exportName: string): (...args: never[]) => unknown {
    const value = this.#modules.get(url)?.[exportName];
    if (typeof value !== 'function') throw new FunctionError(`${url} has no exported function ${exportName}`);
    return value as (...args: never[]) => unknown;
  }
}

/** An error whose own accessors throw must not take the thread down. */
function asData(error: unknown): ErrorData {
  try {
    return toErrorData(error);
  } catch {
    const message = 'an error that cannot be read was thrown';
    return {
      name: 'Error',
      message,
      stack: undefined,
      code: undefined,
      details: undefined,
      cause: undefined,
    };
  }
}
