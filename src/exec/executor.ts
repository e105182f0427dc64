/**
 * Where attempts run: on the driver, or on a pool of threads. One interface, two rooms.
 */
import type { TaskMessage, TaskOutcome } from './messages.js';

/** The thread of an attempt ended under it; everything that it could still touch has been left alone since. */
export interface LostOutcome {
  readonly kind: 'lost';
  readonly reason: string;
}

export interface Executor {
  /** Never rejects. Settles only when the attempt can no longer touch shared memory. */
  run(message: TaskMessage): Promise<TaskOutcome | LostOutcome>;
  /** Ends what still runs, by force. */
  close(): Promise<void>;
}
