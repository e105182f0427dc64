/**
 * What crosses between the driver and a thread: shapes only. Data itself crosses in shared arenas; these messages carry
 * references, plain arguments, and memory to be given or taken.
 */
import type { MessagePort } from 'node:worker_threads';
import type { ErrorData } from '../errors.js';
import type { Range, SharedMemory } from '../memory/range.js';
import type { ShippedFunction } from '../plan/shipped-function.js';

/** One attempt at a task. */
export interface TaskMessage {
  readonly attemptId: number;
  readonly url: string;
  readonly exportName: string;
  readonly args: unknown;
  readonly functions: readonly ShippedFunction[];
  readonly imports: readonly string[];
  readonly stageId: number;
  readonly partition: number;
  /** Index of the job's word in the abort board; nonzero there means: stop at the next yield. */
  readonly abortSlot: number;
}

export type TaskOutcome =
  /** `live`: ranges that the task allocated and did not release. */
  | { readonly kind: 'done'; readonly value: unknown; readonly live: readonly Range[] }
  | { readonly kind: 'failed'; readonly error: ErrorData }
  | { readonly kind: 'aborted' };

/** First message of a thread: its line to the driver's memory, used synchronously by the thread. */
export interface ThreadHello {
  readonly type: 'rejoin-thread';
  readonly threadId: number;
  readonly port: MessagePort;
  /** One Int32: counts replies, and is what the thread waits on. */
  readonly control: SharedArrayBuffer;
}

export type LineRequest =
  | { readonly kind: 'allocate'; readonly attemptId: number; readonly sizeBytes: number }
  /** Not replied to. */
  | { readonly kind: 'release'; readonly attemptId: number; readonly range: Range }
  | { readonly kind: 'arena'; readonly arenaId: number };

export type LineReply =
  | { readonly kind: 'range'; readonly range: Range }
  | { readonly kind: 'arena'; readonly memory: SharedMemory | undefined }
  | { readonly kind: 'error'; readonly error: ErrorData };

/** What every thread of a pool is started with. */
export interface ThreadData {
  readonly rejoinThread: true;
  readonly abortBoard: SharedArrayBuffer;
}
