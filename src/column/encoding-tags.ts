/**
 * The first byte of every encoded value. One value is its tag and a payload; lengths are LEB128 varints, numbers are
 * little-endian, elements follow one another without separators, so no encoding is a prefix of another.
 *
 *   INT32 4 bytes · FLOAT64 8 bytes · BIGINT64 8 bytes · DATE 8 bytes (milliseconds, NaN: invalid)
 *   STRING length, UTF-8 · STRING_UTF16 length in code units, UTF-16LE (only if it has lone surrogates)
 *   BIGINT_POSITIVE, BIGINT_NEGATIVE length, magnitude, most significant byte first (only beyond 64 bits)
 *   BYTES length, bytes · TYPED_ARRAY index in TYPED_ARRAYS, length, bytes in the machine's order
 *   ARRAY, LIST, STACK, SET, … count, elements · OBJECT, MAP, … count, then key, value by turns
 *
 * Bytes live within one process, never in a file: tags may be renumbered at will.
 */

export const TAG_UNDEFINED = 0;
export const TAG_NULL = 1;
export const TAG_FALSE = 2;
export const TAG_TRUE = 3;
export const TAG_INT32 = 4;
export const TAG_FLOAT64 = 5;
export const TAG_STRING = 6;
export const TAG_STRING_UTF16 = 7;
export const TAG_BIGINT64 = 8;
export const TAG_BIGINT_POSITIVE = 9;
export const TAG_BIGINT_NEGATIVE = 10;
export const TAG_DATE = 11;
export const TAG_BYTES = 12;
export const TAG_TYPED_ARRAY = 13;
export const TAG_ARRAY = 14;
/** An element that the array does not have; only inside ARRAY. */
export const TAG_HOLE = 15;
export const TAG_OBJECT = 16;
export const TAG_NULL_PROTOTYPE_OBJECT = 17;
export const TAG_MAP = 18;
export const TAG_SET = 19;
export const TAG_IMMUTABLE_LIST = 20;
export const TAG_IMMUTABLE_STACK = 21;
export const TAG_IMMUTABLE_SET = 22;
export const TAG_IMMUTABLE_ORDERED_SET = 23;
export const TAG_IMMUTABLE_MAP = 24;
export const TAG_IMMUTABLE_ORDERED_MAP = 25;

/** Typed arrays by their index in the encoding; Uint8Array has a tag of its own, BYTES. */
export const TYPED_ARRAYS: readonly (new (buffer: ArrayBufferLike) => ArrayBufferView)[] = [
  Int8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
];
