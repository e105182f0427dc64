/** What holds for every kind of filter: no false negatives, the laws of union and intersection, bulk loops equal single calls. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OptionError, ValueError } from '../../src/errors.js';
import {
  bloomFalseOverlapRate,
  createFilter,
  filterShape,
  partitionedFalseOverlapRate,
  wordCount,
  type FilterKey,
  type FilterShape,
  type MembershipFilter,
} from '../../src/filter/index.js';
import { hash64, keySeeds } from '../../src/filter/hash.js';
import { agrees, anyShape, CAPACITY, hashedShape, id, idRange, key, smallId, smallIds } from './keys.js';

function built(shape: FilterShape, ids: Uint32Array): MembershipFilter {
  const filter = createFilter(shape);
  filter.addIds(ids);
  return filter;
}

describe('every filter', () => {
  it('has no false negatives, for keys of every type', () => {
    fc.assert(
      fc.property(hashedShape, fc.array(key, { maxLength: 60 }), (shape, keys) => {
        const filter = createFilter(shape);
        for (const each of keys) filter.add(each);
        expect(keys.filter((each) => !filter.mightContain(each))).toEqual([]);
      }),
    );
  });

  it('has no false negatives for ids, however they were added and are probed', () => {
    fc.assert(
      fc.property(anyShape, smallIds, smallIds, smallIds, (shape, one, two, three) => {
        const filter = built(shape, one);
        for (const each of two) filter.addId(each);
        for (const each of three) filter.add(each);
        for (const each of [...one, ...two, ...three]) {
          expect(filter.mightContainId(each)).toBe(true);
          expect(filter.mightContain(each)).toBe(true);
        }
      }),
    );
  });

  it('treats an id added by any door alike', () => {
    fc.assert(
      fc.property(anyShape, smallId, (shape, each) => {
        const byBulk = built(shape, Uint32Array.of(each));
        const byId = createFilter(shape);
        byId.addId(each);
        const byKey = createFilter(shape);
        byKey.add(each);
        expect(byId.words).toEqual(byBulk.words);
        expect(byKey.words).toEqual(byBulk.words);
      }),
    );
  });

  it('selects the ids and pairs that single probes let pass, in order', () => {
    const anyIds = fc.array(fc.oneof(smallId, id), { maxLength: 200 }).map((ids) => Uint32Array.from(ids));
    fc.assert(
      fc.property(anyShape, smallIds, anyIds, (shape, added, probed) => {
        const filter = built(shape, added.subarray(0, 20));
        const passed = [...probed].filter((each) => filter.mightContainId(each));
        const out = new Uint32Array(probed.length);
        expect([...out.subarray(0, filter.selectIds(probed, out))]).toEqual(passed);

        const pairs = Uint32Array.from([...probed].flatMap((each, i) => [i, each]));
        const [start, end] = [Math.min(1, probed.length), probed.length];
        const kept = new Uint32Array(pairs.length + 4).fill(7);
        const count = filter.selectPairs(pairs, start, end, kept, 2);
        const expected = [...probed].flatMap((each, i) =>
          i >= start && filter.mightContainId(each) ? [i, each] : [],
        );
        expect([...kept.subarray(0, count * 2)]).toEqual([7, 7, 7, 7, ...expected]);

        const inPlace = probed.slice();
        expect([...inPlace.subarray(0, filter.selectIds(inPlace, inPlace))]).toEqual(passed);
      }),
    );
  });

  it('unites to what one filter of all keys is; intersects to no less than one of the common keys', () => {
    fc.assert(
      fc.property(anyShape, smallIds, smallIds, (shape, left, right) => {
        const [a, b] = [built(shape, left), built(shape, right)];
        const union = a.union(b);
        expect(union.words).toEqual(built(shape, Uint32Array.from([...left, ...right])).words);
        expect(b.union(a).words).toEqual(union.words);
        expect(a.union(a).words).toEqual(a.words);

        const intersection = a.intersect(b);
        const inRight = new Set(right);
        for (const each of left) if (inRight.has(each)) expect(intersection.mightContainId(each)).toBe(true);
        expect(b.intersect(a).words).toEqual(intersection.words);
        expect(a.intersect(a.union(b)).words).toEqual(a.words);
        expect(a.union(a.intersect(b)).words).toEqual(a.words);
        expect(intersection.shape).toEqual(shape);
      }),
    );
  });

  it('puts a union where it is told, also over an operand', () => {
    const shape = filterShape('split-block', { bitCount: 512 });
    const [a, b] = [built(shape, Uint32Array.of(1, 2)), built(shape, Uint32Array.of(3))];
    const both = built(shape, Uint32Array.of(1, 2, 3)).words;
    const words = new Uint32Array(new SharedArrayBuffer(64));
    expect(a.union(b, words).words).toBe(words);
    expect(words).toEqual(both);
    expect(a.mightContainId(3)).toBe(false);
    a.union(b, a.words);
    expect(a.mightContainId(3)).toBe(true);
    expect(() => a.union(b, new Uint32Array(15))).toThrow(/16 words, not 15/);
  });

  it('refuses to unite or intersect other shapes, naming the difference', () => {
    const shape = filterShape('classic', { bitCount: 256, hashCount: 8 });
    const others: [FilterShape, RegExp][] = [
      [filterShape('split-block', { bitCount: 256 }), /kind is classic here and split-block there/],
      [filterShape('classic', { bitCount: 512, hashCount: 8 }), /bitCount is 256 here and 512 there/],
      [filterShape('classic', { bitCount: 256, hashCount: 7 }), /hashCount is 8 here and 7 there/],
      [filterShape('classic', { bitCount: 256, hashCount: 8, seed: 1 }), /seed is 0 here and 1 there/],
    ];
    for (const [other, message] of others) {
      expect(() => createFilter(shape).union(createFilter(other))).toThrow(OptionError);
      expect(() => createFilter(shape).union(createFilter(other))).toThrow(message);
      expect(() => createFilter(shape).intersect(createFilter(other))).toThrow(message);
    }
  });

  it('lies in the words it was given: another filter over them sees the keys', () => {
    fc.assert(
      fc.property(anyShape, smallIds, (shape, ids) => {
        const words = new Uint32Array(new SharedArrayBuffer(wordCount(shape) * 4 + 64), 64);
        const writer = createFilter(shape, words);
        const reader = createFilter(structuredClone(shape), words);
        writer.addIds(ids);
        expect(ids.every((each) => reader.mightContainId(each))).toBe(true);
        expect(reader.fill).toBe(writer.fill);
      }),
    );
  });

  it('refuses words of another length, and shapes that no filter has', () => {
    const shape = filterShape('classic', { bitCount: 64, hashCount: 2 });
    expect(() => createFilter(shape, new Uint32Array(3))).toThrow(/needs 2 words, not 3/);
    const wrong = [{ bitCount: 33 }, { hashCount: 0 }, { seed: 1.5 }, { kind: 'cuckoo' as 'classic' }];
    for (const part of wrong) expect(() => createFilter({ ...shape, ...part })).toThrow(OptionError);
  });

  it('counts its set bits', () => {
    fc.assert(
      fc.property(anyShape, smallIds, (shape, ids) => {
        const filter = built(shape, ids);
        const text = [...filter.words].map((word) => word.toString(2)).join('');
        expect(filter.fill).toBe(text.replaceAll('0', '').length / shape.bitCount);
      }),
    );
  });

  it('refuses what is no key', () => {
    const filter = createFilter(filterShape('classic', { bitCount: 64, hashCount: 2 }));
    expect(() => {
      filter.add({} as unknown as FilterKey);
    }).toThrow(ValueError);
    expect(() => filter.mightContain(null as unknown as FilterKey)).toThrow(ValueError);
  });
});

describe('the exact filter', () => {
  const shape = filterShape('exact', { capacity: CAPACITY });

  it('is a set of ids: no false positives, exact count, intersection and union', () => {
    fc.assert(
      fc.property(smallIds, smallIds, (left, right) => {
        const [a, b] = [built(shape, left), built(shape, right)];
        const [setA, setB] = [new Set(left), new Set(right)];
        for (let each = 0; each < CAPACITY; each++) {
          if (a.mightContainId(each) !== setA.has(each)) throw new Error(`${each} is wrong`);
          if (a.intersect(b).mightContainId(each) !== (setA.has(each) && setB.has(each)))
            throw new Error(`${each} is wrong`);
        }
        expect(a.estimatedCount()).toBe(setA.size);
        expect(a.predictedFalsePositiveRate()).toBe(0);
      }),
      { numRuns: 20 },
    );
  });

  it('does not contain what it cannot hold, and refuses to add it', () => {
    for (const capacity of [0, 1, 31, 32, 33]) {
      const filter = createFilter(filterShape('exact', { capacity }));
      filter.addIds(Uint32Array.from({ length: capacity }, (_, i) => i));
      expect(filter.estimatedCount()).toBe(capacity);
      for (const outside of [capacity, capacity + 1, 0xffff_ffff]) {
        expect(filter.mightContainId(outside)).toBe(false);
        expect(() => {
          filter.addId(outside);
        }).toThrow(`not ${outside}`);
        expect(() => {
          filter.addIds(Uint32Array.of(outside));
        }).toThrow(OptionError);
      }
      for (const other of ['0', 0n, -1, 0.5, NaN, Uint8Array.of(0)]) {
        expect(filter.mightContain(other)).toBe(false);
        expect(() => {
          filter.add(other);
        }).toThrow(OptionError);
      }
      expect(filter.fill).toBe(capacity === 0 ? 0 : 1);
    }
  });
});

it('an exact filter over words with bits beyond its capacity does not contain those ids', () => {
  const filter = createFilter(filterShape('exact', { capacity: 40 }), new Uint32Array(2).fill(0xffff_ffff));
  const ids = Uint32Array.from({ length: 64 }, (_, i) => i);
  expect([...ids].filter((each) => filter.mightContainId(each)).length).toBe(40);
  expect(filter.selectIds(ids, new Uint32Array(64))).toBe(40);
});

describe('isCertainlyEmpty', () => {
  it('is true of no filter with keys, of every filter without, and only where nothing passes', () => {
    fc.assert(
      fc.property(anyShape, smallIds, smallIds, (shape, left, right) => {
        expect(createFilter(shape).isCertainlyEmpty()).toBe(true);
        expect(built(shape, left).isCertainlyEmpty()).toBe(left.length === 0);
        const intersection = built(shape, left).intersect(built(shape, right));
        if (!intersection.isCertainlyEmpty()) return;
        const all = Uint32Array.from({ length: CAPACITY }, (_, i) => i);
        expect(intersection.selectIds(all, all)).toBe(0);
      }),
    );
  });

  it.each([
    [
      'partitioned',
      filterShape('partitioned', { bitCount: 4096, hashCount: 16 }),
      partitionedFalseOverlapRate,
    ],
    ['classic', filterShape('classic', { bitCount: 65_536, hashCount: 16 }), bloomFalseOverlapRate],
  ] as const)('fails for disjoint sets as often as foretold: %s', (_, shape, rateOf) => {
    const trials = 2000;
    const [leftCount, rightCount] = shape.kind === 'classic' ? [5, 7] : [16, 20];
    let overlapping = 0;
    for (let seed = 0; seed < trials; seed++) {
      const left = built({ ...shape, seed }, idRange(0, leftCount));
      const right = built({ ...shape, seed }, idRange(1000, rightCount));
      if (!left.intersect(right).isCertainlyEmpty()) overlapping += 1;
    }
    const rate = rateOf(shape.bitCount, shape.hashCount, leftCount, rightCount);
    expect(rate).toBeGreaterThan(0.001);
    expect(agrees(overlapping, trials, rate), `${overlapping} of ${trials}, not ${rate}`).toBe(true);
  });
});

describe('the example in docs/filters.md', () => {
  it('does what it says', () => {
    const shape = filterShape('classic', { expectedCount: 1000, falsePositiveRate: 0.01 });
    const filter = createFilter(shape);
    filter.add('Valjean');
    expect(filter.mightContain('Valjean')).toBe(true);
    expect(filter.mightContain('Javert')).toBe(false);
    expect(filter.serialize().length).toBe(32 + wordCount(shape) * 4);
  });
});

describe('the layout', () => {
  it('of a split-block filter is that of Parquet, worked out plainly with bigints', () => {
    const salts = [
      0x47b6137bn,
      0x44974d91n,
      0x8824ad5bn,
      0xa2b7289dn,
      0x705495c7n,
      0x2df1424bn,
      0x9efc4947n,
      0x5c6bfb31n,
    ];
    fc.assert(
      fc.property(key, fc.integer({ min: 1, max: 100_000 }), id, (each, blocks, seed) => {
        const filter = createFilter(filterShape('split-block', { bitCount: blocks * 256, seed }));
        filter.add(each);
        const { high, low } = hash64(each, keySeeds(seed));
        const block = Number((BigInt(high) * BigInt(blocks)) >> 32n);
        const lanes = salts.map((salt) => 2 ** Number(((BigInt(low) * salt) & 0xffff_ffffn) >> 27n));
        expect([...filter.words.subarray(block * 8, block * 8 + 8)]).toEqual(lanes);
        expect(filter.fill).toBe(8 / (blocks * 256));
      }),
      { numRuns: 50 },
    );
  });

  it('of a partitioned filter is one scaled position in each slice, worked out plainly with bigints', () => {
    fc.assert(
      fc.property(
        key,
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 1, max: 64 }),
        id,
        (each, sliceWords, hashCount, seed) => {
          const bitCount = sliceWords * 32 * hashCount;
          const filter = createFilter(filterShape('partitioned', { bitCount, hashCount, seed }));
          filter.add(each);
          const { high, low } = hash64(each, keySeeds(seed));
          const expected = new Uint32Array(sliceWords * hashCount);
          for (let i = 0; i < hashCount; i++) {
            const x = (BigInt(high) + BigInt(i) * BigInt(low | 1)) & 0xffff_ffffn;
            const mixed = ((x ^ (x >> 15n)) * 0x2c1b3c6dn) & 0xffff_ffffn;
            const bit = i * sliceWords * 32 + Number((mixed * BigInt(sliceWords * 32)) >> 32n);
            expected[bit >>> 5] = 1 << (bit & 31);
          }
          expect([...filter.words]).toEqual([...expected]);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('of a classic filter is k scaled positions, worked out plainly with bigints', () => {
    fc.assert(
      fc.property(
        key,
        fc.integer({ min: 1, max: 2000 }),
        fc.integer({ min: 1, max: 64 }),
        id,
        (each, words, hashCount, seed) => {
          const filter = createFilter(filterShape('classic', { bitCount: words * 32, hashCount, seed }));
          filter.add(each);
          const { high, low } = hash64(each, keySeeds(seed));
          const expected = new Uint32Array(words);
          for (let i = 0n; i < BigInt(hashCount); i++) {
            const x = (BigInt(high) + i * BigInt(low | 1)) & 0xffff_ffffn;
            const mixed = ((x ^ (x >> 15n)) * 0x2c1b3c6dn) & 0xffff_ffffn;
            const bit = Number((mixed * BigInt(words * 32)) >> 32n);
            expected[bit >>> 5] = (expected[bit >>> 5] ?? 0) | (1 << (bit & 31));
          }
          expect([...filter.words]).toEqual([...expected]);
        },
      ),
      { numRuns: 50 },
    );
  });
});
