/**
 * k bits for each key, scattered by k hashes: anywhere (classic), or one in each of k slices (partitioned).
 *
 * The k positions come from a 64-bit hash (start, stride) as a Weyl sequence, start + i·stride mod 2³² with odd stride,
 * each mixed once more and scaled to the bits that it may fall on. Plain double hashing (Kirsch & Mitzenmacher 2006) would do
 * without the mixing, but has only about m² different patterns: at 1e-6 a filter of a few hundred bits would be wrong a
 * hundred times too often (Dillinger & Manolios 2004 describe the effect).
 *
 * Bit of a position: ⌊x · r/2³²⌋ for a range of r bits. r/2³² is exact in float64 and x < 2³², so the product stays below r.
 */
import { hash64, keySeeds, type FilterKey, type KeySeeds } from './hash.js';
import type { FilterShape } from './filter-shape.js';
import { WordFilter } from './membership-filter.js';
import { mixOtherU32, mixU32, scatterU32 } from './mix.js';

export abstract class ScatteredFilter extends WordFilter {
  readonly #seeds: KeySeeds;
  /** Bits a unit of a u32 position. */
  readonly #scale: number;
  /** Words from where one hash's bits begin to where the next one's do. */
  readonly #step: number;

  /** @param sliceCount 1: every hash has all bits; k: each has its own k-th part of the words */
  protected constructor(shape: FilterShape, words: Uint32Array | undefined, sliceCount: number) {
    super(shape, words);
    this.#seeds = keySeeds(shape.seed);
    this.#scale = shape.bitCount / sliceCount / 2 ** 32;
    this.#step = sliceCount === 1 ? 0 : this.words.length / sliceCount;
  }

  addId(id: number): void {
    const { idHigh, idLow } = this.#seeds;
    setBits(
      this.words,
      this.#scale,
      this.#step,
      this.shape.hashCount,
      mixU32(id ^ idHigh),
      mixOtherU32(id ^ idLow),
    );
  }

  addIds(ids: Uint32Array): void {
    const { words } = this;
    const { hashCount } = this.shape;
    const { idHigh, idLow } = this.#seeds;
    const scale = this.#scale;
    const step = this.#step;
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number;
      setBits(words, scale, step, hashCount, mixU32(id ^ idHigh), mixOtherU32(id ^ idLow));
    }
  }

  add(key: FilterKey): void {
    const hash = hash64(key, this.#seeds);
    setBits(this.words, this.#scale, this.#step, this.shape.hashCount, hash.high, hash.low);
  }

  mightContainId(id: number): boolean {
    const { idHigh, idLow } = this.#seeds;
    return allSet(
      this.words,
      this.#scale,
      this.#step,
      this.shape.hashCount,
      mixU32(id ^ idHigh),
      mixOtherU32(id ^ idLow),
    );
  }

  mightContain(key: FilterKey): boolean {
    const hash = hash64(key, this.#seeds);
    return allSet(this.words, this.#scale, this.#step, this.shape.hashCount, hash.high, hash.low);
  }

  selectIds(ids: Uint32Array, out: Uint32Array): number {
    const { words } = this;
    const { hashCount } = this.shape;
    const { idHigh, idLow } = this.#seeds;
    const scale = this.#scale;
    const step = this.#step;
    let count = 0;
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number;
      if (allSet(words, scale, step, hashCount, mixU32(id ^ idHigh), mixOtherU32(id ^ idLow)))
        out[count++] = id;
    }
    return count;
  }

  selectPairs(pairs: Uint32Array, start: number, end: number, out: Uint32Array, count: number): number {
    const { words } = this;
    const { hashCount } = this.shape;
    const { idHigh, idLow } = this.#seeds;
    const scale = this.#scale;
    const step = this.#step;
    let at = count * 2;
    for (let i = start * 2; i < end * 2; i += 2) {
      const id = pairs[i + 1] as number;
      if (!allSet(words, scale, step, hashCount, mixU32(id ^ idHigh), mixOtherU32(id ^ idLow))) continue;
      out[at] = pairs[i] as number;
      out[at + 1] = id;
      at += 2;
    }
    return at / 2;
  }
}

function setBits(
  words: Uint32Array,
  scale: number,
  step: number,
  hashCount: number,
  start: number,
  low: number,
): void {
  const stride = low | 1;
  let x = start | 0;
  let first = 0;
  for (let i = 0; i < hashCount; i++) {
    const bit = (scatterU32(x) * scale) >>> 0;
    const word = first + (bit >>> 5);
    words[word] = (words[word] as number) | (1 << (bit & 31));
    x = (x + stride) | 0;
    first += step;
  }
}

function allSet(
  words: Uint32Array,
  scale: number,
  step: number,
  hashCount: number,
  start: number,
  low: number,
): boolean {
  const stride = low | 1;
  let x = start | 0;
  let first = 0;
  for (let i = 0; i < hashCount; i++) {
    const bit = (scatterU32(x) * scale) >>> 0;
    if (((words[first + (bit >>> 5)] as number) & (1 << (bit & 31))) === 0) return false;
    x = (x + stride) | 0;
    first += step;
  }
  return true;
}
