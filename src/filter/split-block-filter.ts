/**
 * Split-block Bloom filter in Parquet's layout: blocks of 256 bits, eight lanes of 32; a key sets one bit in each lane of one
 * block, so that a probe touches one cache line (blocks are aligned if the words are, as ranges of an arena are).
 *
 * The high half h of the key's hash chooses the block, ⌊h · blockCount / 2³²⌋; the low half times an odd salt for each lane, its
 * top five bits, the bit. Ids are mixed rather than hashed by XXH64, so the bits are not those that Parquet would write.
 * Source: Apache Parquet, BloomFilter.md (layout and salts).
 */
import { hash64, keySeeds, type FilterKey, type KeySeeds } from './hash.js';
import type { FilterShape } from './filter-shape.js';
import { bitsSet } from '../kernel/bits.js';
import { WordFilter } from './membership-filter.js';
import { mixOtherU32, mixU32 } from './mix.js';
import { BLOCK_BITS, LANE_COUNT } from './split-block-sizing.js';

export class SplitBlockFilter extends WordFilter {
  readonly #seeds: KeySeeds;
  /** Blocks a unit of the hash's high half; exact in float64. */
  readonly #scale: number;

  constructor(shape: FilterShape, words?: Uint32Array) {
    super(shape, words);
    this.#seeds = keySeeds(shape.seed);
    this.#scale = shape.bitCount / BLOCK_BITS / 2 ** 32;
  }

  addId(id: number): void {
    const { idHigh, idLow } = this.#seeds;
    setLanes(this.words, firstWord(mixU32(id ^ idHigh), this.#scale), mixOtherU32(id ^ idLow));
  }

  addIds(ids: Uint32Array): void {
    const { words } = this;
    const { idHigh, idLow } = this.#seeds;
    const scale = this.#scale;
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number;
      setLanes(words, firstWord(mixU32(id ^ idHigh), scale), mixOtherU32(id ^ idLow));
    }
  }

  add(key: FilterKey): void {
    const hash = hash64(key, this.#seeds);
    setLanes(this.words, firstWord(hash.high, this.#scale), hash.low);
  }

  mightContainId(id: number): boolean {
    const { idHigh, idLow } = this.#seeds;
    return allLanesSet(this.words, firstWord(mixU32(id ^ idHigh), this.#scale), mixOtherU32(id ^ idLow));
  }

  mightContain(key: FilterKey): boolean {
    const hash = hash64(key, this.#seeds);
    return allLanesSet(this.words, firstWord(hash.high, this.#scale), hash.low);
  }

  selectIds(ids: Uint32Array, out: Uint32Array): number {
    const { words } = this;
    const { idHigh, idLow } = this.#seeds;
    const scale = this.#scale;
    let count = 0;
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number;
      if (allLanesSet(words, firstWord(mixU32(id ^ idHigh), scale), mixOtherU32(id ^ idLow)))
        out[count++] = id;
    }
    return count;
  }

  selectPairs(pairs: Uint32Array, start: number, end: number, out: Uint32Array, count: number): number {
    const { words } = this;
    const { idHigh, idLow } = this.#seeds;
    const scale = this.#scale;
    let at = count * 2;
    for (let i = start * 2; i < end * 2; i += 2) {
      const id = pairs[i + 1] as number;
      if (!allLanesSet(words, firstWord(mixU32(id ^ idHigh), scale), mixOtherU32(id ^ idLow))) continue;
      out[at] = pairs[i] as number;
      out[at + 1] = id;
      at += 2;
    }
    return at / 2;
  }

  /** Mean over the blocks of the product of their lanes' fills. */
  predictedFalsePositiveRate(): number {
    let sum = 0;
    for (let block = 0; block < this.words.length; block += LANE_COUNT) {
      let product = 1;
      for (let lane = 0; lane < LANE_COUNT; lane++)
        product *= bitsSet(this.words[block + lane] as number) / 32;
      sum += product;
    }
    return sum / (this.words.length / LANE_COUNT);
  }

  /** Every block has an empty lane. */
  override isCertainlyEmpty(): boolean {
    for (let block = 0; block < this.words.length; block += LANE_COUNT) {
      if (this.words.subarray(block, block + LANE_COUNT).every((lane) => lane !== 0)) return false;
    }
    return true;
  }

  protected override over(words: Uint32Array | undefined): SplitBlockFilter {
    return new SplitBlockFilter(this.shape, words);
  }
}

/** First word of the key's block. */
function firstWord(high: number, scale: number): number {
  return ((high * scale) | 0) * LANE_COUNT;
}

function setLanes(words: Uint32Array, at: number, low: number): void {
  words[at] = (words[at] as number) | (1 << (Math.imul(low, 0x47b6137b) >>> 27));
  words[at + 1] = (words[at + 1] as number) | (1 << (Math.imul(low, 0x44974d91) >>> 27));
  words[at + 2] = (words[at + 2] as number) | (1 << (Math.imul(low, 0x8824ad5b) >>> 27));
  words[at + 3] = (words[at + 3] as number) | (1 << (Math.imul(low, 0xa2b7289d) >>> 27));
  words[at + 4] = (words[at + 4] as number) | (1 << (Math.imul(low, 0x705495c7) >>> 27));
  words[at + 5] = (words[at + 5] as number) | (1 << (Math.imul(low, 0x2df1424b) >>> 27));
  words[at + 6] = (words[at + 6] as number) | (1 << (Math.imul(low, 0x9efc4947) >>> 27));
  words[at + 7] = (words[at + 7] as number) | (1 << (Math.imul(low, 0x5c6bfb31) >>> 27));
}

/** Without branches: which lane fails first cannot be foretold, and a wrong guess costs more than all eight lanes. */
function allLanesSet(words: Uint32Array, at: number, low: number): boolean {
  return (
    (((words[at] as number) >>> (Math.imul(low, 0x47b6137b) >>> 27)) &
      ((words[at + 1] as number) >>> (Math.imul(low, 0x44974d91) >>> 27)) &
      ((words[at + 2] as number) >>> (Math.imul(low, 0x8824ad5b) >>> 27)) &
      ((words[at + 3] as number) >>> (Math.imul(low, 0xa2b7289d) >>> 27)) &
      ((words[at + 4] as number) >>> (Math.imul(low, 0x705495c7) >>> 27)) &
      ((words[at + 5] as number) >>> (Math.imul(low, 0x2df1424b) >>> 27)) &
      ((words[at + 6] as number) >>> (Math.imul(low, 0x9efc4947) >>> 27)) &
      ((words[at + 7] as number) >>> (Math.imul(low, 0x5c6bfb31) >>> 27)) &
      1) !==
    0
  );
}
