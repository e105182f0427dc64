/**
 * What a run ends with: the exit code and the one line that says why. 0 done, 1 failed, 2 wrong usage, 3 stopped at a
 * limit that the user can raise; 128 + n after signal n, as shells count.
 *
 * Hazard: a closed pipe (`| head`) is no failure. Stacks are for `--debug` only.
 */
import { LimitError, MemoryBudgetError, OptionError, RejoinError } from '../errors.js';

export const EXIT_CODES = { done: 0, failed: 1, usage: 2, limit: 3 } as const;

/** Signals that stop a run in an orderly way → exit code. */
export const SIGNAL_EXIT_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
export type StopSignal = keyof typeof SIGNAL_EXIT_CODES;

/** Options that go together in a way that no single option's check can see; exit code 2. */
export class UsageError extends OptionError {}

/** A comparison whose strategies do not agree: a bug in Rejoin, never the user's. */
export class DisagreementError extends RejoinError {
  constructor(message: string) {
    super('ERR_REJOIN_DISAGREEMENT', message);
  }
}

/** A limit that ended a run, as `compare` reports it; each is named after the option that raises it. */
export type Limit = 'deadline' | 'max-pairs' | 'memory';

/** Which limit an error speaks of; undefined for errors that are none. */
export function limitOf(error: unknown): Limit | undefined {
  if (error instanceof MemoryBudgetError) return 'memory';
  if (error instanceof LimitError) return error.details['limit'] === 'deadline' ? 'deadline' : 'max-pairs';
  return undefined;
}

/** The exit code for an error that ended a command. */
export function exitCodeOf(error: unknown): number {
  if (isClosedPipe(error)) return EXIT_CODES.done;
  if (limitOf(error) !== undefined) return EXIT_CODES.limit;
  return error instanceof OptionError ? EXIT_CODES.usage : EXIT_CODES.failed;
}

/** True for a write to a pipe whose reader has gone. */
export function isClosedPipe(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED')
  );
}

/**
 * The text for standard error, with its newline: `rejoin: ` and the message; with `debug` the stack and the chain of
 * causes.
 */
export function describeError(error: unknown, debug: boolean): string {
  if (!(error instanceof Error)) return `rejoin: ${String(error)}\n`;
  if (!debug) return `rejoin: ${adviceFor(error)}\n`;
  const lines = [`rejoin: ${adviceFor(error)}`];
  const told = new Set<unknown>();
  let cause: unknown = error;
  while (cause instanceof Error && !told.has(cause)) {
    told.add(cause);
    lines.push(`${told.size === 1 ? '' : 'caused by '}${cause.stack ?? cause.message}`);
    cause = cause.cause;
  }
  return `${lines.join('\n')}\n`;
}

/** The message, and what to do unless it says so itself. */
function adviceFor(error: Error): string {
  if (limitOf(error) === 'max-pairs' && !error.message.includes('--max-pairs')) {
    return `${error.message} (raise the limit with --max-pairs)`;
  }
  if (error instanceof RejoinError) return error.message;
  return `${error.message} (unexpected; --debug shows where)`;
}
