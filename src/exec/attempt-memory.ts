/**
 * The driver's side of what tasks allocate: every range belongs to an attempt until the attempt ends. A finished attempt
 * hands its ranges to whoever ran the stage; a failed one gives them back, once its thread has ended or acknowledged.
 */
import { toErrorData } from '../errors.js';
import type { MemoryManager } from '../memory/memory-manager.js';
import { rangeKey, type Allocator, type Range } from '../memory/range.js';
import type { LineReply, LineRequest, ThreadHello } from './messages.js';

export class AttemptMemory {
  readonly #memory: MemoryManager;
  readonly #attempts = new Map<number, Map<string, Range>>();

  constructor(memory: MemoryManager) {
    this.#memory = memory;
  }

  begin(attemptId: number): void {
    this.#attempts.set(attemptId, new Map());
  }

  /** The attempt's allocator for a task that runs on the driver itself. */
  allocatorOf(attemptId: number): Allocator {
    return {
      allocate: (sizeBytes) => this.#allocate(attemptId, sizeBytes),
      release: (range) => {
        this.#release(attemptId, range);
      },
      trim: (range, sizeBytes) => {
        const trimmed = this.#memory.trim(range, sizeBytes);
        this.#attempts.get(attemptId)?.set(rangeKey(range), trimmed);
        return trimmed;
      },
    };
  }

  /** Ends a finished attempt: its live ranges now belong to the caller, the others are released. */
  finish(attemptId: number, live: readonly Range[]): readonly Range[] {
    const held = this.#attempts.get(attemptId) ?? new Map<string, Range>();
    this.#attempts.delete(attemptId);
    const kept: Range[] = [];
    for (const range of live) {
      const taken = held.get(rangeKey(range));
      if (taken === undefined) continue;
      held.delete(rangeKey(range));
      kept.push(range.length < taken.length ? this.#memory.trim(taken, range.length) : range);
    }
    for (const range of held.values()) this.#memory.release(range);
    return kept;
  }

  /** Ends a failed attempt: everything goes back. Its thread must have ended or acknowledged. */
  discard(attemptId: number): void {
    this.finish(attemptId, []);
  }

  /** The ranges that an attempt holds now. */
  live(attemptId: number): readonly Range[] {
    return [...(this.#attempts.get(attemptId)?.values() ?? [])];
  }

  /** Serves a thread's requests until its port closes. */
  serve(hello: ThreadHello): void {
    const control = new Int32Array(hello.control);
    const reply = (message: LineReply): void => {
      hello.port.postMessage(message);
      Atomics.add(control, 0, 1);
      Atomics.notify(control, 0);
    };
    hello.port.on('message', (request: LineRequest) => {
      if (request.kind === 'release') {
        this.#release(request.attemptId, request.range);
        return;
      }
      try {
        reply(
          request.kind === 'allocate'
            ? { kind: 'range', range: this.#allocate(request.attemptId, request.sizeBytes) }
            : { kind: 'arena', memory: this.#memory.arena(request.arenaId) },
        );
      } catch (error) {
        reply({ kind: 'error', error: toErrorData(error) });
      }
    });
    hello.port.unref();
  }

  #allocate(attemptId: number, sizeBytes: number): Range {
    const range = this.#memory.allocate(sizeBytes);
    const held = this.#attempts.get(attemptId);
    if (held === undefined) {
      this.#memory.release(range);
      throw new Error(`attempt ${attemptId} has ended and cannot allocate`);
    }
    held.set(rangeKey(range), range);
    return range;
  }

  /** A release that arrives after its attempt has ended is void: the range was dealt with then. */
  #release(attemptId: number, range: Range): void {
    if (this.#attempts.get(attemptId)?.delete(rangeKey(range)) === true) this.#memory.release(range);
  }
}
