/** Figures that are predicted: a value, the interval that it lies in, and what that rests on. */

/** At which rate the truth lies in an interval. */
export const CONFIDENCE = 0.95;

export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /**
   * - `exact`: it is so.
   * - `interval`: it lies from `low` to `high` in at least 95 of 100 cases, over what is random: sources drawn, hash functions.
   * - `upper-bound`: it is at most `high`.
   */
  readonly basis: 'exact' | 'interval' | 'upper-bound';
}

export function exactly(value: number): Estimate {
  return { value, low: value, high: value, basis: 'exact' };
}

export function atMost({ value, high }: Estimate): Estimate {
  return { value, low: 0, high, basis: 'upper-bound' };
}

/**
 * The sum that independent, unbiased estimates of it speak for: their mean, with Student's interval, wider by what one more
 * estimate could add that lies as far off as the farthest: where most of the sum sits in a few of them, that is needed. One
 * alone is the sum itself. `basis` is `exact` for one, else `interval`.
 */
export function fromSample(values: readonly number[]): Estimate {
  const [first = 0] = values;
  if (values.length < 2) return exactly(first);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const deviation = Math.sqrt(squares / (values.length - 1) / values.length);
  const farthest = values.reduce((most, value) => Math.max(most, Math.abs(value - mean)), 0);
  const reach = studentQuantile(values.length - 1) * deviation + farthest / values.length;
  return { value: mean, low: Math.max(0, mean - reach), high: mean + reach, basis: 'interval' };
}

/** Both ends of an interval pushed outwards. */
export function widened(estimate: Estimate, by: number): Estimate {
  if (by === 0) return estimate;
  const { value, low, high, basis } = estimate;
  return {
    value,
    low: Math.max(0, low - by),
    high: high + by,
    basis: basis === 'upper-bound' ? basis : 'interval',
  };
}

/** 0.975 quantile of the normal distribution. */
const Z = 1.959964;

/** 0.975 quantile of Student's t, from 10 degrees of freedom on within 0.1 % (Abramowitz & Stegun 26.7.5). */
function studentQuantile(degrees: number): number {
  return Z + (Z ** 3 + Z) / (4 * degrees) + (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / (96 * degrees ** 2);
}

/**
 * How far a sum of weights, each taken with chance `rate`, lies from its expectation in at most 1 − `CONFIDENCE` of all cases
 * (Bernstein's inequality). `squares`: Σ weight²; `most`: the largest weight.
 */
export function bernsteinReach(rate: number, squares: number, most: number): number {
  const logarithm = Math.log(2 / (1 - CONFIDENCE));
  const spread = 2 * rate * (1 - rate) * squares * logarithm;
  const linear = (most * logarithm) / 3;
  return rate === 0 ? 0 : linear + Math.sqrt(linear ** 2 + spread);
}
