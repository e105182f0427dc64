/** Words of shared memory by which jobs are told to stop: one a job, looked at by every task at its yields. */
import { StateError } from '../errors.js';

/** Jobs that may be open at once in one context: a quarter of a megabyte of words. */
const SLOTS = 65_536;

export class AbortBoard {
  readonly words = new Int32Array(new SharedArrayBuffer(SLOTS * 4));
  readonly #free = Array.from({ length: SLOTS }, (_, slot) => SLOTS - 1 - slot);

  /** @throws StateError when 65,536 jobs are open already. */
  take(): number {
    const slot = this.#free.pop();
    if (slot === undefined)
      throw new StateError(
        `${SLOTS} jobs are open at once in this context; await some, and end iterators with return()`,
      );
    return slot;
  }

  raise(slot: number): void {
    Atomics.store(this.words, slot, 1);
  }

  /** No task of the job may run any more. */
  give(slot: number): void {
    Atomics.store(this.words, slot, 0);
    this.#free.push(slot);
  }
}
