/**
 * A filter without its bits: plain data, structured-clonable, JSON-serialisable, all that another thread needs beside the
 * words to probe what was built here. Two filters can be united or intersected only if their shapes are equal.
 */
import { OptionError } from '../errors.js';
import { bloomHashCount, bloomSize, MAX_HASH_COUNT } from './bloom-sizing.js';
import { partitionedSize } from './partitioned-sizing.js';
import { checkCount, MAX_BITS } from './size-search.js';
import { BLOCK_BITS, LANE_COUNT, splitBlockCount } from './split-block-sizing.js';

/**
 * - `classic`: k bits anywhere; fewest bits for a rate.
 * - `partitioned`: one bit in each of k slices; shows soonest that two sets have no key in common.
 * - `split-block`: one bit in each of eight lanes of one 256-bit block; one cache line a probe.
 * - `exact`: one bit for each id below a capacity; no false positives.
 */
export type MembershipFilterKind = 'classic' | 'partitioned' | 'split-block' | 'exact';

export interface FilterShape {
  readonly kind: MembershipFilterKind;
  /** Classic: a multiple of 32; partitioned: of 32·k; split-block: of 256; exact: the capacity. At most 2³². */
  readonly bitCount: number;
  /** Bits that a key sets: k, 8 or 1. */
  readonly hashCount: number;
  /** u32. Filters with different seeds err on different keys. 0 for exact. */
  readonly seed: number;
}

/** Size by what it shall hold. */
export interface SizeByRate {
  /** Distinct keys. */
  readonly expectedCount: number;
  /** In (0, 1); classic and partitioned from 1e-12, split-block from 1e-9. Reached when `expectedCount` keys were added. */
  readonly falsePositiveRate: number;
  /** u32; default 0. */
  readonly seed?: number;
}

/** Size by what it may cost: bits, rounded up to whole words, slices or blocks. */
export interface SizeByBits {
  readonly bitCount: number;
  readonly seed?: number;
}

export type ClassicOptions =
  | SizeByRate
  | (SizeByBits & { readonly hashCount: number })
  /** The best number of hashes for so many keys. */
  | (SizeByBits & { readonly expectedCount: number });

export type PartitionedOptions = ClassicOptions;

export type SplitBlockOptions = SizeByRate | SizeByBits;

export interface ExactOptions {
  /** Ids 0 to capacity − 1 can be held; 0 to 2³². */
  readonly capacity: number;
}

/** A kind and how large: the arguments of `filterShape`. */
export type FilterRequest =
  | [kind: 'classic', options: ClassicOptions]
  | [kind: 'partitioned', options: PartitionedOptions]
  | [kind: 'split-block', options: SplitBlockOptions]
  | [kind: 'exact', options: ExactOptions];

const WORD_BITS = 32;

/**
 * The shape of a filter of this kind and size, frozen.
 * @throws OptionError on a count, rate or size out of range
 * @example
 * const shape = filterShape('split-block', { expectedCount: 1_000_000, falsePositiveRate: 0.01 });
 */
export function filterShape(...[kind, options]: FilterRequest): FilterShape {
  switch (kind) {
    case 'classic':
      return checkedShape({ kind, ...classicSize(options), seed: options.seed ?? 0 });
    case 'partitioned':
      return checkedShape({ kind, ...partitionedSizeOf(options), seed: options.seed ?? 0 });
    case 'split-block':
      return checkedShape({
        kind,
        bitCount: splitBlockBits(options),
        hashCount: LANE_COUNT,
        seed: options.seed ?? 0,
      });
    case 'exact':
      checkCount(options.capacity, 'capacity');
      return checkedShape({ kind, bitCount: options.capacity, hashCount: 1, seed: 0 });
    default:
      throw unknownKind(kind);
  }
}

/** Words of 32 bits that a filter of this shape lies in. */
export function wordCount(shape: FilterShape): number {
  return Math.ceil(shape.bitCount / WORD_BITS);
}

/** The shape, frozen, copied from plain data. @throws OptionError if no filter has this shape */
export function checkedShape({ kind, bitCount, hashCount, seed }: FilterShape): FilterShape {
  const form = forms[kind] as (typeof forms)[MembershipFilterKind] | undefined;
  if (form === undefined) throw unknownKind(kind);
  const details = { kind, bitCount: String(bitCount), hashCount: String(hashCount), seed: String(seed) };
  if (!Number.isInteger(hashCount) || hashCount < form.fewestHashes || hashCount > form.mostHashes) {
    const allowed =
      form.fewestHashes === form.mostHashes
        ? String(form.fewestHashes)
        : `a whole number from ${form.fewestHashes} to ${form.mostHashes}`;
    throw new OptionError(
      `hashCount of a ${kind} filter must be ${allowed}, not ${String(hashCount)}`,
      details,
    );
  }
  const unit = kind === 'partitioned' ? form.unit * hashCount : form.unit;
  if (!Number.isInteger(bitCount) || bitCount < unit * form.minimum || bitCount % unit !== 0) {
    throw new OptionError(
      `bitCount of a ${kind} filter must be a multiple of ${unit} from ${unit * form.minimum}, not ${String(bitCount)}`,
      details,
    );
  }
  if (bitCount > MAX_BITS) {
    throw new OptionError(
      `bitCount is ${bitCount}, but a filter has at most 2^32 bits; split the keys`,
      details,
    );
  }
  if (seed >>> 0 !== seed || (kind === 'exact' && seed !== 0)) {
    const allowed = kind === 'exact' ? '0' : 'a whole number from 0 to 2^32 − 1';
    throw new OptionError(`seed of a ${kind} filter must be ${allowed}, not ${String(seed)}`, details);
  }
  return Object.freeze({ kind, bitCount, hashCount, seed });
}

const forms = {
  classic: { unit: WORD_BITS, minimum: 1, fewestHashes: 1, mostHashes: MAX_HASH_COUNT },
  /** The unit is that of a slice. */
  partitioned: { unit: WORD_BITS, minimum: 1, fewestHashes: 1, mostHashes: MAX_HASH_COUNT },
  'split-block': { unit: BLOCK_BITS, minimum: 1, fewestHashes: LANE_COUNT, mostHashes: LANE_COUNT },
  exact: { unit: 1, minimum: 0, fewestHashes: 1, mostHashes: 1 },
} as const;

function classicSize(options: ClassicOptions): { readonly bitCount: number; readonly hashCount: number } {
  if (isByRate(options)) return bloomSize(options.expectedCount, options.falsePositiveRate);
  const bitCount = roundUpBits(options.bitCount, WORD_BITS);
  return {
    bitCount,
    hashCount: 'hashCount' in options ? options.hashCount : bloomHashCount(bitCount, options.expectedCount),
  };
}

function partitionedSizeOf(options: PartitionedOptions): {
  readonly bitCount: number;
  readonly hashCount: number;
} {
  if (isByRate(options)) return partitionedSize(options.expectedCount, options.falsePositiveRate);
  const { bitCount, hashCount } = classicSize(options);
  // Checked with the shape; here it only must not make a unit of 0 or of no number.
  return { bitCount: roundUpBits(bitCount, WORD_BITS * (hashCount > 0 ? hashCount : 1)), hashCount };
}

function splitBlockBits(options: SplitBlockOptions): number {
  return isByRate(options)
    ? splitBlockCount(options.expectedCount, options.falsePositiveRate) * BLOCK_BITS
    : roundUpBits(options.bitCount, BLOCK_BITS);
}

function isByRate(options: SizeByRate | SizeByBits): options is SizeByRate {
  if (!('falsePositiveRate' in options)) return false;
  if (!('bitCount' in options)) return true;
  throw new OptionError(
    'a filter is sized by falsePositiveRate or by bitCount, not by both; leave one of them out',
  );
}

function roundUpBits(bitCount: number, unit: number): number {
  checkCount(bitCount, 'bitCount');
  return Math.max(1, Math.ceil(bitCount / unit)) * unit;
}

function unknownKind(kind: unknown): OptionError {
  return new OptionError(
    `unknown filter kind ${String(kind)}; the kinds are classic, partitioned, split-block and exact`,
    {
      kind: String(kind),
    },
  );
}
