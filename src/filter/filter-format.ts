/**
 * Filters as bytes: a header of 32 bytes and the words, all little-endian whatever the platform.
 *
 *   0  u32 magic, "RJBF"       8  u64 bit count        24  u64 XXH64 of bytes 0 to 23 and of the words
 *   4  u16 version, 1         16  u32 seed             32  words
 *   6  u8  kind               20  u32 word count
 *   7  u8  hash count
 *
 * Hazard: the hash functions are part of the format. Changing one of them, or how a key finds its bits, makes old filters
 * forget keys, so it needs a new version. The tests hold one filter of each kind as fixed bytes.
 */
import { FormatError, OptionError } from '../errors.js';
import { checkedShape, wordCount, type FilterShape, type MembershipFilterKind } from './filter-shape.js';
import { hashBytes64 } from './hash.js';

const MAGIC = 0x46424a52;
const VERSION = 1;
const HEADER_BYTES = 32;
const CHECKSUM_AT = 24;
const kindNumbers: Readonly<Record<MembershipFilterKind, number>> = {
  classic: 1,
  'split-block': 2,
  exact: 3,
  partitioned: 4,
};

/** The filter's bytes, fresh. */
export function encodeFilter(shape: FilterShape, words: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + words.length * 4);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint16(4, VERSION, true);
  view.setUint8(6, kindNumbers[shape.kind]);
  view.setUint8(7, shape.hashCount);
  view.setBigUint64(8, BigInt(shape.bitCount), true);
  view.setUint32(16, shape.seed, true);
  view.setUint32(20, words.length, true);
  for (let i = 0; i < words.length; i++) view.setUint32(HEADER_BYTES + i * 4, words[i] as number, true);
  view.setBigUint64(CHECKSUM_AT, checksum(bytes), true);
  return bytes;
}

/**
 * The shape and the words, fresh, of a filter's bytes, which may start anywhere in their buffer.
 * @throws FormatError if they are not exactly one whole, undamaged filter of this version
 */
export function decodeFilter(bytes: Uint8Array): {
  readonly shape: FilterShape;
  readonly words: Uint32Array;
} {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER_BYTES) {
    throw new FormatError(
      `a filter has at least ${HEADER_BYTES} bytes, but there are ${bytes.length}; it was cut off`,
      {
        length: bytes.length,
      },
    );
  }
  if (view.getUint32(0, true) !== MAGIC) {
    throw new FormatError('not a filter: the bytes do not start with RJBF', { length: bytes.length });
  }
  const version = view.getUint16(4, true);
  if (version !== VERSION) {
    throw new FormatError(
      `the filter has format version ${version}, but only ${VERSION} can be read; restore it with the version of rejoin ` +
        'that wrote it',
      { version },
    );
  }
  const length = HEADER_BYTES + view.getUint32(20, true) * 4;
  if (bytes.length !== length) {
    throw new FormatError(
      `the filter's header promises ${length} bytes, but there are ${bytes.length}; it was cut off, or something follows it`,
      { expected: length, length: bytes.length },
    );
  }
  if (view.getBigUint64(CHECKSUM_AT, true) !== checksum(bytes)) {
    throw new FormatError("the filter's checksum is wrong: the bytes are damaged; build it again", {
      length,
    });
  }
  const shape = decodeShape(view);
  const words = new Uint32Array(wordCount(shape));
  if (HEADER_BYTES + words.length * 4 !== length) {
    throw new FormatError(
      `a ${shape.kind} filter of ${shape.bitCount} bits has ${words.length} words, not ${view.getUint32(20, true)}`,
      { length },
    );
  }
  for (let i = 0; i < words.length; i++) words[i] = view.getUint32(HEADER_BYTES + i * 4, true);
  const unused = words.length * 32 - shape.bitCount;
  if (unused > 0 && (words.at(-1) ?? 0) >>> (32 - unused) !== 0) {
    throw new FormatError(`the filter has bits set beyond its ${shape.bitCount}; it was written wrongly`, {
      length,
    });
  }
  return { shape, words };
}

function decodeShape(view: DataView): FilterShape {
  const kindNumber = view.getUint8(6);
  const kind = (['classic', 'split-block', 'exact', 'partitioned'] as const).find(
    (each) => kindNumbers[each] === kindNumber,
  );
  if (kind === undefined)
    throw new FormatError(`the filter is of kind ${kindNumber}, which is unknown`, { kindNumber });
  try {
    return checkedShape({
      kind,
      bitCount: Number(view.getBigUint64(8, true)),
      hashCount: view.getUint8(7),
      seed: view.getUint32(16, true),
    });
  } catch (error) {
    if (error instanceof OptionError)
      throw new FormatError(`the filter's header is wrong: ${error.message}`, error.details);
    throw error;
  }
}

function checksum(bytes: Uint8Array): bigint {
  return hashBytes64([bytes.subarray(0, CHECKSUM_AT), bytes.subarray(HEADER_BYTES)]);
}
