/**
 * How many blocks a split-block Bloom filter needs. A key sets one bit in each of the eight lanes of one block; blocks get
 * unequal numbers of keys, so the rate is the mean over that binomial mixture, not a function of the mean fill:
 * sized by the textbook formula instead, the rate is 1.5 times too high at 1 %, five times at 1e-4.
 *
 * Sources: Putze, Sanders & Singler 2007 (blocked filters); Apache Parquet, BloomFilter.md (lanes and salts).
 */
import { OptionError } from '../errors.js';
import { checkCount, checkRate, MAX_BITS, smallest } from './size-search.js';

export const BLOCK_BITS = 256;
export const LANE_COUNT = 8;
const LANE_BITS = 32;
const MAX_BLOCKS = MAX_BITS / BLOCK_BITS;
/** Below, equal 32-bit lane hashes alone make the false positives: about 2.3e-10 for each key of a block. */
const MIN_SPLIT_BLOCK_RATE = 1e-9;
/** Keys a block from which on every lane is full, in float64. */
const FULL_LOAD = 2000;
/** Weights below this share of the largest one are left out; the rates that they could add stay below 1e-22. */
const NEGLIGIBLE = 1e-25;

/**
 * Rate to expect of `blockCount` blocks that hold `count` keys: Σₓ P(X = x)·(1 − (31/32)^x)⁸ + (count/blockCount)·2⁻³², with X
 * binomial over `count` keys and 1/blockCount. The last term is equal lane hashes. Cost: a few hundred terms at most usual loads.
 * @throws OptionError on a count out of range
 */
export function splitBlockFalsePositiveRate(blockCount: number, count: number): number {
  checkCount(blockCount, 'blockCount');
  checkCount(count, 'count');
  if (count === 0) return 0;
  if (blockCount === 0) return 1;
  const load = count / blockCount;
  if (load > FULL_LOAD) return 1;
  const collisions = load * 2 ** -32;
  if (blockCount === 1) return Math.min(1, rateOfBlock(count) + collisions);
  // Weights relative to the most likely load: P(x + 1) / P(x) = (count − x) / ((x + 1)·(blockCount − 1)).
  const mode = Math.floor(load);
  let weights = 0;
  let rates = 0;
  for (let x = mode, weight = 1; weight > NEGLIGIBLE; x++) {
    weights += weight;
    rates += weight * rateOfBlock(x);
    weight *= (count - x) / ((x + 1) * (blockCount - 1));
  }
  for (let x = mode, weight = 1; x > 0; x--) {
    weight *= (x * (blockCount - 1)) / (count - x + 1);
    if (weight <= NEGLIGIBLE) break;
    weights += weight;
    rates += weight * rateOfBlock(x - 1);
  }
  return Math.min(1, rates / weights + collisions);
}

/**
 * The fewest blocks of 256 bits that reach the rate; 1 for no keys.
 * @throws OptionError on a count or rate out of range, or when 2²⁴ blocks (2³² bits) do not suffice
 */
export function splitBlockCount(expectedCount: number, falsePositiveRate: number): number {
  checkCount(expectedCount, 'expectedCount');
  checkRate(falsePositiveRate, MIN_SPLIT_BLOCK_RATE);
  const blocks = smallest(
    MAX_BLOCKS,
    (blockCount) => splitBlockFalsePositiveRate(blockCount, expectedCount) <= falsePositiveRate,
  );
  if (blocks !== undefined) return blocks;
  throw new OptionError(
    `a split-block filter of ${expectedCount} keys does not reach false-positive rate ${falsePositiveRate} with 2^32 bits, ` +
      'the most there are; raise the rate, or split the keys',
    { expectedCount, falsePositiveRate },
  );
}

/** Of a block that x keys were put into: all eight lanes hit. */
function rateOfBlock(x: number): number {
  return (-Math.expm1(x * Math.log1p(-1 / LANE_BITS))) ** LANE_COUNT;
}
