/**
 * Distinct keys numbered in order of appearance: their canonical bytes one after another, and an open-addressing hash table
 * over them, all in ranges of shared memory, so that neither the JavaScript heap nor the 2^24 entries of a `Map` are a limit.
 *
 * A slot is two words, the hash and the id + 1 (0: empty), so that most probes that miss touch one cache line, and growing
 * never reads keys. Linear probing, at most three quarters full (the expected probe length is then below 2.5 for hits;
 * Knuth, TAOCP 3, 6.4). Slots are chosen by the high bits of a product: partitioning by the same hash modulo a power of two
 * has made the low bits of a partition's hashes all alike.
 */
import { ValueError } from '../errors.js';
import { hashBytes, mixU32 } from '../filter/hash.js';
import type { MemoryViews } from '../memory/memory-views.js';
import type { Allocator, Range } from '../memory/range.js';
import { TAG_INT32 } from './encoding-tags.js';

/** Ids are u32, and id + 1 is stored. */
const MAX_KEYS = 2 ** 32 - 1;
/** Bytes: offsets of keys are u32. */
const MAX_KEY_BYTES = 2 ** 32 - 1;
const SLOT_BYTES = 8;
/** 2^32 / golden ratio, odd (Knuth, TAOCP 3, 6.4). */
const FIBONACCI = 0x9e3779b1;
/** Up to this many bytes a loop here beats a call of xxHash through WebAssembly. */
const LOOP_BYTES = 48;
/** FNV-1a, 32 bits (Fowler, Noll, Vo). */
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** The ranges that a finished table leaves. */
export interface TableContent {
  readonly keys: Range;
  readonly offsets: Range;
}

export class KeyTable {
  count = 0;
  readonly #allocator: Allocator;
  readonly #views: MemoryViews;
  #keysRange: Range;
  #keys: Uint8Array;
  #keyBytes = 0;
  #offsetsRange: Range;
  #offsets: Uint32Array;
  #slotsRange: Range;
  #slots: Uint32Array;
  /** 32 − log2 of the number of slots. */
  #shift: number;

  /** `expectedCount` keys fit without growing, if they take 16 bytes each. */
  constructor(allocator: Allocator, views: MemoryViews, expectedCount: number) {
    this.#allocator = allocator;
    this.#views = views;
    const slotBits = Math.max(4, Math.ceil(Math.log2((expectedCount * 4) / 3 + 1)));
    this.#shift = 32 - slotBits;
    this.#keysRange = allocator.allocate(Math.max(256, Math.min(MAX_KEY_BYTES, expectedCount * 16)));
    this.#offsetsRange = allocator.allocate((Math.max(16, expectedCount) + 1) * 4);
    this.#slotsRange = allocator.allocate(2 ** slotBits * SLOT_BYTES);
    this.#keys = views.bytes(this.#keysRange);
    this.#offsets = views.u32(this.#offsetsRange);
    this.#slots = views.u32(this.#slotsRange);
    this.#slots.fill(0);
    this.#offsets[0] = 0;
  }

  /** The id of the key whose canonical bytes are the first `length` of `bytes`, or −1. */
  find(bytes: Uint8Array, length: number): number {
    return (this.#slots[this.#probe(bytes, length, hashCanonical(bytes, length)) + 1] as number) - 1;
  }

  /** The same; a key that is not there gets the next id. @throws ValueError beyond 2^32 − 1 keys or 4 GiB of them */
  idOf(bytes: Uint8Array, length: number): number {
    const hash = hashCanonical(bytes, length);
    const slot = this.#probe(bytes, length, hash);
    const found = this.#slots[slot + 1] as number;
    if (found > 0) return found - 1;
    if ((this.count + 1) * 8 <= this.#slots.length * 3) return this.#add(bytes, length, hash, slot);
    this.#growSlots();
    return this.#add(bytes, length, hash, this.#probe(bytes, length, hash));
  }

  /** A key's canonical bytes, a view of shared memory. */
  keyBytes(id: number): Uint8Array {
    return this.#keys.subarray(this.#offsets[id], this.#offsets[id + 1]);
  }

  /** Gives the slots back and what the keys do not need; the table is not to be used any more. */
  finish(): TableContent {
    this.#allocator.release(this.#slotsRange);
    return {
      keys: this.#allocator.trim(this.#keysRange, this.#keyBytes),
      offsets: this.#allocator.trim(this.#offsetsRange, (this.count + 1) * 4),
    };
  }

  /** Gives everything back. */
  release(): void {
    for (const range of [this.#slotsRange, this.#keysRange, this.#offsetsRange])
      this.#allocator.release(range);
  }

  /** The slot (index of its first word) that holds the key, or the empty one where it belongs. */
  #probe(bytes: Uint8Array, length: number, hash: number): number {
    const slots = this.#slots;
    const keys = this.#keys;
    const offsets = this.#offsets;
    const mask = slots.length - 1;
    let slot = (Math.imul(hash, FIBONACCI) >>> this.#shift) * 2;
    for (;;) {
      const found = slots[slot + 1] as number;
      if (found === 0) return slot;
      if (slots[slot] === hash) {
        const start = offsets[found - 1] as number;
        if ((offsets[found] as number) - start === length) {
          let i = 0;
          while (i < length && keys[start + i] === bytes[i]) i += 1;
          if (i === length) return slot;
        }
      }
      slot = (slot + 2) & mask;
    }
  }

  #add(bytes: Uint8Array, length: number, hash: number, slot: number): number {
    const id = this.count;
    const start = this.#keyBytes;
    const end = start + length;
    if (id >= MAX_KEYS || end > MAX_KEY_BYTES) {
      throw new ValueError(
        `a dictionary holds at most ${MAX_KEYS} distinct keys in 4 GiB; there are ${id} in ${start} bytes, and one more. ` +
          'Use shorter keys (numbers), or fewer at once',
        { count: id, sizeBytes: start },
      );
    }
    if (end > this.#keys.length) this.#growKeys(end);
    if (id + 2 > this.#offsets.length) this.#growOffsets();
    // The key's bytes may be a view of another dictionary, of any length: only the first are its own.
    for (let i = 0; i < length; i++) this.#keys[start + i] = bytes[i] as number;
    this.#offsets[id + 1] = end;
    this.#keyBytes = end;
    this.#slots[slot] = hash;
    this.#slots[slot + 1] = id + 1;
    this.count = id + 1;
    return id;
  }

  #growKeys(needed: number): void {
    const range = this.#allocator.allocate(Math.min(MAX_KEY_BYTES, Math.max(needed, this.#keys.length * 2)));
    const keys = this.#views.bytes(range);
    keys.set(this.#keys.subarray(0, this.#keyBytes));
    this.#allocator.release(this.#keysRange);
    this.#keysRange = range;
    this.#keys = keys;
  }

  #growOffsets(): void {
    const range = this.#allocator.allocate(this.#offsets.length * 8);
    const offsets = this.#views.u32(range);
    offsets.set(this.#offsets);
    this.#allocator.release(this.#offsetsRange);
    this.#offsetsRange = range;
    this.#offsets = offsets;
  }

  #growSlots(): void {
    const old = this.#slots;
    const range = this.#allocator.allocate(old.length * 8);
    const slots = this.#views.u32(range);
    slots.fill(0);
    const shift = this.#shift - 1;
    const mask = slots.length - 1;
    for (let i = 0; i < old.length; i += 2) {
      const id = old[i + 1] as number;
      if (id === 0) continue;
      const hash = old[i] as number;
      let slot = (Math.imul(hash, FIBONACCI) >>> shift) * 2;
      while (slots[slot + 1] !== 0) slot = (slot + 2) & mask;
      slots[slot] = hash;
      slots[slot + 1] = id;
    }
    this.#allocator.release(this.#slotsRange);
    this.#slotsRange = range;
    this.#slots = slots;
    this.#shift = shift;
  }
}

/** A u32 for the first `length` bytes. Ids and short text are hashed here, the rest by xxHash. */
function hashCanonical(bytes: Uint8Array, length: number): number {
  if (length === 5 && bytes[0] === TAG_INT32) {
    const word =
      (bytes[1] as number) |
      ((bytes[2] as number) << 8) |
      ((bytes[3] as number) << 16) |
      ((bytes[4] as number) << 24);
    return mixU32(word >>> 0);
  }
  if (length > LOOP_BYTES) return hashBytes(bytes.length === length ? bytes : bytes.subarray(0, length));
  let hash = FNV_OFFSET;
  for (let i = 0; i < length; i++) hash = Math.imul(hash ^ (bytes[i] as number), FNV_PRIME);
  return mixU32(hash >>> 0);
}
