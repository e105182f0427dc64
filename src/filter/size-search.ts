/** What all sizing needs: checks of counts and rates, the common limit, and the search for the smallest size that suffices. */
import { OptionError } from '../errors.js';

/** Bits of a filter at most: positions are u32. */
export const MAX_BITS = 2 ** 32;

/** @throws OptionError unless a whole number from 0 to 2⁵³ − 1 */
export function checkCount(value: number, name: string): void {
  if (Number.isSafeInteger(value) && value >= 0) return;
  throw new OptionError(`${name} must be a whole number from 0, not ${String(value)}`, {
    [name]: String(value),
  });
}

/** @throws OptionError unless minimum ≤ rate < 1 and rate > 0 */
export function checkRate(rate: number, minimum: number): void {
  if (rate > 0 && rate >= minimum && rate < 1) return;
  const range = minimum === 0 ? 'between 0 and 1, both excluded' : `from ${minimum} to below 1`;
  throw new OptionError(
    `falsePositiveRate must be a number ${range}, not ${String(rate)}` +
      (rate > 0 && rate < minimum ? '; for no false positives at all use an exact filter' : ''),
    { falsePositiveRate: String(rate) },
  );
}

/** The smallest whole number from 1 to `limit` that suffices, where all larger ones do too; undefined if none does. */
export function smallest(limit: number, suffices: (size: number) => boolean): number | undefined {
  if (!suffices(limit)) return undefined;
  let below = 0;
  let enough = limit;
  while (enough - below > 1) {
    const middle = Math.floor((below + enough) / 2);
    if (suffices(middle)) enough = middle;
    else below = middle;
  }
  return enough;
}
