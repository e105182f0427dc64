/**
 * Observed against predicted: false-positive rates within five standard deviations, counts within a few per cent. Everything
 * is seeded, so a run repeats exactly.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OptionError } from '../../src/errors.js';
import {
  createFilter,
  expectedFalsePositiveRate,
  filterShape,
  type FilterKey,
  type MembershipFilter,
} from '../../src/filter/index.js';
import { agrees, anyShape, idRange, smallIds } from './keys.js';

const kinds = ['classic', 'partitioned', 'split-block'] as const;

/** How many of `trials` ids from `start` on pass. */
function passing(filter: MembershipFilter, start: number, trials: number): number {
  const chunk = 1 << 16;
  const out = new Uint32Array(chunk);
  let hits = 0;
  for (let at = 0; at < trials; at += chunk) {
    hits += filter.selectIds(idRange(start + at, Math.min(chunk, trials - at)), out);
  }
  return hits;
}

describe.each(kinds)('the false-positive rate of a %s filter', (kind) => {
  it.each([0.5, 0.2, 0.1, 0.01, 0.001, 1e-4])('is the one it was sized for: %f', (falsePositiveRate) => {
    const expectedCount = 5000;
    const trials = 20_000;
    let hits = 0;
    let predicted = 0;
    const filters = 20;
    for (let seed = 0; seed < filters; seed++) {
      const filter = createFilter(filterShape(kind, { expectedCount, falsePositiveRate, seed }));
      filter.addIds(idRange(0, expectedCount));
      hits += passing(filter, 1_000_000, trials);
      predicted += filter.predictedFalsePositiveRate() / filters;
    }
    const shape = filterShape(kind, { expectedCount, falsePositiveRate });
    const expected = expectedFalsePositiveRate(shape, expectedCount);
    expect(expected).toBeLessThanOrEqual(falsePositiveRate);
    expect(expected).toBeGreaterThan(falsePositiveRate * 0.95);
    expect(agrees(hits, filters * trials, predicted), `${hits} of ${filters * trials}`).toBe(true);
    expect(predicted / expected).toBeGreaterThan(0.97);
    expect(predicted / expected).toBeLessThan(1.03);
  });

  it('is 1e-6 when sized for it', () => {
    const trials = 6_000_000;
    const filter = createFilter(filterShape(kind, { expectedCount: 1000, falsePositiveRate: 1e-6 }));
    filter.addIds(idRange(0, 1000));
    // 6 expected; plain double hashing, or sizing by the mean fill of a block, would give dozens.
    const hits = passing(filter, 1_000_000, trials);
    expect(agrees(hits, trials, 1e-6), `${hits} of ${trials}`).toBe(true);
    expect(hits).toBeGreaterThan(0);
  });

  it('holds for small filters too, on average over seeds', () => {
    const [expectedCount, falsePositiveRate, filters, trials] = [12, 1e-3, 400, 2000];
    let hits = 0;
    let expected = 0;
    for (let seed = 0; seed < filters; seed++) {
      const shape = filterShape(kind, { expectedCount, falsePositiveRate, seed });
      const filter = createFilter(shape);
      filter.addIds(idRange(0, expectedCount));
      hits += passing(filter, 1000, trials);
      expected = expectedFalsePositiveRate(shape, expectedCount);
    }
    // Trials on one filter are not independent, so the bound is wider.
    expect(hits / (filters * trials) / expected).toBeGreaterThan(0.6);
    expect(hits / (filters * trials) / expected).toBeLessThan(1.5);
  });

  it.each([
    ['strings', (i: number) => `vertex ${i}`],
    ['bytes', (i: number) => Uint8Array.of(i, i >> 8, i >> 16, 1, 2, 3, 4, 5)],
    ['bigints', (i: number) => BigInt(i) << 40n],
    ['fractions', (i: number) => i + 0.25],
    ['multiples of 65536', (i: number) => i * 65_536],
  ] satisfies [string, (i: number) => FilterKey][])('is the same for %s', (_, make) => {
    const filter = createFilter(filterShape(kind, { expectedCount: 4000, falsePositiveRate: 0.01 }));
    for (let i = 0; i < 4000; i++) filter.add(make(i));
    const trials = 40_000;
    let hits = 0;
    for (let i = 0; i < trials; i++) if (filter.mightContain(make(i + 10_000))) hits += 1;
    expect(agrees(hits, trials, filter.predictedFalsePositiveRate()), `${hits} of ${trials}`).toBe(true);
    expect(filter.predictedFalsePositiveRate()).toBeLessThan(0.012);
  });
});

describe('the estimated count', () => {
  it.each(kinds)('of a %s filter is near the keys added, once or twice', (kind) => {
    for (const count of [0, 10, 1000, 20_000, 60_000]) {
      const filter = createFilter(filterShape(kind, { expectedCount: 20_000, falsePositiveRate: 0.01 }));
      filter.addIds(idRange(0, count));
      filter.addIds(idRange(0, count));
      expect(Math.abs(filter.estimatedCount() - count)).toBeLessThanOrEqual(0.02 * count + 1);
    }
  });

  it.each(kinds)('of a %s filter with every bit set is infinite, and its rate 1', (kind) => {
    const filter = createFilter(filterShape(kind, { expectedCount: 10, falsePositiveRate: 0.1 }));
    filter.addIds(idRange(0, 100_000));
    expect(filter.fill).toBe(1);
    expect(filter.estimatedCount()).toBe(Infinity);
    expect(filter.predictedFalsePositiveRate()).toBe(1);
  });
});

describe('the estimated counts of union and intersection', () => {
  it.each(kinds)('of %s filters are near the true ones', (kind) => {
    const options = { expectedCount: 30_000, falsePositiveRate: 0.01 };
    for (const [leftCount, rightCount, common] of [
      [20_000, 20_000, 5000],
      [20_000, 20_000, 0],
      [20_000, 20_000, 20_000],
      [30_000, 1000, 900],
      [0, 1000, 0],
    ] as const) {
      for (let seed = 0; seed < 10; seed++) {
        const left = createFilter(filterShape(kind, { ...options, seed }));
        const right = createFilter(filterShape(kind, { ...options, seed }));
        left.addIds(idRange(0, leftCount));
        right.addIds(idRange(leftCount - common, rightCount));
        const union = leftCount + rightCount - common;
        const unionCount = left.estimatedUnionCount(right);
        expect(unionCount).toBe(left.union(right).estimatedCount());
        expect(Math.abs(unionCount - union)).toBeLessThanOrEqual(0.02 * union + 1);
        const count = left.estimatedIntersectionCount(right);
        expect(right.estimatedIntersectionCount(left)).toBe(count);
        // Its error is the union's.
        expect(Math.abs(count - common)).toBeLessThanOrEqual(0.02 * union + 1);
        expect(count).toBeGreaterThanOrEqual(0);
        expect(count).toBeLessThanOrEqual(Math.min(left.estimatedCount(), right.estimatedCount()));
      }
    }
  });

  it.each(['classic', 'partitioned'] as const)('of %s filters err as theory says, without bias', (kind) => {
    // Linear counting (Whang et al. 1990): of kn throws into m bins with load t = kn/m, the standard deviation is √(m(e^t − 1 − t)).
    const [count, common, runs] = [2000, 500, 200];
    const shape = filterShape(kind, { expectedCount: 2 * count - common, falsePositiveRate: 0.01 });
    let sum = 0;
    let squares = 0;
    for (let seed = 0; seed < runs; seed++) {
      const left = createFilter({ ...shape, seed });
      const right = createFilter({ ...shape, seed });
      left.addIds(idRange(0, count));
      right.addIds(idRange(count - common, count));
      const union = left.estimatedUnionCount(right);
      sum += union;
      squares += union ** 2;
    }
    const mean = sum / runs;
    const load = (shape.hashCount * (2 * count - common)) / shape.bitCount;
    const deviation = Math.sqrt(shape.bitCount * (Math.exp(load) - 1 - load)) / shape.hashCount;
    expect(Math.abs(mean - (2 * count - common))).toBeLessThan((5 * deviation) / Math.sqrt(runs) + 1);
    const observed = Math.sqrt(squares / runs - mean ** 2);
    expect(observed / deviation).toBeGreaterThan(0.75);
    expect(observed / deviation).toBeLessThan(1.25);
  });

  it('is the formula of Papapetrou et al., from the bits set in both and in the AND', () => {
    const shape = filterShape('classic', { bitCount: 4096, hashCount: 5 });
    const [left, right] = [createFilter(shape), createFilter(shape)];
    left.addIds(idRange(0, 300));
    right.addIds(idRange(200, 250));
    const m = shape.bitCount;
    const [one, two, both] = [left.fill * m, right.fill * m, left.intersect(right).fill * m];
    const inner = m - (both * m - one * two) / (m - one - two + both);
    const published = (Math.log(inner) - Math.log(m)) / (shape.hashCount * Math.log1p(-1 / m));
    // Theirs has ln(1 − 1/m) where ours has −1/m.
    expect(left.estimatedIntersectionCount(right) / published).toBeCloseTo(1, 3);
  });

  it('are exact for exact filters, and never below 0 or above the smaller side', () => {
    fc.assert(
      fc.property(anyShape, smallIds, smallIds, (shape, one, two) => {
        const [left, right] = [createFilter(shape), createFilter(shape)];
        left.addIds(one);
        right.addIds(two);
        const count = left.estimatedIntersectionCount(right);
        expect(count).toBeGreaterThanOrEqual(0);
        expect(count).toBeLessThanOrEqual(Math.min(left.estimatedCount(), right.estimatedCount()));
        if (shape.kind !== 'exact') return;
        const others = new Set(two);
        expect(count).toBe([...new Set(one)].filter((id) => others.has(id)).length);
        expect(left.estimatedUnionCount(right)).toBe(new Set([...one, ...two]).size);
      }),
    );
  });

  it('know only the smaller side when all bits of the union are set', () => {
    const shape = filterShape('classic', { bitCount: 32, hashCount: 2 });
    const [full, small] = [createFilter(shape), createFilter(shape)];
    full.addIds(idRange(0, 1000));
    small.addIds(idRange(0, 3));
    expect(full.estimatedUnionCount(small)).toBe(Infinity);
    expect(full.estimatedIntersectionCount(small)).toBe(small.estimatedCount());
    const other = createFilter(filterShape('classic', { bitCount: 64, hashCount: 2 }));
    expect(() => full.estimatedUnionCount(other)).toThrow(/bitCount is 32 here and 64 there/);
    expect(() => full.estimatedIntersectionCount(other)).toThrow(OptionError);
  });
});
