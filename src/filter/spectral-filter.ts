/**
 * Spectral Bloom filter: how often a key was added, estimated by the lowest of its counters (minimum selection). Never too
 * low; too high at the rate at which a classic filter of as many bits is wrong.
 *
 * With `minimal-increase` estimates are too high less often, but nothing can be deleted: a counter that was not raised for a key
 * must not be lowered for it.
 * Source: Cohen & Matias 2003.
 */
import { StateError } from '../errors.js';
import { spectralShape, type SpectralOptions } from './counter-shape.js';
import { Counters } from './counters.js';
import type { FilterKey } from './hash.js';

/**
 * An empty spectral filter.
 * @throws OptionError on a count, rate or size out of range
 * @example
 * const filter = spectralFilter({ expectedCount: 1000, falsePositiveRate: 0.01 });
 * filter.add('Valjean', 2);
 * filter.add('Valjean');
 * filter.estimate('Valjean'); // 3
 */
export function spectralFilter(options: SpectralOptions): SpectralFilter {
  return new SpectralFilter(spectralShape(options));
}

export class SpectralFilter extends Counters {
  readonly kind = 'spectral';

  /**
   * Adds the key `count` times.
   * @throws StateError if a counter would overflow, OptionError if `count` is not a whole number from 1, ValueError if the key
   *   is no `FilterKey`; nothing is changed then
   */
  add(key: FilterKey, count = 1): void {
    this.raise(key, count);
  }

  /**
   * Takes away `count` of the times that the key was added; only what was added may be deleted.
   * @throws StateError with `minimal-increase`, or if it was certainly not added so often; others as `add`; nothing is changed then
   */
  delete(key: FilterKey, count = 1): void {
    if (this.shape.update === 'minimal-increase') {
      throw new StateError(
        "a spectral filter with minimal-increase cannot delete: other keys would be forgotten; use update: 'plain'",
      );
    }
    this.lower(key, count);
  }

  /** How often the key was added: this or less. @throws ValueError if it is no `FilterKey` */
  estimate(key: FilterKey): number {
    return this.lowest(key);
  }

  /**
   * Adds all keys of the other, as often as they are in there. With `minimal-increase`, estimates stay upper bounds.
   * @throws OptionError if the shapes differ, StateError if a counter would overflow; nothing is changed then
   */
  merge(other: SpectralFilter): void {
    this.mergeCounters(other);
  }

  /**
   * Chance that the estimate of a key is too high, from the counters as they are: fill^k; with `minimal-increase`, at most
   * that. Cost: reads all counters.
   */
  predictedErrorRate(): number {
    return this.fill ** this.shape.hashCount;
  }
}
