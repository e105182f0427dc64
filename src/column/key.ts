/**
 * Keys compare by value, through their canonical encoding (`key-encoding.ts`); the rules are in docs/values-and-keys.md.
 *
 * The scratch encoder below holds nothing between calls; no user's code runs during one, so it cannot be re-entered.
 */
import { hashBytes, hashString, mixU32 } from '../filter/hash.js';
import { decodeValue } from './decoding.js';
import { KeyEncoder } from './key-encoding.js';

const scratch = new KeyEncoder();
const float = new Float64Array(1);
const floatWords = new Uint32Array(float.buffer);
/** Any two fixed words that no short run of ids hits. */
const HASH_OF_NULL = mixU32(0x6e756c6c);
const HASH_OF_NAN = mixU32(0x4e614e21);

/** A key's canonical bytes, fresh. @throws ValueError if the value cannot be a key */
export function encodeKey(key: unknown): Uint8Array {
  return new Uint8Array(scratch.encode(key));
}

/** The key with these canonical bytes, fresh; equal to the one that was encoded. @throws FormatError on other bytes */
export function decodeKey(bytes: Uint8Array): unknown {
  return decodeValue(bytes);
}

/**
 * A u32 that is the same for equal keys, in every thread and process; its low bits are as good as its high ones, so it may be
 * reduced modulo a partition count. Whole numbers of 32 bits cost a few multiplications, strings one xxHash.
 * @throws ValueError if the value cannot be a key
 */
export function hashKey(key: unknown): number {
  if (typeof key === 'number') return hashNumber(key);
  if (typeof key === 'string') return hashString(key);
  if (typeof key === 'boolean') return mixU32(key ? 0x74727565 : 0x66616c73);
  return key === null ? HASH_OF_NULL : hashBytes(scratch.encode(key));
}

/** @throws ValueError if either value cannot be a key */
export function keysEqual(a: unknown, b: unknown): boolean {
  if (isScalar(a) && isScalar(b)) return a === b || (a !== a && b !== b);
  const left = encodeKey(a);
  return Buffer.compare(left, scratch.encode(b)) === 0;
}

/** Whether the value is a key that JavaScript itself compares by value (as a `Map` does: NaN equals NaN, −0 equals 0). */
export function isScalar(value: unknown): value is string | number | bigint | boolean | null {
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'bigint' || type === 'boolean' || value === null;
}

function hashNumber(value: number): number {
  const word = value >>> 0;
  if (word === value || (value | 0) === value) return mixU32(word);
  if (value !== value) return HASH_OF_NAN;
  float[0] = value;
  return mixU32((floatWords[0] ?? 0) ^ mixU32(floatWords[1] ?? 0));
}
