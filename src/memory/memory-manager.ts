/**
 * A context's memory: allocates ranges in shared arenas, counts references, reuses what is released, and enforces the
 * budget. Lives on the driver only; tasks reach it through their executor. Garbage collection decides nothing.
 *
 * Hazard: a range may be released only when no thread can still touch it (its task acknowledged, or its thread ended).
 */
import { MemoryBudgetError, StateError } from '../errors.js';
import { acquireArena, PAGE_BYTES, releaseArena, type Arena } from './arena-pool.js';
import { FreeList } from './free-list.js';
import { MemoryViews } from './memory-views.js';
import { RANGE_ALIGNMENT, rangeKey, type Allocator, type Range, type SharedMemory } from './range.js';

/** Bytes at the start of an arena that are never given out: stray static data of a kernel must not hit a range. */
const RESERVED_BYTES = PAGE_BYTES;
/** Bytes: an arena grows by at least this much, so that small allocations do not each pay a system call. */
const GROWTH_BYTES = 4 * 1024 * 1024;
/** Bytes: the end of an arena. */
const ARENA_BYTES = 4 * 1024 ** 3;

interface OwnedArena {
  readonly arena: Arena;
  readonly free: FreeList;
  /** Bytes of the arena that were handed to the free list or a range so far. */
  end: number;
}

interface Holding {
  references: number;
  sizeBytes: number;
}

/** The largest number of bytes held since the watch began. */
export interface PeakWatch {
  readonly bytes: number;
  stop(): void;
}

export class MemoryManager implements Allocator {
  readonly views = new MemoryViews();
  readonly budgetBytes: number;
  /**
   * Called when the budget is short: may release ranges that can be computed again (retained shuffles) and says
   * whether it released any.
   */
  onPressure: (missingBytes: number) => boolean = () => false;

  readonly #arenas: OwnedArena[] = [];
  readonly #holdings = new Map<string, Holding>();
  readonly #watches = new Set<{ bytes: number }>();
  #usedBytes = 0;
  #peakBytes = 0;
  #closed = false;

  constructor(budgetBytes: number) {
    this.budgetBytes = budgetBytes;
  }

  /** Bytes in ranges that are held now, rounded up to the alignment. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** The largest `usedBytes` so far. */
  get peakBytes(): number {
    return this.#peakBytes;
  }

  /** Follows the largest `usedBytes` from now on, until stopped. */
  watchPeak(): PeakWatch {
    const watch = { bytes: this.#usedBytes, stop: () => void this.#watches.delete(watch) };
    this.#watches.add(watch);
    return watch;
  }

  /** Ranges that are held now; 0 after everything was released. */
  get rangeCount(): number {
    return this.#holdings.size;
  }

  /** The memory of one of this context's arenas. */
  arena(arenaId: number): SharedMemory | undefined {
    return this.#arenas.find(({ arena }) => arena.id === arenaId)?.arena.memory;
  }

  allocate(sizeBytes: number): Range {
    if (this.#closed) throw new StateError('the context is closed: no memory can be allocated');
    const rounded = roundUp(sizeBytes);
    while (this.#usedBytes + rounded > this.budgetBytes) {
      if (!this.onPressure(this.#usedBytes + rounded - this.budgetBytes)) {
        throw new MemoryBudgetError(
          `out of memory budget: ${formatBytes(sizeBytes)} asked for, ${formatBytes(this.#usedBytes)} of ` +
            `${formatBytes(this.budgetBytes)} in use; raise the budget (option memory, --memory) or unpersist cached data`,
          { requestedBytes: sizeBytes, usedBytes: this.#usedBytes, budgetBytes: this.budgetBytes },
        );
      }
    }
    const range = this.#place(sizeBytes, rounded);
    this.#holdings.set(rangeKey(range), { references: 1, sizeBytes: rounded });
    this.#usedBytes += rounded;
    this.#peakBytes = Math.max(this.#peakBytes, this.#usedBytes);
    for (const watch of this.#watches) watch.bytes = Math.max(watch.bytes, this.#usedBytes);
    return range;
  }

  /** One more holder of an allocated range: as many `release` calls free it. */
  retain(range: Range): void {
    this.#holding(range).references += 1;
  }

  /** One holder less; at zero the bytes may be reused at once. */
  release(range: Range): void {
    if (this.#closed) return;
    const holding = this.#holding(range);
    holding.references -= 1;
    if (holding.references > 0) return;
    this.#holdings.delete(rangeKey(range));
    this.#usedBytes -= holding.sizeBytes;
    const owner = this.#arenas.find(({ arena }) => arena.id === range.arenaId);
    owner?.free.give(range.offset, holding.sizeBytes);
  }

  trim(range: Range, sizeBytes: number): Range {
    const holding = this.#holding(range);
    const rounded = roundUp(sizeBytes);
    const excess = holding.sizeBytes - rounded;
    if (excess > 0) {
      holding.sizeBytes = rounded;
      this.#usedBytes -= excess;
      const owner = this.#arenas.find(({ arena }) => arena.id === range.arenaId);
      owner?.free.give(range.offset + rounded, excess);
    }
    return { ...range, length: Math.min(range.length, sizeBytes) };
  }

  /** Gives all arenas to the process-wide pool. No thread may touch them afterwards. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#holdings.clear();
    this.#usedBytes = 0;
    for (const { arena } of this.#arenas) releaseArena(arena);
    this.#arenas.length = 0;
  }

  #holding(range: Range): Holding {
    const holding = this.#holdings.get(rangeKey(range));
    if (holding === undefined) {
      throw new StateError(`range ${rangeKey(range)} is not held: released twice, or never allocated`);
    }
    return holding;
  }

  #place(sizeBytes: number, rounded: number): Range {
    if (rounded > ARENA_BYTES - RESERVED_BYTES) {
      throw new MemoryBudgetError(
        `one allocation of ${formatBytes(sizeBytes)} does not fit an arena of 4 GiB; use more partitions`,
        { requestedBytes: sizeBytes, usedBytes: this.#usedBytes, budgetBytes: this.budgetBytes },
      );
    }
    for (const owned of this.#arenas) {
      const offset = owned.free.take(rounded);
      if (offset >= 0) return { arenaId: owned.arena.id, offset, length: sizeBytes };
    }
    for (const owned of this.#arenas) {
      if (this.#grow(owned, rounded)) return this.#place(sizeBytes, rounded);
    }
    const arena = acquireArena();
    const owned = { arena, free: new FreeList(), end: RESERVED_BYTES };
    this.#arenas.push(owned);
    this.views.add(arena.id, arena.memory);
    if (!this.#grow(owned, rounded)) {
      throw new MemoryBudgetError(
        `the system gave no memory for ${formatBytes(sizeBytes)} (${formatBytes(this.#usedBytes)} in use); ` +
          'close other programs or lower the budget',
        { requestedBytes: sizeBytes, usedBytes: this.#usedBytes, budgetBytes: this.budgetBytes },
      );
    }
    return this.#place(sizeBytes, rounded);
  }

  /** Adds room for `rounded` bytes at the arena's end; false if it cannot hold them. */
  #grow(owned: OwnedArena, rounded: number): boolean {
    const { memory } = owned.arena;
    const step = Math.max(rounded, Math.min(GROWTH_BYTES, ARENA_BYTES - owned.end));
    if (owned.end + step > ARENA_BYTES) return false;
    const missing = owned.end + step - memory.buffer.byteLength;
    if (missing > 0) {
      try {
        memory.grow(Math.ceil(missing / PAGE_BYTES));
      } catch (error) {
        if (error instanceof RangeError) return false;
        throw error;
      }
    }
    owned.free.give(owned.end, step);
    owned.end += step;
    return true;
  }
}

function roundUp(sizeBytes: number): number {
  return Math.max(RANGE_ALIGNMENT, Math.ceil(sizeBytes / RANGE_ALIGNMENT) * RANGE_ALIGNMENT);
}

/** `1536` → `1.5 KiB`: for messages only. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : Math.round(value * 100) / 100} ${units[unit] ?? 'B'}`;
}
