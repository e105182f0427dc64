/**
 * On the driver, a user's `process.exit` would end the whole program in the middle of a job. While a guarded body runs,
 * the calls that end this process are replaced by ones that throw. A user's `catch` around them does not help: the guard
 * throws when the body has returned. Bodies are synchronous; nothing is guarded between them. Not covered: a loop that
 * never ends, exhausted memory, native code, and what runs outside the call: a microtask, or the body of a module.
 */
import { UserFunctionError } from '../../errors.js';

/** `process.exit` ends in `reallyExit`, which a program can also call itself. */
const ENDINGS = ['exit', 'reallyExit', 'abort'] as const;

/**
 * Runs `body`, and returns what it returns. Calls may be nested. `process.exitCode` is as before afterwards.
 * @throws UserFunctionError when `body` called `process.exit`, `process.reallyExit` or `process.abort`, or sent a
 * signal to this process with `process.kill` (signal 0, which only asks, is let through). What `body` throws otherwise
 * is passed on.
 */
export function runGuarded<T>(body: () => T): T {
  let attempt: UserFunctionError | undefined;
  const refuse = (call: string): never => {
    attempt = new UserFunctionError(
      `${call} was called in a user function. Throw an error to fail the job; the process is not the function's to end`,
      { call },
    );
    throw attempt;
  };
  const restores = ENDINGS.map((name) =>
    replace(
      name,
      () =>
        (...args) =>
          refuse(`process.${name}(${args.map(String).join(', ')})`),
    ),
  );
  restores.push(
    replace('kill', (kill) => (pid, signal = 'SIGTERM') => {
      if (endsThisProcess(pid, signal)) refuse(`process.kill(${String(pid)}, ${String(signal)})`);
      return kill(pid, signal);
    }),
  );
  const exitCode = process.exitCode;
  let result: T;
  try {
    result = body();
  } finally {
    for (const restore of restores) restore();
    process.exitCode = exitCode;
  }
  if (attempt !== undefined) throw attempt;
  return result;
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
    Object.defineProperty(process, name, before);
  };
}

/** 0 and negative ids name process groups; this process's own is 0, and usually −pid. */
function endsThisProcess(pid: unknown, signal: unknown): boolean {
  return signal !== 0 && [process.pid, -process.pid, 0, -1].includes(Number(pid));
}
