/**
 * Exact bitmap over dense ids: bit i says whether id i is in. No false positives, one load a probe, capacity/8 bytes; for
 * dictionary-encoded keys it beats any Bloom filter. Ids from the capacity on, and keys that are no ids, are not contained;
 * adding one is an error, since it could never be found again.
 */
import { OptionError } from '../errors.js';
import { isId, type FilterKey } from './hash.js';
import type { FilterShape } from './filter-shape.js';
import { WordFilter } from './membership-filter.js';

export class ExactFilter extends WordFilter {
  readonly #capacity: number;

  constructor(shape: FilterShape, words?: Uint32Array) {
    super(shape, words);
    this.#capacity = shape.bitCount;
  }

  addId(id: number): void {
    if (id >>> 0 >= this.#capacity) throw this.#outside(id);
    const word = id >>> 5;
    this.words[word] = (this.words[word] as number) | (1 << (id & 31));
  }

  addIds(ids: Uint32Array): void {
    const { words } = this;
    const capacity = this.#capacity;
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number;
      if (id >= capacity) throw this.#outside(id);
      words[id >>> 5] = (words[id >>> 5] as number) | (1 << (id & 31));
    }
  }

  add(key: FilterKey): void {
    if (typeof key !== 'number' || !isId(key)) throw this.#outside(key);
    this.addId(key);
  }

  mightContainId(id: number): boolean {
    return id >>> 0 < this.#capacity && (((this.words[id >>> 5] as number) >>> (id & 31)) & 1) !== 0;
  }

  mightContain(key: FilterKey): boolean {
    return typeof key === 'number' && isId(key) && this.mightContainId(key);
  }

  selectIds(ids: Uint32Array, out: Uint32Array): number {
    const { words } = this;
    const capacity = this.#capacity;
    let count = 0;
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number;
      if (id < capacity && (((words[id >>> 5] as number) >>> (id & 31)) & 1) !== 0) out[count++] = id;
    }
    return count;
  }

  selectPairs(pairs: Uint32Array, start: number, end: number, out: Uint32Array, count: number): number {
    const { words } = this;
    const capacity = this.#capacity;
    let at = count * 2;
    for (let i = start * 2; i < end * 2; i += 2) {
      const id = pairs[i + 1] as number;
      if (id >= capacity || (((words[id >>> 5] as number) >>> (id & 31)) & 1) === 0) continue;
      out[at] = pairs[i] as number;
      out[at + 1] = id;
      at += 2;
    }
    return at / 2;
  }

  predictedFalsePositiveRate(): number {
    return 0;
  }

  protected override over(words: Uint32Array | undefined): ExactFilter {
    return new ExactFilter(this.shape, words);
  }

  protected override countFromBits(setBits: number): number {
    return setBits;
  }

  #outside(key: unknown): OptionError {
    const shown = typeof key === 'number' || typeof key === 'bigint' ? String(key) : typeof key;
    return new OptionError(
      `an exact filter holds ids from 0 to ${this.#capacity - 1}, not ${shown}; raise its capacity, or use a classic or ` +
        'split-block filter for keys that are not dense ids',
      { key: shown, capacity: this.#capacity },
    );
  }
}
