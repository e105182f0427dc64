/** Known vectors, agreement of the paths for short and long input, and what tells keys apart. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ValueError } from '../../src/errors.js';
import {
  hash64,
  hashBytes,
  hashBytes64,
  hashKey,
  hashString,
  keySeeds,
  mixU32,
} from '../../src/filter/hash.js';
import { mixOtherU32 } from '../../src/filter/mix.js';
import type { FilterKey } from '../../src/filter/index.js';
import { id, key } from './keys.js';

const utf8 = new TextEncoder();

describe('XXH32 and XXH64', () => {
  it('give the published values', () => {
    expect(hashString('')).toBe(0x02cc5d05);
    expect(hashString('abc')).toBe(0x32d153ff);
    expect(hashBytes64([new Uint8Array()])).toBe(0xef46db3751d8e999n);
    expect(hashBytes64([utf8.encode('abc')])).toBe(0x44bc2cf5ad770999n);
  });

  it('are those of the UTF-8 bytes, long input too', () => {
    for (const length of [0, 1, 7, 65_535, 65_536, 65_537, 200_000]) {
      const text = 'é'.repeat(length);
      expect(hashString(text, 9)).toBe(hashBytes(utf8.encode(text), 9));
      const bytes = Uint8Array.from({ length }, (_, i) => i % 251);
      const cuts = [bytes.subarray(0, length >> 1), bytes.subarray(length >> 1)];
      expect(hashBytes64(cuts, 5n)).toBe(hashBytes64([bytes], 5n));
    }
  });

  it('do not depend on where the bytes lie', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat({ max: 9 }), (bytes, offset) => {
        const shared = new Uint8Array(new SharedArrayBuffer(bytes.length + 10), offset, bytes.length);
        shared.set(bytes);
        expect(hashBytes(shared)).toBe(hashBytes(bytes));
        expect(hashBytes64([shared])).toBe(hashBytes64([bytes]));
      }),
    );
  });
});

describe('the integer mixers', () => {
  it('give the published values of MurmurHash3 and fixed ones of lowbias32', () => {
    expect(mixOtherU32(1)).toBe(0x514e28b7);
    expect(mixU32(0)).toBe(0);
    expect(mixU32(1)).toBe(MIXED_ONE);
  });

  it('flip each output bit for half of the inputs, whichever input bit changes', () => {
    for (const mix of [mixU32, mixOtherU32]) {
      const samples = 4000;
      for (let inputBit = 0; inputBit < 32; inputBit++) {
        const flips = new Uint32Array(32);
        for (let i = 0; i < samples; i++) {
          const x = Math.imul(i, 0x9e3779b1);
          const changed = mix(x) ^ mix(x ^ (1 << inputBit));
          for (let bit = 0; bit < 32; bit++) flips[bit] = (flips[bit] ?? 0) + ((changed >>> bit) & 1);
        }
        for (const count of flips) expect(Math.abs(count / samples - 0.5)).toBeLessThan(0.06);
      }
    }
  });

  it('have different values for different ids', () => {
    for (const mix of [mixU32, mixOtherU32]) {
      const seen = new Set(Array.from({ length: 100_000 }, (_, i) => mix(i)));
      expect(seen.size).toBe(100_000);
    }
  });
});

describe('hashKey and hash64', () => {
  it('are equal for equal keys and u32', () => {
    fc.assert(
      fc.property(key, id, (value, seed) => {
        const copy = value instanceof Uint8Array ? value.slice() : value;
        expect(hashKey(copy, seed)).toBe(hashKey(value, seed));
        expect(hashKey(value, seed) >>> 0).toBe(hashKey(value, seed));
        expect(hash64(copy, keySeeds(seed))).toEqual(hash64(value, keySeeds(seed)));
      }),
    );
  });

  it('take −0 for 0 and any NaN for NaN', () => {
    const otherNaN = new Float64Array(new BigUint64Array([0xfff8_0000_0000_1234n]).buffer)[0] ?? 0;
    expect(hashKey(-0)).toBe(hashKey(0));
    expect(hashKey(otherNaN)).toBe(hashKey(NaN));
    expect(hash64(-0, keySeeds(3))).toEqual(hash64(0, keySeeds(3)));
    expect(hash64(otherNaN, keySeeds(3))).toEqual(hash64(NaN, keySeeds(3)));
  });

  it('tell types and neighbours apart', () => {
    const different: FilterKey[] = [
      1,
      '1',
      1n,
      -1,
      -1n,
      1.5,
      2 ** 32 + 1,
      NaN,
      Infinity,
      '',
      0,
      Uint8Array.of(0x31),
      Uint8Array.of(1),
    ];
    expect(new Set(different.map((each) => hashKey(each))).size).toBe(different.length);
    const wide = different.map((each) => JSON.stringify(hash64(each, keySeeds(0))));
    expect(new Set(wide).size).toBe(different.length);
  });

  it('refuse what is no key, naming its type', () => {
    for (const [value, type] of [
      [null, 'null'],
      [undefined, 'undefined'],
      [true, 'boolean'],
      [[1], 'object'],
    ] as const) {
      // A caller without types.
      expect(() => hashKey(value as unknown as FilterKey)).toThrow(ValueError);
      expect(() => hashKey(value as unknown as FilterKey)).toThrow(`not ${type}`);
    }
  });

  it('has independent halves: buckets by both are even', () => {
    const seeds = keySeeds(0);
    for (const make of [
      (i: number) => i,
      (i: number) => i * 4096,
      (i: number) => i + 0.5,
      (i: number) => `v${i}`,
    ]) {
      const buckets = new Uint32Array(256);
      const count = 64_000;
      for (let i = 0; i < count; i++) {
        const { high, low } = hash64(make(i), seeds);
        const bucket = ((high >>> 28) << 4) | (low >>> 28);
        buckets[bucket] = (buckets[bucket] ?? 0) + 1;
      }
      const expected = count / 256;
      const chiSquare = buckets.reduce((sum, each) => sum + (each - expected) ** 2 / expected, 0);
      // Mean 255, standard deviation 22.6.
      expect(chiSquare).toBeLessThan(255 + 6 * 22.6);
    }
  });
});

/** Worked out with Python: x ^= x >> 16; x *= 0x21f0aaad; x ^= x >> 15; x *= 0xd35a2d97; x ^= x >> 15. */
const MIXED_ONE = 0x6d3fa73;
