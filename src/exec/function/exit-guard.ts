/**
 * On the driver, a user's `process.exit` would end the whole program in the middle of a job. Where inline attempts run, the
 * calls that end this process go through a guard: it refuses those that come from an attempt, and lets the program's own
 * through. The two are told apart by the asynchronous context (`AsyncLocalStorage`), which promises, timers and the
 * evaluation of a module inherit: so what an attempt only started is covered as well, and not what runs beside it.
 *
 * Hazards: a context belongs to whoever loads a module first. Not covered: a loop that never ends, exhausted memory, native
 * code.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { UserFunctionError } from '../../errors.js';
import type { TaskPlace } from './user-errors.js';

/** `process.exit` ends in `reallyExit`, which a program can also call itself. */
const ENDINGS = ['exit', 'reallyExit', 'abort'] as const;

/** What is replaced in `process`, from the first attempt until `close`. */
export class ExitGuard {
  readonly #scope = new AsyncLocalStorage<GuardedAttempt>();
  #restores: readonly (() => void)[] = [];

  /** Starts watching. */
  attempt(place: TaskPlace): GuardedAttempt {
    if (this.#restores.length === 0) this.#restores = this.#install();
    return new GuardedAttempt(this.#scope, place);
  }

  /** Puts back what was replaced; calls of attempts that are over are not watched any more. Again is harmless. */
  close(): void {
    for (const restore of this.#restores) restore();
    this.#restores = [];
    this.#scope.disable();
  }

  #install(): readonly (() => void)[] {
    const endings = ENDINGS.map((name) =>
      replace(name, (original) => (...args) => {
        const attempt = this.#scope.getStore();
        if (attempt === undefined) return original(...args);
        attempt.refuse(`process.${name}(${args.map(String).join(', ')})`);
        return undefined;
      }),
    );
    const kill = replace('kill', (original) => (pid, signal = 'SIGTERM') => {
      const attempt = this.#scope.getStore();
      if (attempt === undefined || !endsThisProcess(pid, signal)) return original(pid, signal);
      attempt.refuse(`process.kill(${String(pid)}, ${String(signal)})`);
      return true;
    });
    return [...endings, kill];
  }
}

/** One attempt's user code, from its imports to a turn of the event loop after its end. */
export class GuardedAttempt {
  readonly #scope: AsyncLocalStorage<GuardedAttempt>;
  readonly #place: TaskPlace;
  #refused: UserFunctionError | undefined;
  /** Whether a call can be answered by throwing: in what only was started, nobody would catch it. */
  #throws = false;
  #over = false;

  constructor(scope: AsyncLocalStorage<GuardedAttempt>, place: TaskPlace) {
    this.#scope = scope;
    this.#place = place;
  }

  /** Loads modules: the calls of their top level throw. @throws what `body` rejects with; UserFunctionError */
  async load(body: () => Promise<void>): Promise<void> {
    this.#throws = true;
    try {
      await this.#scope.run(this, body);
    } finally {
      this.#throws = false;
    }
    if (this.#refused !== undefined) throw this.#refused;
  }

  /**
   * Runs `body`, and returns what it returns. `process.exitCode` is as before afterwards.
   * @throws UserFunctionError when `body`, or what it started before, called `process.exit`, `process.reallyExit` or
   * `process.abort`, or sent a signal to this process with `process.kill` (signal 0, which only asks, is let through),
   * even if it caught the error. What `body` throws otherwise is passed on.
   */
  step<T>(body: () => T): T {
    const exitCode = process.exitCode;
    this.#throws = true;
    let result: T;
    try {
      result = this.#scope.run(this, body);
    } finally {
      this.#throws = false;
      process.exitCode = exitCode;
    }
    if (this.#refused !== undefined) throw this.#refused;
    return result;
  }

  /**
   * Lets microtasks that the attempt started have their turn. Returns the first refused call, if any; later ones (of a
   * timer, say) throw where they are made.
   */
  async settle(): Promise<UserFunctionError | undefined> {
    await setImmediate();
    this.#over = true;
    return this.#refused;
  }

  /** Notes the call, to fail the attempt. @throws UserFunctionError where it can be caught, or the attempt is over */
  refuse(call: string): void {
    const { operation, stage, partition } = this.#place;
    const error = new UserFunctionError(
      `${call} was called by a user function (in ${operation}, stage ${stage}, partition ${partition}). ` +
        "Throw an error to fail the job; the process is not the function's to end",
      { call, operation, stage, partition },
    );
    this.#refused ??= error;
    if (this.#throws || this.#over) throw error;
  }
}

type ProcessFunction = (...args: unknown[]) => unknown;

/** Puts another function under a name of `process`; returns what undoes it. */
function replace(name: string, make: (original: ProcessFunction) => ProcessFunction): () => void {
  const before = Object.getOwnPropertyDescriptor(process, name);
  const original: unknown = before?.value;
  // Undocumented names may be missing in a later Node.
  if (before === undefined || typeof original !== 'function') return () => undefined;
  const value = make((...args): unknown => Reflect.apply(original, process, args));
  Object.defineProperty(process, name, { value, configurable: true, writable: true, enumerable: true });
  return () => {
    // Whoever replaced it since calls ours, which then lets everything through.
    if (Object.getOwnPropertyDescriptor(process, name)?.value === value)
      Object.defineProperty(process, name, before);
  };
}

/** 0 and negative ids name process groups; this process's own is 0, and usually −pid. */
function endsThisProcess(pid: unknown, signal: unknown): boolean {
  return signal !== 0 && [process.pid, -process.pid, 0, -1].includes(Number(pid));
}
