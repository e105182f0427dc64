/**
 * How wide and deep a Count-Min sketch has to be: an estimate is above the true count by more than ε·N, N being all that was
 * counted, with a chance of at most δ. Source: Cormode & Muthukrishnan 2005, theorem 1.
 */
import { OptionError } from '../errors.js';
import { checkCount } from './size-search.js';

/**
 * Counters a row, w = ⌈e/ε⌉, and rows, d = ⌈ln(1/δ)⌉.
 * @throws OptionError unless both lie between 0 and 1, both excluded
 */
export function countMinSize(
  epsilon: number,
  delta: number,
): { readonly width: number; readonly depth: number } {
  checkShare(epsilon, 'epsilon');
  checkShare(delta, 'delta');
  return { width: Math.ceil(Math.E / epsilon), depth: Math.ceil(-Math.log(delta)) };
}

/**
 * The inverse: ε = e/w and δ = e^(−d).
 * @throws OptionError on a width or depth that is not a whole number from 0
 */
export function countMinError(
  width: number,
  depth: number,
): { readonly epsilon: number; readonly delta: number } {
  checkCount(width, 'width');
  checkCount(depth, 'depth');
  return { epsilon: Math.E / width, delta: Math.exp(-depth) };
}

function checkShare(value: number, name: string): void {
  if (value > 0 && value < 1) return;
  throw new OptionError(`${name} must be a number between 0 and 1, both excluded, not ${String(value)}`, {
    [name]: String(value),
  });
}
