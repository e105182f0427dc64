/**
 * Count-Min sketch: counters in rows, one for each hash; the lowest of a key's is an estimate of how often it was added. Never
 * too low, and by more than ε·totalCount too high with a chance of at most δ, however many different keys there are.
 *
 * With `minimal-increase` (conservative update) estimates are closer; the bound stays.
 * Sources: Cormode & Muthukrishnan 2005; Estan & Varghese 2002 (conservative update).
 */
import { countMinError } from './count-min-sizing.js';
import { countMinShape, type CountMinOptions } from './counter-shape.js';
import { Counters } from './counters.js';
import type { FilterKey } from './hash.js';

/**
 * An empty Count-Min sketch.
 * @throws OptionError on an error, chance or size out of range
 * @example
 * const sketch = countMinSketch({ epsilon: 0.001, delta: 0.01 });
 * sketch.add('Valjean', 2);
 * sketch.estimate('Valjean'); // 2
 */
export function countMinSketch(options: CountMinOptions): CountMinSketch {
  return new CountMinSketch(countMinShape(options));
}

export class CountMinSketch extends Counters {
  readonly kind = 'count-min';

  /** Counters a row. */
  get width(): number {
    return this.shape.counterCount / this.shape.hashCount;
  }

  /** Rows. */
  get depth(): number {
    return this.shape.hashCount;
  }

  /** ε = e/width: an estimate is at most ε·totalCount too high … */
  get epsilon(): number {
    return countMinError(this.width, this.depth).epsilon;
  }

  /** … but for this chance, δ = e^(−depth). */
  get delta(): number {
    return countMinError(this.width, this.depth).delta;
  }

  /**
   * Adds the key `count` times.
   * @throws StateError if a counter would overflow, OptionError if `count` is not a whole number from 1, ValueError if the key
   *   is no `FilterKey`; nothing is changed then
   */
  add(key: FilterKey, count = 1): void {
    this.raise(key, count);
  }

  /** How often the key was added: this or less. @throws ValueError if it is no `FilterKey` */
  estimate(key: FilterKey): number {
    return this.lowest(key);
  }

  /**
   * Adds all keys of the other, as often as they are in there. With `minimal-increase`, estimates stay upper bounds.
   * @throws OptionError if the shapes differ, StateError if a counter would overflow; nothing is changed then
   */
  merge(other: CountMinSketch): void {
    this.mergeCounters(other);
  }
}
