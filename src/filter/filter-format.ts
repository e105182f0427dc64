/** Membership filters as bytes: the size in the header is the bit count, the words are the filter's. */
import { FormatError, OptionError } from '../errors.js';
import { checkedShape, wordCount, type FilterShape } from './filter-shape.js';
import { checkUnusedBits, decodeStored, encodeStored, type StoredForm } from './stored-form.js';

/** The filter's bytes, fresh. */
export function encodeFilter(
  { kind, bitCount, hashCount, seed }: FilterShape,
  words: Uint32Array,
): Uint8Array {
  return encodeStored({ kind, hashCount, size: BigInt(bitCount), seed, words });
}

/**
 * The shape and the words, fresh, of a filter's bytes, which may start anywhere in their buffer.
 * @throws FormatError if they are not exactly one whole, undamaged filter of this version
 */
export function decodeFilter(bytes: Uint8Array): {
  readonly shape: FilterShape;
  readonly words: Uint32Array;
} {
  const stored = decodeStored(bytes);
  const shape = decodeShape(stored);
  const { words } = stored;
  if (words.length !== wordCount(shape)) {
    throw new FormatError(
      `a ${shape.kind} filter of ${shape.bitCount} bits has ${wordCount(shape)} words, not ${words.length}`,
      { wordCount: wordCount(shape), given: words.length },
    );
  }
  checkUnusedBits(words, shape.bitCount);
  return { shape, words };
}

function decodeShape({ kind, hashCount, size, seed }: StoredForm): FilterShape {
  if (kind === 'counting' || kind === 'spectral' || kind === 'count-min') {
    throw new FormatError(`these are ${kind} counters, not a membership filter; use restoreCounters`, {
      kind,
    });
  }
  try {
    return checkedShape({ kind, bitCount: Number(size), hashCount, seed });
  } catch (error) {
    if (error instanceof OptionError)
      throw new FormatError(`the filter's header is wrong: ${error.message}`, error.details);
    throw error;
  }
}
