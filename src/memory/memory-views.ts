/**
 * One thread's typed-array views of arenas. A shared memory that has grown keeps its old `buffer` at the old length, so
 * views are made from the current one at every call: never keep a view across an allocation by someone else.
 */
import { StateError } from '../errors.js';
import type { Range, SharedMemory } from './range.js';

export class MemoryViews {
  readonly #memories = new Map<number, SharedMemory>();
  readonly #resolve: (arenaId: number) => SharedMemory | undefined;

  /** `resolve` fetches an arena that this thread meets for the first time. */
  constructor(resolve: (arenaId: number) => SharedMemory | undefined = () => undefined) {
    this.#resolve = resolve;
  }

  /** Makes an arena's memory known to this thread; again for the same id is harmless. */
  add(arenaId: number, memory: SharedMemory): void {
    this.#memories.set(arenaId, memory);
  }

  #buffer(range: Range): SharedArrayBuffer {
    let memory = this.#memories.get(range.arenaId);
    if (memory === undefined) {
      memory = this.#resolve(range.arenaId);
      if (memory === undefined) {
        throw new StateError(`arena ${range.arenaId} is not known on this thread`, {
          arenaId: range.arenaId,
        });
      }
      this.#memories.set(range.arenaId, memory);
    }
    return memory.buffer;
  }

  /** The range's bytes, a shared view. */
  bytes(range: Range): Uint8Array {
    return new Uint8Array(this.#buffer(range), range.offset, range.length);
  }

  /** The same as a Buffer, for UTF-8 text. */
  buffer(range: Range): Buffer {
    return Buffer.from(this.#buffer(range), range.offset, range.length);
  }

  /** The range as u32, ⌊length / 4⌋ elements. `range.offset` must be a multiple of 4. */
  u32(range: Range): Uint32Array {
    return new Uint32Array(this.#buffer(range), range.offset, Math.floor(range.length / 4));
  }

  /** The range as f64, ⌊length / 8⌋ elements. `range.offset` must be a multiple of 8. */
  f64(range: Range): Float64Array {
    return new Float64Array(this.#buffer(range), range.offset, Math.floor(range.length / 8));
  }
}
