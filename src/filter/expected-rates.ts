/**
 * What a shape promises before it holds a key: its false-positive rate by the keys that it shall hold, and the keys by
 * the rate. By kind; the formulas are in the sizing files.
 */
import { bloomFalsePositiveRate } from './bloom-sizing.js';
import type { FilterShape } from './filter-shape.js';
import { partitionedFalsePositiveRate } from './partitioned-sizing.js';
import { checkCount, checkRate, smallest } from './size-search.js';
import { BLOCK_BITS, splitBlockFalsePositiveRate } from './split-block-sizing.js';

/** Keys a bit from which on every bit is set, in float64. */
const FULL_LOAD = 64;

/**
 * False-positive rate to expect once `count` distinct keys were added (see the sizing formulas); 0 for exact filters.
 * @throws OptionError if `count` is not a whole number from 0
 */
export function expectedFalsePositiveRate(shape: FilterShape, count: number): number {
  switch (shape.kind) {
    case 'classic':
      return bloomFalsePositiveRate(shape.bitCount, shape.hashCount, count);
    case 'partitioned':
      return partitionedFalsePositiveRate(shape.bitCount, shape.hashCount, count);
    case 'split-block':
      return splitBlockFalsePositiveRate(shape.bitCount / BLOCK_BITS, count);
    case 'exact':
      checkCount(count, 'count');
      return 0;
  }
}

/**
 * The inverse: the most distinct keys with which a filter of this shape keeps to the rate; an exact filter's capacity.
 * @throws OptionError on a rate out of range
 */
export function filterCapacity(shape: FilterShape, falsePositiveRate: number): number {
  checkRate(falsePositiveRate, 0);
  if (shape.kind === 'exact') return shape.bitCount;
  const tooMany = smallest(
    shape.bitCount * FULL_LOAD,
    (count) => expectedFalsePositiveRate(shape, count) > falsePositiveRate,
  );
  return (tooMany ?? shape.bitCount * FULL_LOAD) - 1;
}
