/**
 * What a user's function threw → a `UserFunctionError` that says where, with the original message first, the original
 * stack and the original as cause. Anything can be thrown, also values that throw when they are looked at; nothing here
 * may fail on them.
 */
import { types } from 'node:util';
import { FunctionError, UserFunctionError } from '../../errors.js';

/** Where a user's function ran. */
export interface TaskPlace {
  /** As the user called it: `map`, `reduceByKey`, … */
  readonly operation: string;
  readonly stage: number;
  readonly partition: number;
}

/**
 * The error that a job fails with. Message: the original one, then operation, stage and partition. Stack: the original
 * frames. `cause`: what was thrown. `details`: operation, stage, partition, and the original's name as `thrown`.
 * Errors of this kind that have their place already are returned as they are.
 */
export function userFunctionError(thrown: unknown, where: TaskPlace): UserFunctionError {
  if (thrown instanceof UserFunctionError && 'stage' in thrown.details) return thrown;
  const original = thrown instanceof UserFunctionError ? thrown.cause : thrown;
  const { name, message, frames } = look(thrown);
  const error = new UserFunctionError(
    `${message} (in ${where.operation}, stage ${where.stage}, partition ${where.partition})`,
    { operation: where.operation, stage: where.stage, partition: where.partition, thrown: name },
    original === undefined ? undefined : { cause: original },
  );
  if (frames !== undefined) error.stack = `${error.name}: ${error.message}\n${frames}`;
  return error;
}

/**
 * Refuses a promise (or anything with a `then` method) that a user's function returned: nothing waits for it, and in
 * `filter` it would count as true. Two type tests for other values.
 * @throws FunctionError
 */
export function assertNotPromise(value: unknown, operation: string): void {
  if (typeof value !== 'object' || value === null || !('then' in value) || typeof value.then !== 'function')
    return;
  if (types.isPromise(value)) {
    // Its rejection would end the thread as unhandled; the error below already fails the job.
    value.catch(() => undefined);
  }
  throw new FunctionError(
    `${operation}: the function returned a promise. Tasks are synchronous: return the value itself; await what it needs ` +
      `before the job starts, and pass that as environment`,
    { operation },
  );
}

function look(thrown: unknown): { name: string; message: string; frames: string | undefined } {
  try {
    if (!(thrown instanceof Error)) {
      return {
        name: typeof thrown,
        message: `a value that is no Error was thrown: ${String(thrown)}`,
        frames: undefined,
      };
    }
    // Typed as text, but user code may have put anything there.
    const {
      name: givenName,
      message,
      stack,
    }: { name?: unknown; message?: unknown; stack?: unknown } = thrown;
    const name = String(givenName);
    return {
      name,
      message: String(message) || `${name} without a message`,
      frames: typeof stack === 'string' ? framesOf(stack) : undefined,
    };
  } catch {
    return { name: 'unknown', message: 'a value that cannot be read was thrown', frames: undefined };
  }
}

/** A stack without its heading, which may span lines. */
function framesOf(stack: string): string | undefined {
  const start = stack.search(/^ {4}at /m);
  return start < 0 ? undefined : stack.slice(start);
}
