/**
 * Counters without their contents: how many there are, how wide, and how a key finds its own. Plain data; two structures can
 * be merged only if their shapes are equal.
 */
import { OptionError } from '../errors.js';
import { bloomHashCount, bloomSize, MAX_HASH_COUNT } from './bloom-sizing.js';
import { countMinSize } from './count-min-sizing.js';
import { checkCount, MAX_BITS } from './size-search.js';

/**
 * - `counting`: a classic filter with a counter for each bit, from which keys can be deleted.
 * - `spectral`: the same, asked how often a key was added.
 * - `count-min`: the matrix form, one row of counters for each hash.
 */
export type CounterKind = 'counting' | 'spectral' | 'count-min';

export type CounterBits = 4 | 8 | 16 | 32;

/**
 * What adding does to a key's counters: `plain` raises all of them; `minimal-increase` only those that would otherwise be
 * below the new estimate, so that others' estimates suffer less, but nothing can be taken away again.
 */
export type CounterUpdate = 'plain' | 'minimal-increase';

export interface CounterShape {
  readonly kind: CounterKind;
  /** A multiple of 32 or, for `count-min`, of `hashCount`. With `counterBits` at most 2³² bits. */
  readonly counterCount: number;
  /** Counters of a key: k, or the rows of a Count-Min sketch. */
  readonly hashCount: number;
  readonly counterBits: CounterBits;
  readonly update: CounterUpdate;
  /** u32. Structures with different seeds err on different keys. */
  readonly seed: number;
}

/** By what it shall hold, or by counters, rounded up to a multiple of 32. */
export type CountersSize =
  /** Distinct keys, and the share of other keys that pass (`counting`) or of estimates that are too high (`spectral`). */
  | { readonly expectedCount: number; readonly falsePositiveRate: number }
  | { readonly counterCount: number; readonly hashCount: number }
  /** The best number of hashes for so many keys. */
  | { readonly counterCount: number; readonly expectedCount: number };

export type CountingOptions = CountersSize & {
  /** Default 4: a counter passes 15 with a chance of 1.4e-15, if each key is added once (Fan et al. 2000). */
  readonly counterBits?: CounterBits;
  /** u32; default 0. */
  readonly seed?: number;
};

export type SpectralOptions = CountersSize & {
  /** Default 16: a key can be added 65,535 times. */
  readonly counterBits?: CounterBits;
  /** Default `plain`. */
  readonly update?: CounterUpdate;
  readonly seed?: number;
};

export type CountMinOptions = (
  | {
      /** An estimate is at most ε times the total above the true count … */
      readonly epsilon: number;
      /** … but for this chance. */
      readonly delta: number;
    }
  | { readonly width: number; readonly depth: number }
) & {
  /** Default 32. */
  readonly counterBits?: CounterBits;
  /** Default `plain`. */
  readonly update?: CounterUpdate;
  readonly seed?: number;
};

/** A multiple of a word's bits, so that a counting filter turns into a classic one. */
const UNIT = 32;

/** @throws OptionError on a count, rate or size out of range */
export function countingShape(options: CountingOptions): CounterShape {
  const { counterBits = 4, seed = 0 } = options;
  return checkedCounterShape({
    kind: 'counting',
    ...countersSize(options),
    counterBits,
    update: 'plain',
    seed,
  });
}

/** @throws OptionError on a count, rate or size out of range */
export function spectralShape(options: SpectralOptions): CounterShape {
  const { counterBits = 16, update = 'plain', seed = 0 } = options;
  return checkedCounterShape({ kind: 'spectral', ...countersSize(options), counterBits, update, seed });
}

/** @throws OptionError on an error, chance or size out of range */
export function countMinShape(options: CountMinOptions): CounterShape {
  const { counterBits = 32, update = 'plain', seed = 0 } = options;
  const { width, depth } = 'epsilon' in options ? countMinSize(options.epsilon, options.delta) : options;
  checkCount(width, 'width');
  checkCount(depth, 'depth');
  const size = { counterCount: width * depth, hashCount: depth };
  return checkedCounterShape({ kind: 'count-min', ...size, counterBits, update, seed });
}

/** Words of 32 bits that the counters lie in. */
export function counterWordCount({ counterCount, counterBits }: CounterShape): number {
  return Math.ceil((counterCount * counterBits) / 32);
}

/** The shape, frozen, copied from plain data. @throws OptionError if no counters have this shape */
export function checkedCounterShape(shape: CounterShape): CounterShape {
  const { kind, counterCount, hashCount, counterBits, update, seed } = shape;
  const refuse = (property: keyof CounterShape, allowed: string): OptionError => {
    const given = String(shape[property]);
    return new OptionError(`${property} of ${kind} counters must be ${allowed}, not ${given}`, {
      kind,
      [property]: given,
    });
  };
  if (!Number.isInteger(hashCount) || hashCount < 1 || hashCount > MAX_HASH_COUNT)
    throw refuse('hashCount', `a whole number from 1 to ${MAX_HASH_COUNT}`);
  const unit = kind === 'count-min' ? hashCount : UNIT;
  if (!Number.isInteger(counterCount) || counterCount < unit || counterCount % unit !== 0)
    throw refuse('counterCount', `a multiple of ${unit} from ${unit}`);
  if (![4, 8, 16, 32].includes(counterBits)) throw refuse('counterBits', '4, 8, 16 or 32');
  if (counterCount * counterBits > MAX_BITS)
    throw refuse('counterCount', `at most ${MAX_BITS / counterBits}, 2^32 bits in all`);
  if (!['plain', 'minimal-increase'].includes(update) || (kind === 'counting' && update !== 'plain'))
    throw refuse('update', kind === 'counting' ? 'plain' : 'plain or minimal-increase');
  if (seed >>> 0 !== seed) throw refuse('seed', 'a whole number from 0 to 2^32 − 1');
  return Object.freeze({ kind, counterCount, hashCount, counterBits, update, seed });
}

function countersSize(options: CountersSize): { readonly counterCount: number; readonly hashCount: number } {
  if ('falsePositiveRate' in options) {
    const { bitCount, hashCount } = bloomSize(options.expectedCount, options.falsePositiveRate);
    return { counterCount: bitCount, hashCount };
  }
  checkCount(options.counterCount, 'counterCount');
  const counterCount = Math.max(1, Math.ceil(options.counterCount / UNIT)) * UNIT;
  return {
    counterCount,
    hashCount:
      'hashCount' in options ? options.hashCount : bloomHashCount(counterCount, options.expectedCount),
  };
}
