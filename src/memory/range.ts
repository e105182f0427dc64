/**
 * A range of bytes in an arena: how everything that crosses threads is named. Plain data, structured-clonable;
 * whoever allocated it (see `MemoryManager`) owns it.
 */
export interface Range {
  readonly arenaId: number;
  /** First byte, from the start of the arena; a multiple of `RANGE_ALIGNMENT` for ranges that were allocated. */
  readonly offset: number;
  /** Bytes. */
  readonly length: number;
}

/** An arena's memory: a shared `WebAssembly.Memory`, so that kernels and typed arrays see the same bytes. */
export interface SharedMemory {
  /** The current buffer; after a grow there is another one, longer, over the same bytes. */
  readonly buffer: SharedArrayBuffer;
  /** Adds pages of 64 KiB. @throws RangeError beyond the maximum, or when the system has no memory. */
  grow(pages: number): number;
}

/** Bytes: ranges start at multiples of a cache line, so that any typed array fits and threads do not share lines. */
export const RANGE_ALIGNMENT = 64;

/** A part of a range, `offset` bytes into it. */
export function subRange(range: Range, offset: number, length: number): Range {
  return { arenaId: range.arenaId, offset: range.offset + offset, length };
}

/** A range's identity as text: no two ranges that are held at once share it. */
export function rangeKey(range: Range): string {
  return `${range.arenaId}:${range.offset}`;
}

/** Whether both start at the same byte: a range and what `trim` left of it are the same. */
export function sameRange(a: Range, b: Range): boolean {
  return a.arenaId === b.arenaId && a.offset === b.offset;
}

/** Gives and takes back ranges: the driver's memory manager, or a task's line to it. */
export interface Allocator {
  /**
   * A fresh range of at least `sizeBytes` bytes (its `length` is `sizeBytes`), *not* zeroed.
   * @throws MemoryBudgetError when the context's budget does not allow it.
   */
  allocate(sizeBytes: number): Range;
  /** Gives a range back; its bytes may be reused at once. */
  release(range: Range): void;
  /** Gives back what lies beyond the first `sizeBytes` of a range; returns the range that is left. */
  trim(range: Range, sizeBytes: number): Range;
}
