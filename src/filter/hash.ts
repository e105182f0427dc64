/**
 * Hashing of keys; the only door of `xxhash-wasm`, which is instantiated while this module is imported, so that every
 * function here is synchronous. Ids take the integer mixer instead: a call into WASM costs 42 ns for four bytes.
 *
 * Hashes are the same in every thread, process and platform: they are stored in serialised filters.
 * Hazards: xxhash-wasm copies its input into a memory that never shrinks, so long input goes through in chunks; strings are
 * hashed as UTF-8, where lone surrogates all become U+FFFD (equal strings still have equal hashes).
 * Source: XXH32 and XXH64, https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md
 */
import xxhash from 'xxhash-wasm';
import { ValueError } from '../errors.js';
import { idSeeds, mixOtherU32, mixU32 } from './mix.js';

export { mixU32 } from './mix.js';

/** What can be put into a filter. Keys of different types are different: 1, '1', 1n and the byte 1. */
export type FilterKey = number | string | bigint | Uint8Array;

const xx = await xxhash();
const encoder = new TextEncoder();

/** Bytes, or UTF-16 units: longer input is hashed in chunks. */
const CHUNK = 64 * 1024;

/** Tells types apart; any values that differ. */
const BIGINT_TAG = 0x62696769;
const BYTES_TAG = 0x62797465;

/**
 * XXH32 of the bytes, as a u32. They may view shared memory, and are copied.
 * @param seed u32; hashes with different seeds are *not* independent for short input, see `hash64`
 */
export function hashBytes(bytes: Uint8Array, seed = 0): number {
  if (bytes.length <= CHUNK) return xx.h32Raw(bytes, seed);
  const state = xx.create32(seed);
  for (let at = 0; at < bytes.length; at += CHUNK) state.update(bytes.subarray(at, at + CHUNK));
  return state.digest();
}

/** XXH32 of the string's UTF-8 bytes, as a u32: equal to `hashBytes` of them. */
export function hashString(text: string, seed = 0): number {
  return text.length <= CHUNK ? xx.h32(text, seed) : hashBytes(encoder.encode(text), seed);
}

/**
 * Hash of a key, as a u32. Numbers that are u32 integers take the integer mixer, others their float64 bits (−0 is 0, NaN
 * is NaN); strings, bigints and bytes take XXH32.
 * @throws ValueError if the key is of another type
 */
export function hashKey(key: FilterKey, seed = 0): number {
  if (typeof key === 'number') {
    const mixedSeed = mixU32(seed);
    if (isId(key)) return mixU32(key ^ mixedSeed);
    const { high, low } = floatWords(key);
    return mixU32(mixU32(low ^ mixedSeed) ^ high);
  }
  if (typeof key === 'string') return hashString(key, seed);
  if (typeof key === 'bigint') return hashString(key.toString(16), (seed ^ BIGINT_TAG) >>> 0);
  return hashBytes(bytesOf(key), (seed ^ BYTES_TAG) >>> 0);
}

/** The seeds of `hash64`, one for each type of key, made once for each filter. */
export interface KeySeeds {
  readonly idHigh: number;
  readonly idLow: number;
  readonly text: bigint;
  readonly bigint: bigint;
  readonly bytes: bigint;
}

export function keySeeds(seed: number): KeySeeds {
  const { high, low } = idSeeds(seed);
  const wide = BigInt(seed) << 32n;
  return {
    idHigh: high,
    idLow: low,
    text: wide,
    bigint: wide | BigInt(BIGINT_TAG),
    bytes: wide | BigInt(BYTES_TAG),
  };
}

/** The halves of a 64-bit hash, both u32. */
export interface Hash64 {
  readonly high: number;
  readonly low: number;
}

/**
 * 64-bit hash of a key, fresh. An id's is `{ mixU32(id ^ idHigh), mixOtherU32(id ^ idLow) }`, which filters write out in
 * their loops. Strings and bytes take XXH64: two XXH32 with different seeds would not do, since short inputs that collide
 * under one seed tend to collide under the next.
 * @throws ValueError if the key is of another type
 */
export function hash64(key: FilterKey, seeds: KeySeeds): Hash64 {
  if (typeof key === 'number') {
    if (isId(key)) return { high: mixU32(key ^ seeds.idHigh), low: mixOtherU32(key ^ seeds.idLow) };
    const { high, low } = floatWords(key);
    return {
      high: mixU32(mixU32(low ^ seeds.idHigh) ^ high),
      low: mixOtherU32(mixOtherU32(low ^ seeds.idLow) ^ high),
    };
  }
  if (typeof key === 'string') return halves(hashText64(key, seeds.text));
  if (typeof key === 'bigint') return halves(hashText64(key.toString(16), seeds.bigint));
  return halves(hashBytes64([bytesOf(key)], seeds.bytes));
}

/** XXH64 of all the bytes in order, as an unsigned bigint. They may view shared memory. */
export function hashBytes64(parts: readonly Uint8Array[], seed = 0n): bigint {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && only.length <= CHUNK) return xx.h64Raw(only, seed);
  const state = xx.create64(seed);
  for (const bytes of parts) {
    for (let at = 0; at < bytes.length; at += CHUNK) state.update(bytes.subarray(at, at + CHUNK));
  }
  return state.digest();
}

/** Whether the number is a u32 integer (−0 counts as 0). */
export function isId(key: number): boolean {
  return key >>> 0 === key;
}

function hashText64(text: string, seed: bigint): bigint {
  return text.length <= CHUNK ? xx.h64(text, seed) : hashBytes64([encoder.encode(text)], seed);
}

/** Holds nothing between calls. Little-endian on every platform. */
const scratch = new DataView(new ArrayBuffer(8));

function halves(hash: bigint): Hash64 {
  scratch.setBigUint64(0, hash, true);
  return { high: scratch.getUint32(4, true), low: scratch.getUint32(0, true) };
}

/** The float64's bits. A NaN has many; all are taken for one. */
function floatWords(value: number): Hash64 {
  if (Number.isNaN(value)) return { high: 0x7ff80000, low: 0 };
  scratch.setFloat64(0, value, true);
  return { high: scratch.getUint32(4, true), low: scratch.getUint32(0, true) };
}

/** What callers without types may pass is found out here. */
function bytesOf(key: unknown): Uint8Array {
  if (key instanceof Uint8Array) return key;
  const type = key === null ? 'null' : typeof key;
  throw new ValueError(`a filter's key must be a number, string, bigint or Uint8Array, not ${type}`, {
    type,
  });
}
