/**
 * The process-wide pool of arenas: shared WebAssembly memories. Dropped shared memory comes back to the system late or
 * never (300 dropped memories of 16 MiB reached 4.8 GB), so a closed context's arenas are kept here for the next one.
 * This is the package's only module-level mutable state.
 */

import { MemoryBudgetError } from '../errors.js';
import type { SharedMemory } from './range.js';

/** The platform's WebAssembly, of which the compiler's libraries without a browser's know nothing. */
const { Memory } = (
  globalThis as unknown as {
    WebAssembly: { Memory: new (limits: { initial: number; maximum: number; shared: true }) => SharedMemory };
  }
).WebAssembly;

/** Bytes of a WebAssembly page. */
export const PAGE_BYTES = 65_536;
/** An arena's largest size, in pages: 4 GiB, what a 32-bit address reaches. */
const MAXIMUM_PAGES = 65_536;

export interface Arena {
  readonly id: number;
  readonly memory: SharedMemory;
}

const idle: Arena[] = [];
let nextId = 1;

/** An idle arena if there is one, the largest first, else a new one of a single page. Its bytes are not zeroed. */
export function acquireArena(): Arena {
  const pooled = idle.pop();
  if (pooled !== undefined) return pooled;
  try {
    const memory = new Memory({ initial: 1, maximum: MAXIMUM_PAGES, shared: true });
    return { id: nextId++, memory };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new MemoryBudgetError(
      'the system gave no address space for shared memory (4 GiB, touched only as needed); raise the limit (ulimit -v)',
    );
  }
}

/** Gives an arena to the pool. No thread may touch it afterwards. */
export function releaseArena(arena: Arena): void {
  idle.push(arena);
  idle.sort((a, b) => a.memory.buffer.byteLength - b.memory.buffer.byteLength);
}
