/**
 * Dictionary encoding: keys ↔ dense ids 0, 1, 2, … by first appearance, so that a recursion's rounds work on u32 columns. A
 * builder is one thread's; what it finishes is plain data over shared memory, which any thread reads.
 */
import type { MemoryViews } from '../memory/memory-views.js';
import type { Allocator, Range } from '../memory/range.js';
import { StateError } from '../errors.js';
import { ValueDecoder } from './decoding.js';
import { KeyEncoder } from './key-encoding.js';
import { KeyTable } from './key-table.js';

/** A finished dictionary: plain data. Whoever finished it owns both ranges. */
export interface DictionaryBlock {
  /** Ids are below. */
  readonly count: number;
  /** Canonical bytes of the keys, one after another. */
  readonly keys: Range;
  /** u32, `count` + 1 of them: where in `keys` each starts and the last ends. */
  readonly offsets: Range;
}

export class DictionaryBuilder {
  readonly #table: KeyTable;
  readonly #encoder = new KeyEncoder();
  #isOpen = true;

  /**
   * Takes three ranges, and larger ones as it grows; `finish` or `release` gives back what is not needed.
   * @param expectedCount keys that fit without growing; 0 if unknown
   */
  constructor(allocator: Allocator, views: MemoryViews, expectedCount = 0) {
    this.#table = new KeyTable(allocator, views, expectedCount);
  }

  /** Distinct keys so far. */
  get count(): number {
    return this.#table.count;
  }

  /**
   * The key's id; a new key gets the next one.
   * @throws ValueError if the value cannot be a key, or beyond 2^32 − 1 keys or 4 GiB of them
   * @throws MemoryBudgetError if the table cannot grow; the builder is as it was
   */
  idOf(key: unknown): number {
    this.#assertOpen();
    const { writer } = this.#encoder;
    writer.reset();
    this.#encoder.write(key);
    return this.#table.idOf(writer.buffer, writer.length);
  }

  /** The same for a key given by its canonical bytes, such as another dictionary's `keyBytes`. */
  idOfBytes(bytes: Uint8Array): number {
    this.#assertOpen();
    return this.#table.idOf(bytes, bytes.length);
  }

  /** The key's id, or −1 if it is not there. @throws ValueError if the value cannot be a key */
  find(key: unknown): number {
    this.#assertOpen();
    const bytes = this.#encoder.encode(key);
    return this.#table.find(bytes, bytes.length);
  }

  /** Canonical bytes of the key with this id, a view that lasts until a key is added. */
  keyBytes(id: number): Uint8Array {
    this.#assertOpen();
    checkId(id, this.count);
    return this.#table.keyBytes(id);
  }

  /** The dictionary, trimmed; the caller owns its ranges. Ends the builder. */
  finish(): DictionaryBlock {
    this.#assertOpen();
    this.#isOpen = false;
    return { count: this.#table.count, ...this.#table.finish() };
  }

  /** Gives all ranges back. Ends the builder; after `finish` it does nothing. */
  release(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#table.release();
  }

  #assertOpen(): void {
    if (!this.#isOpen)
      throw new StateError('the dictionary was finished or released already; make a new builder');
  }
}

/** Entries of a reader's memo; a power of two. About 1 MB, whatever the dictionary's size. */
const MEMO_ENTRIES = 1 << 16;

/** Reads a dictionary on any thread. Decoding a string costs about ten times what finding it in the memo costs. */
export class DictionaryReader {
  readonly count: number;
  readonly #keys: Uint8Array;
  readonly #offsets: Uint32Array;
  readonly #decoder: ValueDecoder;
  /** Direct-mapped: entry id mod size holds id + 1 and its value. Only scalars, which callers cannot change. */
  readonly #memoIds: Uint32Array;
  readonly #memo: unknown[];

  /** The ranges must stay as they are while the reader is used. */
  constructor(block: DictionaryBlock, views: MemoryViews) {
    this.count = block.count;
    this.#keys = views.bytes(block.keys);
    this.#offsets = views.u32(block.offsets);
    this.#decoder = new ValueDecoder(this.#keys);
    // The smallest power of two that has an entry for each key, up to the bound.
    const entries = 2 ** Math.ceil(Math.log2(Math.min(MEMO_ENTRIES, Math.max(1, block.count))));
    this.#memoIds = new Uint32Array(entries);
    this.#memo = new Array<unknown>(entries).fill(undefined);
  }

  /** The key with this id; arrays, dates and the like are fresh at each call. @throws StateError for an id out of range */
  value(id: number): unknown {
    checkId(id, this.count);
    const entry = id & (this.#memoIds.length - 1);
    if (this.#memoIds[entry] === id + 1) return this.#memo[entry];
    this.#decoder.offset = this.#offsets[id] as number;
    const key = this.#decoder.read();
    if (typeof key !== 'object') {
      this.#memoIds[entry] = id + 1;
      this.#memo[entry] = key;
    }
    return key;
  }

  /** The key's canonical bytes, a view of shared memory. @throws StateError for an id out of range */
  keyBytes(id: number): Uint8Array {
    checkId(id, this.count);
    return this.#keys.subarray(this.#offsets[id], this.#offsets[id + 1]);
  }
}

function checkId(id: number, count: number): void {
  if (!(id >= 0 && id < count))
    throw new StateError(`there is no id ${id} in a dictionary of ${count} keys`, { id, count });
}
