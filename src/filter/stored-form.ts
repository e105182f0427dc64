/**
 * What all stored filters and counters have in common: a header of 32 bytes and words, all little-endian whatever the platform.
 *
 *   0  u32 magic, "RJBF"       8  u64 size            24  u64 XXH64 of bytes 0 to 23 and of the words
 *   4  u16 version, 1         16  u32 seed            32  words
 *   6  u8  kind               20  u32 word count
 *   7  u8  hash count
 *
 * Hazard: the hash functions are part of the format. Changing one of them, or how a key finds its bits, makes old filters
 * forget keys, so it needs a new version. The tests hold one structure of each kind as fixed bytes.
 */
import { FormatError } from '../errors.js';
import { hashBytes64 } from './hash.js';

const MAGIC = 0x46424a52;
const VERSION = 1;
const HEADER_BYTES = 32;
const CHECKSUM_AT = 24;

/** Numbers that are never given to another kind. */
const kindNumbers = {
  classic: 1,
  'split-block': 2,
  exact: 3,
  partitioned: 4,
  counting: 5,
  spectral: 6,
  'count-min': 7,
} as const;

type StoredKind = keyof typeof kindNumbers;

export interface StoredForm {
  readonly kind: StoredKind;
  readonly hashCount: number;
  /** u64; what it says differs between filters and counters. */
  readonly size: bigint;
  readonly seed: number;
  readonly words: Uint32Array;
}

/** The bytes, fresh. */
export function encodeStored({ kind, hashCount, size, seed, words }: StoredForm): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + words.length * 4);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint16(4, VERSION, true);
  view.setUint8(6, kindNumbers[kind]);
  view.setUint8(7, hashCount);
  view.setBigUint64(8, size, true);
  view.setUint32(16, seed, true);
  view.setUint32(20, words.length, true);
  for (let i = 0; i < words.length; i++) view.setUint32(HEADER_BYTES + i * 4, words[i] as number, true);
  view.setBigUint64(CHECKSUM_AT, checksum(bytes), true);
  return bytes;
}

/**
 * What the bytes hold, which may start anywhere in their buffer; the words are fresh.
 * @throws FormatError if they are not exactly one whole, undamaged structure of this version
 */
export function decodeStored(bytes: Uint8Array): StoredForm {
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
  const kindNumber = view.getUint8(6);
  const kind = (Object.keys(kindNumbers) as StoredKind[]).find((each) => kindNumbers[each] === kindNumber);
  if (kind === undefined)
    throw new FormatError(`the filter is of kind ${kindNumber}, which is unknown`, { kindNumber });
  const words = new Uint32Array((length - HEADER_BYTES) / 4);
  for (let i = 0; i < words.length; i++) words[i] = view.getUint32(HEADER_BYTES + i * 4, true);
  return {
    kind,
    hashCount: view.getUint8(7),
    size: view.getBigUint64(8, true),
    seed: view.getUint32(16, true),
    words,
  };
}

/** @throws FormatError if the last word has bits set beyond the first `bitCount` of all */
export function checkUnusedBits(words: Uint32Array, bitCount: number): void {
  const unused = words.length * 32 - bitCount;
  if (unused === 0 || (words.at(-1) ?? 0) >>> (32 - unused) === 0) return;
  throw new FormatError(`the filter has bits set beyond its ${bitCount}; it was written wrongly`, {
    bitCount,
  });
}

function checksum(bytes: Uint8Array): bigint {
  return hashBytes64([bytes.subarray(0, CHECKSUM_AT), bytes.subarray(HEADER_BYTES)]);
}
