/**
 * A thread's line to the driver's memory manager. Tasks are synchronous, so a request is posted and the thread sleeps on a
 * word of shared memory until the driver has replied; only the driver allocates. A round trip costs some tens of
 * microseconds: tasks ask a few times, for whole blocks.
 */
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { fromErrorData, StateError } from '../errors.js';
import { rangeKey, type Allocator, type Range, type SharedMemory } from '../memory/range.js';
import type { LineReply, LineRequest } from './messages.js';

export class ThreadLine implements Allocator {
  readonly #port: MessagePort;
  readonly #control: Int32Array;
  #attemptId = -1;
  #live = new Map<string, Range>();

  constructor(port: MessagePort, control: Int32Array) {
    this.#port = port;
    this.#control = control;
  }

  /** Allocations from now on belong to this attempt. */
  begin(attemptId: number): void {
    this.#attemptId = attemptId;
    this.#live = new Map();
  }

  /** Ranges that the attempt allocated and did not release. */
  live(): readonly Range[] {
    return [...this.#live.values()];
  }

  allocate(sizeBytes: number): Range {
    const reply = this.#ask({ kind: 'allocate', attemptId: this.#attemptId, sizeBytes });
    if (reply.kind !== 'range') throw new StateError(`the driver replied ${reply.kind} to an allocation`);
    this.#live.set(rangeKey(reply.range), reply.range);
    return reply.range;
  }

  release(range: Range): void {
    this.#live.delete(rangeKey(range));
    this.#port.postMessage({ kind: 'release', attemptId: this.#attemptId, range } satisfies LineRequest);
  }

  /** Takes effect when the attempt ends. */
  trim(range: Range, sizeBytes: number): Range {
    const trimmed = { ...range, length: Math.min(range.length, sizeBytes) };
    this.#live.set(rangeKey(range), trimmed);
    return trimmed;
  }

  /** An arena that this thread meets for the first time. */
  arena(arenaId: number): SharedMemory | undefined {
    const reply = this.#ask({ kind: 'arena', arenaId });
    return reply.kind === 'arena' ? reply.memory : undefined;
  }

  #ask(request: LineRequest): LineReply {
    const seen = Atomics.load(this.#control, 0);
    this.#port.postMessage(request);
    while (Atomics.load(this.#control, 0) === seen) Atomics.wait(this.#control, 0, seen);
    const received = receiveMessageOnPort(this.#port);
    if (received === undefined) throw new StateError('the driver announced a reply but sent none');
    const reply = received.message as LineReply;
    if (reply.kind === 'error') throw fromErrorData(reply.error);
    return reply;
  }
}
