/**
 * Counting Bloom filter: a classic filter with a counter in the place of each bit, so that keys can be deleted again.
 *
 * Hazard: only what was added may be deleted. A key that is certainly not in is refused; one that merely looks as if it were
 * in, as the predicted rate of others do, is not, and deleting it takes counts from keys that are in, which are then forgotten.
 * Source: Fan, Cao, Almeida & Broder 2000 (counters of 4 bits).
 */
import { ClassicFilter } from './classic-filter.js';
import { countingShape, type CountingOptions } from './counter-shape.js';
import { Counters } from './counters.js';
import { checkedShape } from './filter-shape.js';
import type { FilterKey } from './hash.js';
import type { MembershipFilter } from './membership-filter.js';

/**
 * An empty counting filter.
 * @throws OptionError on a count, rate or size out of range
 * @example
 * const filter = countingFilter({ expectedCount: 1000, falsePositiveRate: 0.01 });
 * filter.add('Valjean');
 * filter.delete('Valjean');
 * filter.mightContain('Valjean'); // false
 */
export function countingFilter(options: CountingOptions): CountingFilter {
  return new CountingFilter(countingShape(options));
}

export class CountingFilter extends Counters {
  readonly kind = 'counting';

  /**
   * Adds the key once more: it is in until it was deleted as often.
   * @throws StateError if a counter is full, ValueError if it is no `FilterKey`; nothing is changed then
   */
  add(key: FilterKey): void {
    this.raise(key, 1);
  }

  /**
   * Takes away one time that the key was added.
   * @throws StateError if it is certainly not in, ValueError if it is no `FilterKey`; nothing is changed then
   */
  delete(key: FilterKey): void {
    this.lower(key, 1);
  }

  /** False: the key was certainly not added, or deleted as often. @throws ValueError if it is no `FilterKey` */
  mightContain(key: FilterKey): boolean {
    return this.lowest(key) > 0;
  }

  /**
   * Adds all keys of the other, as often as they are in there.
   * @throws OptionError if the shapes differ, StateError if a counter would overflow; nothing is changed then
   */
  merge(other: CountingFilter): void {
    this.mergeCounters(other);
  }

  /** Chance that a key that is not in passes, from the counters as they are: fill^k. Cost: reads all counters. */
  predictedFalsePositiveRate(): number {
    return this.fill ** this.shape.hashCount;
  }

  /** A classic filter of what is in now, fresh: a bit for each counter, set if it is not 0. */
  toFilter(): MembershipFilter {
    const { counterCount: bitCount, hashCount, seed } = this.shape;
    const filter = new ClassicFilter(checkedShape({ kind: 'classic', bitCount, hashCount, seed }));
    for (let i = 0; i < bitCount; i++) {
      if (this.counters.get(i) === 0) continue;
      filter.words[i >>> 5] = (filter.words[i >>> 5] as number) | (1 << (i & 31));
    }
    return filter;
  }
}
