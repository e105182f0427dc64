/** Classic Bloom filter: k bits anywhere for each key (Bloom 1970). */
import type { FilterShape } from './filter-shape.js';
import { ScatteredFilter } from './scattered-filter.js';

export class ClassicFilter extends ScatteredFilter {
  constructor(shape: FilterShape, words?: Uint32Array) {
    super(shape, words, 1);
  }

  /** fill^k. */
  predictedFalsePositiveRate(): number {
    return this.fill ** this.shape.hashCount;
  }

  protected override over(words: Uint32Array | undefined): ClassicFilter {
    return new ClassicFilter(this.shape, words);
  }
}
