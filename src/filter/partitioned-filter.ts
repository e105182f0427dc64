/**
 * Partitioned Bloom filter: the bits lie in k slices of m/k, and each hash sets one bit in its own slice. A little more
 * often wrong than a classic filter of as many bits, but a key that is in has a bit in *every* slice: one empty slice
 * proves that an intersection is empty.
 * Sources: Mullin 1983 (slices); Jeffrey & Steffan 2011 (empty intersections).
 */
import { bitsSet } from '../kernel/bits.js';
import type { FilterShape } from './filter-shape.js';
import { ScatteredFilter } from './scattered-filter.js';

export class PartitionedFilter extends ScatteredFilter {
  constructor(shape: FilterShape, words?: Uint32Array) {
    super(shape, words, shape.hashCount);
  }

  /** Product of the slices' fills. */
  predictedFalsePositiveRate(): number {
    const sliceBits = this.shape.bitCount / this.shape.hashCount;
    let product = 1;
    for (let slice = 0; slice < this.shape.hashCount; slice++) product *= this.#setBitsOf(slice) / sliceBits;
    return product;
  }

  /** Some slice is empty. */
  override isCertainlyEmpty(): boolean {
    for (let slice = 0; slice < this.shape.hashCount; slice++) {
      if (this.#setBitsOf(slice) === 0) return true;
    }
    return false;
  }

  protected override over(words: Uint32Array | undefined): PartitionedFilter {
    return new PartitionedFilter(this.shape, words);
  }

  #setBitsOf(slice: number): number {
    const length = this.words.length / this.shape.hashCount;
    let count = 0;
    for (let i = slice * length; i < (slice + 1) * length; i++) count += bitsSet(this.words[i] as number);
    return count;
  }
}
