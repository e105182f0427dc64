/** A time limit for one run, as an abort whose reason is the error to report. Must be cancelled: it keeps a timer. */
import { LimitError } from '../errors.js';

export interface Deadline {
  /** Aborts with a `LimitError` (`details.limit` is `deadline`); never, if there is no limit. */
  readonly signal: AbortSignal;
  cancel(): void;
}

/** Starts counting now. `seconds`: undefined for no limit. */
export function startDeadline(seconds: number | undefined): Deadline {
  const controller = new AbortController();
  const { signal } = controller;
  if (seconds === undefined) return { signal, cancel: () => undefined };
  const timer = setTimeout(() => {
    const details = { limit: 'deadline', value: seconds };
    controller.abort(
      new LimitError(`stopped at the deadline of ${seconds} s; raise it with --deadline`, details),
    );
  }, seconds * 1000);
  return {
    signal,
    cancel: () => {
      clearTimeout(timer);
    },
  };
}
