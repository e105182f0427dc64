/**
 * How many bits and hashes a classic Bloom filter needs: the textbook formulas, and a search that reaches a rate with whole
 * hashes and words, which the closed formula alone misses (rounding k costs up to 5 %; a small filter's fill varies).
 *
 * n keys, m bits, k hashes, false-positive rate f. Sources: Bloom 1970; Broder & Mitzenmacher 2005 (optimum, lower bound);
 * Bose et al. 2008 (for small m the true rate lies above the fill's k-th power).
 */
import { OptionError } from '../errors.js';
import { checkCount, checkRate, MAX_BITS, smallest } from './size-search.js';

/** A byte in the serialised form; the best k at the lowest rate is 40. */
export const MAX_HASH_COUNT = 64;
/** Below, the 64 bits of a key's hash no longer suffice for many keys. */
export const MIN_BLOOM_RATE = 1e-12;
const WORD_BITS = 32;

/**
 * Bits that n keys need at rate f with the best number of hashes: m = −n·ln f / (ln 2)², rounded up. 0 for no keys.
 * @throws OptionError on a count or rate out of range
 */
export function bloomBitCount(expectedCount: number, falsePositiveRate: number): number {
  checkCount(expectedCount, 'expectedCount');
  checkRate(falsePositiveRate, 0);
  return Math.ceil((expectedCount * -Math.log(falsePositiveRate)) / Math.LN2 ** 2);
}

/**
 * The inverse of `bloomBitCount`: how many keys m bits hold at rate f.
 * @throws OptionError on a count or rate out of range
 */
export function bloomCapacity(bitCount: number, falsePositiveRate: number): number {
  checkCount(bitCount, 'bitCount');
  checkRate(falsePositiveRate, 0);
  return Math.floor((bitCount * Math.LN2 ** 2) / -Math.log(falsePositiveRate));
}

/**
 * The best number of hashes, k = (m/n)·ln 2, rounded, from 1 to 64. 1 for no keys.
 * @throws OptionError on a count out of range
 */
export function bloomHashCount(bitCount: number, expectedCount: number): number {
  checkCount(bitCount, 'bitCount');
  checkCount(expectedCount, 'expectedCount');
  if (expectedCount === 0) return 1;
  return Math.min(MAX_HASH_COUNT, Math.max(1, Math.round((bitCount / expectedCount) * Math.LN2)));
}

/**
 * Rate to expect of m bits, k hashes and n keys: p^k · (1 + ½·k(k−1)·Var(p)/p²) with mean fill p = 1 − (1 − 1/m)^(kn) and
 * the variance of the fill, which is that of occupied bins among m after kn throws. The bracket is 1 for all but small filters.
 * @throws OptionError on a count out of range
 */
export function bloomFalsePositiveRate(bitCount: number, hashCount: number, count: number): number {
  checkCount(bitCount, 'bitCount');
  checkCount(hashCount, 'hashCount');
  checkCount(count, 'count');
  if (count === 0 || hashCount === 0) return hashCount === 0 ? 1 : 0;
  if (bitCount <= 1) return 1;
  const throws = hashCount * count;
  const empty = Math.exp(throws * Math.log1p(-1 / bitCount));
  const fill = 1 - empty;
  const bothEmpty = Math.exp(throws * Math.log1p(-2 / bitCount));
  const covariance = empty ** 2 * Math.expm1(throws * Math.log1p(-1 / (bitCount - 1) ** 2));
  const variance = Math.max(0, (empty - bothEmpty) / bitCount + covariance);
  return Math.min(1, fill ** hashCount * (1 + (hashCount * (hashCount - 1) * variance) / (2 * fill ** 2)));
}

/**
 * Least bits that any structure with false-positive rate f needs for n keys: n·log₂(1/f). A Bloom filter takes 1.44 times that.
 * @throws OptionError on a count or rate out of range
 */
export function minimumBitCount(expectedCount: number, falsePositiveRate: number): number {
  checkCount(expectedCount, 'expectedCount');
  checkRate(falsePositiveRate, 0);
  return Math.ceil(expectedCount * -Math.log2(falsePositiveRate));
}

/**
 * Chance that the filters of two disjoint sets have a bit in common, so that their intersection does not show that it is
 * empty: 1 − (1 − 1/m)^(k²·n₁·n₂). Source: Jeffrey & Steffan 2011.
 * @throws OptionError on a count out of range
 */
export function bloomFalseOverlapRate(
  bitCount: number,
  hashCount: number,
  leftCount: number,
  rightCount: number,
): number {
  checkCount(bitCount, 'bitCount');
  checkCount(hashCount, 'hashCount');
  checkCount(leftCount, 'leftCount');
  checkCount(rightCount, 'rightCount');
  const encounters = hashCount ** 2 * leftCount * rightCount;
  if (encounters === 0) return 0;
  return bitCount <= 1 ? 1 : -Math.expm1(encounters * Math.log1p(-1 / bitCount));
}

/** The fewest bits, a multiple of 32, and the hashes, that reach the rate. */
export function bloomSize(
  expectedCount: number,
  falsePositiveRate: number,
): { readonly bitCount: number; readonly hashCount: number } {
  checkCount(expectedCount, 'expectedCount');
  checkRate(falsePositiveRate, MIN_BLOOM_RATE);
  if (expectedCount === 0) return { bitCount: WORD_BITS, hashCount: 1 };
  const best = -Math.log2(falsePositiveRate);
  let size: { bitCount: number; hashCount: number } | undefined;
  for (const hashCount of new Set([Math.max(1, Math.floor(best)), Math.max(1, Math.ceil(best))])) {
    const words = smallest(
      MAX_BITS / WORD_BITS,
      (wordCount) =>
        bloomFalsePositiveRate(wordCount * WORD_BITS, hashCount, expectedCount) <= falsePositiveRate,
    );
    if (words === undefined) continue;
    if (size === undefined || words * WORD_BITS < size.bitCount)
      size = { bitCount: words * WORD_BITS, hashCount };
  }
  if (size !== undefined) return size;
  throw new OptionError(
    `a classic filter of ${expectedCount} keys at false-positive rate ${falsePositiveRate} needs about ` +
      `${bloomBitCount(expectedCount, falsePositiveRate)} bits, but 2^32 is the most; raise the rate, or split the keys`,
    { expectedCount, falsePositiveRate },
  );
}
