/**
 * Counters as bytes. Of the size in the header, bytes 8 to 11 are the number of counters, byte 12 is their width in bits, byte
 * 13 the update rule (0 plain, 1 minimal-increase), the rest 0. The first two words are the total, low half first.
 */
import { FormatError, OptionError } from '../errors.js';
import {
  checkedCounterShape,
  counterWordCount,
  type CounterBits,
  type CounterShape,
  type CounterUpdate,
} from './counter-shape.js';
import { checkUnusedBits, decodeStored, encodeStored, type StoredForm } from './stored-form.js';

/** What is stored of counters beside their shape. */
export interface CounterContents {
  readonly words: Uint32Array;
  /** Of all keys together, a safe integer. */
  readonly totalCount: number;
}

const UPDATES: readonly CounterUpdate[] = ['plain', 'minimal-increase'];
const TOTAL_WORDS = 2;

/** The counters' bytes, fresh. */
export function encodeCounters(
  { kind, counterCount, hashCount, counterBits, update, seed }: CounterShape,
  { words, totalCount }: CounterContents,
): Uint8Array {
  const stored = new Uint32Array(TOTAL_WORDS + words.length);
  stored[0] = totalCount;
  stored[1] = Math.floor(totalCount / 2 ** 32);
  stored.set(words, TOTAL_WORDS);
  const rule = UPDATES.indexOf(update);
  const size = BigInt(counterCount) | (BigInt(counterBits) << 32n) | (BigInt(rule) << 40n);
  return encodeStored({ kind, hashCount, size, seed, words: stored });
}

/**
 * The shape and the contents, fresh, of counters' bytes, which may start anywhere in their buffer.
 * @throws FormatError if they are not exactly whole, undamaged counters of this version
 */
export function decodeCounters(bytes: Uint8Array): CounterContents & { readonly shape: CounterShape } {
  const stored = decodeStored(bytes);
  const shape = decodeShape(stored);
  const expected = TOTAL_WORDS + counterWordCount(shape);
  if (stored.words.length !== expected) {
    throw new FormatError(
      `${shape.counterCount} ${shape.kind} counters of ${shape.counterBits} bits and their total have ${expected} words, not ` +
        String(stored.words.length),
      { expected, given: stored.words.length },
    );
  }
  const [low = 0, high = 0] = stored.words;
  const totalCount = high * 2 ** 32 + low;
  if (!Number.isSafeInteger(totalCount))
    throw new FormatError(`the counters' total is ${totalCount}, above 2^53 − 1; it was written wrongly`, {
      totalCount,
    });
  const words = stored.words.slice(TOTAL_WORDS);
  checkUnusedBits(words, shape.counterCount * shape.counterBits);
  return { shape, words, totalCount };
}

function decodeShape({ kind, hashCount, size, seed }: StoredForm): CounterShape {
  if (kind !== 'counting' && kind !== 'spectral' && kind !== 'count-min') {
    throw new FormatError(`this is a ${kind} filter, not counters; use restoreFilter`, { kind });
  }
  const update = UPDATES[Number(size >> 40n)];
  if (update === undefined)
    throw new FormatError(`the counters' header has update rule ${String(size >> 40n)}, which is unknown`, {
      kind,
    });
  try {
    return checkedCounterShape({
      kind,
      counterCount: Number(size & 0xffff_ffffn),
      hashCount,
      // Whether it is one of them is checked with the shape.
      counterBits: Number((size >> 32n) & 0xffn) as CounterBits,
      update,
      seed,
    });
  } catch (error) {
    if (error instanceof OptionError)
      throw new FormatError(`the counters' header is wrong: ${error.message}`, error.details);
    throw error;
  }
}
