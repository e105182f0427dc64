/**
 * Observed against predicted: false-positive rates within five standard deviations, counts within a few per cent. Everything
 * is seeded, so a run repeats exactly.
 */
import { describe, expect, it } from 'vitest';
import {
  createFilter,
  expectedFalsePositiveRate,
  filterShape,
  type FilterKey,
  type MembershipFilter,
} from '../../src/filter/index.js';
import { agrees, idRange } from './keys.js';

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
