/** The formulas against published figures, their inverses and bounds, and against plain simulation. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OptionError } from '../../src/errors.js';
import { bloomSize } from '../../src/filter/bloom-sizing.js';
import {
  bloomBitCount,
  bloomCapacity,
  bloomFalseOverlapRate,
  bloomFalsePositiveRate,
  bloomHashCount,
  expectedFalsePositiveRate,
  filterCapacity,
  filterShape,
  minimumBitCount,
  partitionedFalseOverlapRate,
  partitionedFalsePositiveRate,
  splitBlockCount,
  splitBlockFalsePositiveRate,
  wordCount,
  type FilterShape,
} from '../../src/filter/index.js';
import { hashedShape } from './keys.js';

const count = fc.integer({ min: 1, max: 10_000_000 });
const rate = fc.double({ min: 1e-6, max: 0.5, noNaN: true });

describe('the textbook formulas', () => {
  it('give the known figures: 1 % takes 9.6 bits a key and 7 hashes, a factor of ten 4.8 bits', () => {
    expect(bloomBitCount(1_000_000, 0.01) / 1e6).toBeCloseTo(9.585, 3);
    expect(bloomHashCount(bloomBitCount(1_000_000, 0.01), 1_000_000)).toBe(7);
    expect((bloomBitCount(1e6, 0.001) - bloomBitCount(1e6, 0.01)) / 1e6).toBeCloseTo(4.79, 2);
    expect(bloomBitCount(1e6, 0.001) / minimumBitCount(1e6, 0.001)).toBeCloseTo(1.4427, 3);
    expect(bloomFalsePositiveRate(1_000_000, 7, 100_000)).toBeCloseTo(0.0082, 4);
  });

  it('are inverse to each other', () => {
    fc.assert(
      fc.property(count, rate, (n, f) => {
        const capacity = bloomCapacity(bloomBitCount(n, f), f);
        expect(capacity).toBeGreaterThanOrEqual(n);
        expect(capacity).toBeLessThanOrEqual(n + 1);
        expect(bloomBitCount(n, f)).toBeGreaterThan(minimumBitCount(n, f) - 1);
      }),
    );
  });

  it('take no keys', () => {
    expect(bloomBitCount(0, 0.01)).toBe(0);
    expect(minimumBitCount(0, 0.01)).toBe(0);
    expect(bloomHashCount(64, 0)).toBe(1);
    expect(bloomFalsePositiveRate(64, 3, 0)).toBe(0);
    expect(splitBlockFalsePositiveRate(1, 0)).toBe(0);
    expect(wordCount(filterShape('classic', { expectedCount: 0, falsePositiveRate: 1e-6 }))).toBe(1);
    expect(wordCount(filterShape('split-block', { expectedCount: 0, falsePositiveRate: 1e-6 }))).toBe(8);
    expect(wordCount(filterShape('exact', { capacity: 0 }))).toBe(0);
  });
});

describe('sizing by rate', () => {
  it('reaches the rate with the fewest words, or blocks', () => {
    fc.assert(
      fc.property(count, rate, (expectedCount, falsePositiveRate) => {
        for (const kind of ['classic', 'partitioned', 'split-block'] as const) {
          const shape = filterShape(kind, { expectedCount, falsePositiveRate });
          const unit = { classic: 32, partitioned: 32 * shape.hashCount, 'split-block': 256 }[kind];
          expect(expectedFalsePositiveRate(shape, expectedCount)).toBeLessThanOrEqual(falsePositiveRate);
          if (shape.bitCount === unit) continue;
          const smaller: FilterShape = { ...shape, bitCount: shape.bitCount - unit };
          expect(expectedFalsePositiveRate(smaller, expectedCount)).toBeGreaterThan(falsePositiveRate);
        }
      }),
    );
  });

  it('takes few more bits than the closed formula, and never fewer than the lower bound', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1000, max: 10_000_000 }),
        fc.double({ min: 1e-6, max: 0.1, noNaN: true }),
        (n, f) => {
          const { bitCount } = bloomSize(n, f);
          expect(bitCount).toBeGreaterThanOrEqual(minimumBitCount(n, f));
          expect(bitCount / bloomBitCount(n, f)).toBeGreaterThan(0.99);
          expect(bitCount / bloomBitCount(n, f)).toBeLessThan(1.06);
          expect(splitBlockCount(n, f) * 256).toBeGreaterThan(bitCount);
        },
      ),
    );
  });

  it('gives split-block filters the published 10.5 bits a key for 1 %', () => {
    expect((splitBlockCount(1_000_000, 0.01) * 256) / 1e6).toBeCloseTo(10.53, 2);
  });
});

describe('filterCapacity', () => {
  it('is the most keys that keep to the rate, and inverse to sizing by rate', () => {
    fc.assert(
      fc.property(hashedShape, rate, (shape, f) => {
        const capacity = filterCapacity(shape, f);
        expect(expectedFalsePositiveRate(shape, capacity)).toBeLessThanOrEqual(f);
        expect(expectedFalsePositiveRate(shape, capacity + 1)).toBeGreaterThan(f);
      }),
    );
    for (const kind of ['classic', 'partitioned', 'split-block'] as const) {
      const shape = filterShape(kind, { expectedCount: 100_000, falsePositiveRate: 0.01 });
      expect(filterCapacity(shape, 0.01)).toBeGreaterThanOrEqual(100_000);
      expect(filterCapacity(shape, 0.01)).toBeLessThan(100_100);
    }
    expect(filterCapacity(filterShape('exact', { capacity: 77 }), 0.01)).toBe(77);
    expect(() => filterCapacity(filterShape('exact', { capacity: 77 }), 0)).toThrow(/falsePositiveRate/);
  });
});

describe('partitionedFalsePositiveRate', () => {
  it('is (1 − (1 − k/m)^n)^k, and never below the rate of a classic filter of as many bits', () => {
    expect(partitionedFalsePositiveRate(960, 6, 70)).toBeCloseTo((1 - (1 - 6 / 960) ** 70) ** 6, 12);
    expect(partitionedFalsePositiveRate(64, 2, 0)).toBe(0);
    expect(partitionedFalsePositiveRate(2, 2, 1)).toBe(1);
    expect(partitionedFalsePositiveRate(0, 0, 1)).toBe(1);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 20 }), (n, k) => {
        const bits = 32 * k * Math.ceil((1.44 * n * k) / (32 * k));
        const partitioned = partitionedFalsePositiveRate(bits, k, n);
        // The classic formula is an approximation itself.
        expect(partitioned).toBeGreaterThanOrEqual((1 - (1 - 1 / bits) ** (k * n)) ** k * (1 - 1e-9));
      }),
    );
  });

  it('gives the figures of sets that look as if they overlapped', () => {
    // Ten keys a side: 16 slices of 256 bits show that they are disjoint, one array of 4096 bits hardly ever does.
    expect(partitionedFalseOverlapRate(4096, 16, 10, 10)).toBeCloseTo((1 - (255 / 256) ** 100) ** 16, 12);
    expect(bloomFalseOverlapRate(4096, 16, 10, 10)).toBeCloseTo(1 - (4095 / 4096) ** 25_600, 12);
    expect(bloomFalseOverlapRate(1, 1, 1, 1)).toBe(1);
    expect(bloomFalseOverlapRate(64, 2, 0, 9)).toBe(0);
    expect(partitionedFalseOverlapRate(64, 2, 9, 0)).toBe(0);
  });
});

describe('bloomFalsePositiveRate', () => {
  it('agrees with simulated throws where the fill varies, which the k-th power alone does not', () => {
    // 10 keys, 20 hashes, 288 bits: mean of fill^k over many filters.
    let state = 1;
    const random = (limit: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * limit);
    };
    let sum = 0;
    const filters = 5000;
    for (let filter = 0; filter < filters; filter++) {
      const bits = new Set<number>();
      for (let i = 0; i < 200; i++) bits.add(random(288));
      sum += (bits.size / 288) ** 20;
    }
    const simulated = sum / filters;
    expect(bloomFalsePositiveRate(288, 20, 10) / simulated).toBeGreaterThan(0.95);
    expect(bloomFalsePositiveRate(288, 20, 10) / simulated).toBeLessThan(1.05);
    expect((1 - (1 - 1 / 288) ** 200) ** 20 / simulated).toBeLessThan(0.9);
  });
});

describe('splitBlockFalsePositiveRate', () => {
  it('equals the plain binomial sum', () => {
    for (const [blocks, keys] of [
      [1, 20],
      [2, 30],
      [7, 100],
      [50, 20],
      [40, 1000],
    ] as const) {
      let plain = 0;
      let weight = (1 - 1 / blocks) ** keys;
      if (blocks === 1) plain = (1 - (31 / 32) ** keys) ** 8;
      else {
        for (let x = 0; x <= keys; x++) {
          plain += weight * (1 - (31 / 32) ** x) ** 8;
          weight *= (keys - x) / (x + 1) / (blocks - 1);
        }
      }
      expect(splitBlockFalsePositiveRate(blocks, keys)).toBeCloseTo(plain + (keys / blocks) * 2 ** -32, 12);
    }
  });

  it('rises with the keys, to 1', () => {
    const rates = [1, 10, 100, 1000, 10_000, 100_000, 10_000_000].map((n) =>
      splitBlockFalsePositiveRate(4, n),
    );
    expect(rates).toEqual([...rates].sort((a, b) => a - b));
    expect(rates[0]).toBeLessThan(1e-9);
    expect(rates.at(-1)).toBe(1);
  });
});

describe('filterShape', () => {
  it('is plain frozen data that survives a clone', () => {
    const shape = filterShape('split-block', { expectedCount: 1000, falsePositiveRate: 0.01, seed: 7 });
    expect(Object.isFrozen(shape)).toBe(true);
    expect(structuredClone(shape)).toEqual(shape);
    expect(shape).toEqual({ kind: 'split-block', bitCount: 10752, hashCount: 8, seed: 7 });
  });

  it('rounds given bits up to words and blocks, and takes the best number of hashes', () => {
    expect(filterShape('classic', { bitCount: 1000, expectedCount: 100 })).toMatchObject({
      bitCount: 1024,
      hashCount: 7,
    });
    expect(filterShape('classic', { bitCount: 1, hashCount: 3 })).toMatchObject({
      bitCount: 32,
      hashCount: 3,
    });
    expect(filterShape('partitioned', { bitCount: 1000, expectedCount: 100 })).toMatchObject({
      bitCount: 1120,
      hashCount: 7,
    });
    expect(filterShape('partitioned', { bitCount: 1, hashCount: 3 })).toMatchObject({
      bitCount: 96,
      hashCount: 3,
    });
    expect(filterShape('split-block', { bitCount: 257 })).toMatchObject({ bitCount: 512, hashCount: 8 });
    expect(filterShape('exact', { capacity: 33 })).toMatchObject({ bitCount: 33, hashCount: 1 });
    expect(wordCount(filterShape('exact', { capacity: 33 }))).toBe(2);
  });

  it('refuses rates, counts and sizes out of range, naming the value', () => {
    const refused: [() => unknown, RegExp][] = [
      ...[0, 1, -0.1, NaN, Infinity].map((falsePositiveRate): [() => unknown, RegExp] => [
        () => filterShape('classic', { expectedCount: 1, falsePositiveRate }),
        new RegExp(`falsePositiveRate.*not ${String(falsePositiveRate)}`),
      ]),
      [() => filterShape('split-block', { expectedCount: 1, falsePositiveRate: 1e-10 }), /from 1e-9.*exact/],
      [() => filterShape('classic', { expectedCount: -1, falsePositiveRate: 0.1 }), /expectedCount.*not -1/],
      [
        () => filterShape('classic', { expectedCount: 1.5, falsePositiveRate: 0.1 }),
        /expectedCount.*not 1\.5/,
      ],
      [() => filterShape('exact', { capacity: 2 ** 32 + 1 }), /4294967297.*2\^32/],
      [() => filterShape('classic', { bitCount: 2 ** 32 + 1, hashCount: 1 }), /2\^32/],
      [() => filterShape('split-block', { bitCount: 2 ** 33 }), /2\^32/],
      [
        () => filterShape('classic', { expectedCount: 1e9, falsePositiveRate: 0.01 }),
        /9585058378 bits.*split the keys/,
      ],
      [() => filterShape('split-block', { expectedCount: 1e9, falsePositiveRate: 0.01 }), /split the keys/],
      [() => filterShape('classic', { bitCount: 64, hashCount: 0 }), /hashCount.*1 to 64, not 0/],
      [() => filterShape('classic', { bitCount: 64, hashCount: 65 }), /hashCount.*not 65/],
      [() => filterShape('partitioned', { bitCount: 64, hashCount: 0 }), /hashCount.*1 to 64, not 0/],
      [() => filterShape('partitioned', { bitCount: 64, hashCount: 0.5 }), /hashCount.*not 0.5/],
      [() => filterShape('partitioned', { expectedCount: 1e9, falsePositiveRate: 0.01 }), /split the keys/],
      [() => filterShape('split-block', { bitCount: 64, seed: -1 }), /seed.*not -1/],
      [() => bloomBitCount(1, 2), /falsePositiveRate.*not 2/],
      [() => bloomCapacity(-1, 0.1), /bitCount.*not -1/],
      [
        () =>
          filterShape('classic', { bitCount: 64, hashCount: 1, expectedCount: 5, falsePositiveRate: 0.1 }),
        /not by both/,
      ],
    ];
    for (const [make, message] of refused) {
      expect(make).toThrow(OptionError);
      expect(make).toThrow(message);
    }
  });

  it('takes filters of exactly 2^32 bits', () => {
    expect(wordCount(filterShape('exact', { capacity: 2 ** 32 }))).toBe(2 ** 27);
    expect(wordCount(filterShape('split-block', { bitCount: 2 ** 32 }))).toBe(2 ** 27);
  });
});
