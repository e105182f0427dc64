/**
 * Every error that Rejoin throws on purpose. Each has a stable `code`, a message that says what happened, with which
 * value, and what to do, and `details`: the ids needed to act. Errors cross the thread border as data
 * (`toErrorData`) and are rebuilt on the driver (`fromErrorData`), the worker's stack kept.
 */

export type ErrorDetails = Readonly<Record<string, string | number | boolean | null>>;

/** Base of all errors of this package. `code` is stable across versions; messages may change. */
export class RejoinError extends Error {
  override readonly name: string = 'RejoinError';
  constructor(
    readonly code: string,
    message: string,
    readonly details: ErrorDetails = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** An option or argument that is not of the documented form. */
export class OptionError extends RejoinError {
  override readonly name = 'OptionError';
  constructor(message: string, details: ErrorDetails = {}) {
    super('ERR_REJOIN_OPTION', message, details);
  }
}

/** Input that cannot be read: a missing file, a malformed line, bytes that are not UTF-8. `details`: file, line. */
export class InputError extends RejoinError {
  override readonly name = 'InputError';
  constructor(message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super('ERR_REJOIN_INPUT', message, details, options);
  }
}

/** A value that cannot be a key, or a row that cannot be stored as columns. */
export class ValueError extends RejoinError {
  override readonly name = 'ValueError';
  constructor(message: string, details: ErrorDetails = {}) {
    super('ERR_REJOIN_VALUE', message, details);
  }
}

/** A function that cannot be shipped to the worker threads; thrown on the driver, at the call. */
export class FunctionError extends RejoinError {
  override readonly name = 'FunctionError';
  constructor(message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super('ERR_REJOIN_FUNCTION', message, details, options);
  }
}

/** A user's function threw in a task. Its own message and stack are kept; `cause` is what was thrown. Never retried. */
export class UserFunctionError extends RejoinError {
  override readonly name = 'UserFunctionError';
  constructor(message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super('ERR_REJOIN_USER_FUNCTION', message, details, options);
  }
}

/** The context's memory budget does not allow an allocation. `details`: requestedBytes, usedBytes, budgetBytes. */
export class MemoryBudgetError extends RejoinError {
  override readonly name = 'MemoryBudgetError';
  constructor(message: string, details: ErrorDetails = {}) {
    super('ERR_REJOIN_MEMORY', message, details);
  }
}

/** A task lost its thread on every attempt. `details`: stage, partition, attempts. */
export class TaskLostError extends RejoinError {
  override readonly name = 'TaskLostError';
  constructor(message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super('ERR_REJOIN_TASK_LOST', message, details, options);
  }
}

/** A run was stopped at a limit that the caller set. `details`: limit, value. */
export class LimitError extends RejoinError {
  override readonly name = 'LimitError';
  constructor(message: string, details: ErrorDetails = {}) {
    super('ERR_REJOIN_LIMIT', message, details);
  }
}

/** The context was closed, or something was asked for that the object's state does not allow (a report before a run). */
export class StateError extends RejoinError {
  override readonly name = 'StateError';
  constructor(message: string, details: ErrorDetails = {}) {
    super('ERR_REJOIN_STATE', message, details);
  }
}

/** Bytes that are not a filter of this version, or are damaged. */
export class FormatError extends RejoinError {
  override readonly name = 'FormatError';
  constructor(message: string, details: ErrorDetails = {}) {
    super('ERR_REJOIN_FORMAT', message, details);
  }
}

const rebuild: Readonly<
  Record<string, new (message: string, details: ErrorDetails, options?: ErrorOptions) => RejoinError>
> = {
  OptionError,
  InputError,
  ValueError,
  FunctionError,
  UserFunctionError,
  MemoryBudgetError,
  TaskLostError,
  LimitError,
  StateError,
  FormatError,
};

/** An error as structured-clonable data. */
export interface ErrorData {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: string | undefined;
  readonly details: ErrorDetails | undefined;
  readonly cause: ErrorData | undefined;
}

/** Causes of causes that cross; a chain may be cyclic. */
const MAX_CAUSES = 8;

/** Anything thrown → data that survives `postMessage`. Values that are not errors keep their text. */
export function toErrorData(thrown: unknown, maxCauses = MAX_CAUSES): ErrorData {
  if (!(thrown instanceof Error)) {
    const message = describeThrown(thrown);
    return {
      name: 'Error',
      message,
      stack: undefined,
      code: undefined,
      details: undefined,
      cause: undefined,
    };
  }
  const code: unknown = 'code' in thrown ? thrown.code : undefined;
  return {
    name: textOf(thrown.name),
    message: textOf(thrown.message),
    stack: thrown.stack === undefined ? undefined : textOf(thrown.stack),
    code: typeof code === 'string' ? code : undefined,
    details: thrown instanceof RejoinError ? thrown.details : undefined,
    cause:
      thrown.cause === undefined || maxCauses === 0 ? undefined : toErrorData(thrown.cause, maxCauses - 1),
  };
}

/** The inverse of `toErrorData`: own classes are rebuilt, foreign ones become `Error` with the original name. */
export function fromErrorData(data: ErrorData): Error {
  const options = data.cause === undefined ? undefined : { cause: fromErrorData(data.cause) };
  const known = Object.hasOwn(rebuild, data.name) ? rebuild[data.name] : undefined;
  const error =
    known === undefined
      ? new Error(data.message, options)
      : new known(data.message, data.details ?? {}, options);
  if (known === undefined) Object.defineProperty(error, 'name', { value: data.name, configurable: true });
  if (data.stack !== undefined) error.stack = data.stack;
  return error;
}

/** Users' errors may carry anything in their fields. */
function textOf(field: unknown): string {
  return typeof field === 'string' ? field : describeThrown(field);
}

function describeThrown(thrown: unknown): string {
  try {
    return `thrown value: ${String(thrown)}`;
  } catch {
    return 'thrown value without a text form';
  }
}
