/**
 * One partition's known pairs, kept between rounds in shared memory and updated in place: a hash table that turns into a
 * bit matrix once that is no larger. The state is a cache of the fresh runs so far: after a lost thread it is built again
 * from them, in a fresh range; a half-updated state is never read.
 */
import { EMPTY, insertHash, insertMatrix, matrixWords, rehash, spread } from '../kernel/pair-set.js';
import type { MemoryViews } from '../memory/memory-views.js';
import type { Allocator, Range } from '../memory/range.js';

export type KnownState =
  | { readonly kind: 'hash'; readonly range: Range; readonly slots: number; readonly count: number }
  | { readonly kind: 'matrix'; readonly range: Range; readonly rowWords: number; readonly count: number };

export interface KnownShape {
  /** Ids are below. */
  readonly vertexCount: number;
  /** Sources here are equal mod `stride`. */
  readonly stride: number;
}

const FIRST_SLOTS = 1024;
const SLOT_BYTES = 8;
/** Pairs in a slot table that is full enough to grow: linear probing stays near two probes. */
const MAX_LOAD = 0.7;
/** Pairs inserted between two looks at the load, and between two yields. */
export const INSERT_CHUNK = 1 << 14;
/** Words filled between two yields: a mebibyte, as memory that is touched for the first time takes 5 to 10 ms for it. */
const FILL_CHUNK = 1 << 18;
/** Slots moved between two yields. */
const MOVE_CHUNK = 1 << 16;

export class KnownPairs {
  readonly #shape: KnownShape;
  readonly #allocator: Allocator;
  readonly #views: MemoryViews;
  #state: KnownState;
  #words: Uint32Array;

  /** Goes on from `state`, or starts empty. */
  constructor(state: KnownState | undefined, shape: KnownShape, allocator: Allocator, views: MemoryViews) {
    this.#shape = shape;
    this.#allocator = allocator;
    this.#views = views;
    if (state === undefined) {
      const range = allocator.allocate(FIRST_SLOTS * SLOT_BYTES);
      this.#state = { kind: 'hash', range, slots: FIRST_SLOTS, count: 0 };
      this.#words = views.u32(range).fill(EMPTY);
    } else {
      this.#state = state;
      this.#words = views.u32(state.range);
    }
  }

  /** To be handed to the next round's task. */
  get state(): KnownState {
    return this.#state;
  }

  /**
   * Inserts pairs `start`..`end` (at most `INSERT_CHUNK`), appending the new ones to `fresh`; returns the new count.
   * Yields while it makes room.
   */
  *insert(
    input: Uint32Array,
    start: number,
    end: number,
    fresh: Uint32Array,
    freshCount: number,
  ): Generator<void, number> {
    while (this.#state.kind === 'hash' && this.#state.count + (end - start) > this.#state.slots * MAX_LOAD) {
      yield* this.#grow(this.#state.slots, this.#state.count);
    }
    const { stride } = this.#shape;
    const state = this.#state;
    const after =
      state.kind === 'hash'
        ? insertHash(this.#words, input, start, end, stride, fresh, freshCount)
        : insertMatrix(this.#words, state.rowWords, input, start, end, stride, fresh, freshCount);
    this.#state = { ...state, count: state.count + after - freshCount };
    return after;
  }

  *#grow(slots: number, count: number): Generator<void, void> {
    const { vertexCount, stride } = this.#shape;
    const rowCount = Math.ceil(vertexCount / stride);
    const matrixBytes = matrixWords(rowCount, vertexCount) * 4;
    const tableBytes = slots * 2 * SLOT_BYTES;
    const old = this.#state.range;
    const oldWords = this.#words;
    const isMatrix = matrixBytes <= tableBytes;
    const range = this.#allocator.allocate(isMatrix ? matrixBytes : tableBytes);
    const rowWords = Math.ceil(vertexCount / 32);
    const words = this.#views.u32(range);
    for (let start = 0; start < words.length; start += FILL_CHUNK) {
      words.fill(isMatrix ? 0 : EMPTY, start, start + FILL_CHUNK);
      yield;
    }
    for (let start = 0; start < slots; start += MOVE_CHUNK) {
      const end = Math.min(slots, start + MOVE_CHUNK);
      if (isMatrix) spread(oldWords, start, end, words, rowWords);
      else rehash(oldWords, start, end, words);
      yield;
    }
    this.#words = words;
    this.#state = isMatrix
      ? { kind: 'matrix', range, rowWords, count }
      : { kind: 'hash', range, slots: slots * 2, count };
    // A range of an earlier round is not this task's to release: the driver does, when the round has ended.
    this.#allocator.release(old);
  }
}
