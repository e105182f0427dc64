/**
 * How many bits and slices a partitioned Bloom filter needs. Each of the k slices is a bit array of m/k bits with one hash;
 * slices fill independently of each other, so the mean rate is exactly the k-th power of a slice's mean fill.
 *
 * Sources: Mullin 1983; Jeffrey & Steffan 2011 (overlap of two sets).
 */
import { OptionError } from '../errors.js';
import { MIN_BLOOM_RATE } from './bloom-sizing.js';
import { checkCount, checkRate, MAX_BITS, smallest } from './size-search.js';

const WORD_BITS = 32;

/**
 * Rate to expect of m bits in k slices and n keys: (1 − (1 − k/m)^n)^k.
 * @throws OptionError on a count out of range
 */
export function partitionedFalsePositiveRate(bitCount: number, hashCount: number, count: number): number {
  checkCount(bitCount, 'bitCount');
  checkCount(hashCount, 'hashCount');
  checkCount(count, 'count');
  if (count === 0 || hashCount === 0) return hashCount === 0 ? 1 : 0;
  if (bitCount <= hashCount) return 1;
  return (-Math.expm1(count * Math.log1p(-hashCount / bitCount))) ** hashCount;
}

/**
 * Chance that the filters of two disjoint sets have a bit in common in *every* slice, so that their intersection does not
 * show that it is empty: (1 − (1 − k/m)^(n₁·n₂))^k. Source: Jeffrey & Steffan 2011.
 * @throws OptionError on a count out of range
 */
export function partitionedFalseOverlapRate(
  bitCount: number,
  hashCount: number,
  leftCount: number,
  rightCount: number,
): number {
  checkCount(leftCount, 'leftCount');
  checkCount(rightCount, 'rightCount');
  // As if one slice had met each pair of keys: the false-positive formula with n₁·n₂ keys.
  return partitionedFalsePositiveRate(bitCount, hashCount, leftCount * rightCount);
}

/**
 * The fewest bits, slices of whole words, and the slices, that reach the rate.
 * @throws OptionError on a count or rate out of range, or when 2³² bits do not suffice
 */
export function partitionedSize(
  expectedCount: number,
  falsePositiveRate: number,
): { readonly bitCount: number; readonly hashCount: number } {
  checkCount(expectedCount, 'expectedCount');
  checkRate(falsePositiveRate, MIN_BLOOM_RATE);
  if (expectedCount === 0) return { bitCount: WORD_BITS, hashCount: 1 };
  const best = -Math.log2(falsePositiveRate);
  let size: { bitCount: number; hashCount: number } | undefined;
  for (const hashCount of new Set([Math.max(1, Math.floor(best)), Math.max(1, Math.ceil(best))])) {
    const sliceBits = WORD_BITS * hashCount;
    const words = smallest(
      Math.floor(MAX_BITS / sliceBits),
      (wordCount) =>
        partitionedFalsePositiveRate(wordCount * sliceBits, hashCount, expectedCount) <= falsePositiveRate,
    );
    if (words === undefined) continue;
    if (size === undefined || words * sliceBits < size.bitCount)
      size = { bitCount: words * sliceBits, hashCount };
  }
  if (size !== undefined) return size;
  throw new OptionError(
    `a partitioned filter of ${expectedCount} keys does not reach false-positive rate ${falsePositiveRate} with 2^32 bits, ` +
      'the most there are; raise the rate, or split the keys',
    { expectedCount, falsePositiveRate },
  );
}
