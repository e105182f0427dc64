/** Spectral filters and Count-Min sketches: never too low, and too high as seldom as theory says. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OptionError, StateError, ValueError } from '../../src/errors.js';
import {
  countMinError,
  countMinSize,
  countMinSketch,
  spectralFilter,
  type CountMinSketch,
  type FilterKey,
  type SpectralFilter,
} from '../../src/filter/index.js';
import { counterBits, CounterModel, unpack, update } from './counter-model.js';
import { agrees, id, idRange, key } from './keys.js';

const anySpectral = fc
  .tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 12 }), counterBits, update, id)
  .map(([counterCount, hashCount, bits, rule, seed]) =>
    spectralFilter({ counterCount, hashCount, counterBits: bits, update: rule, seed }),
  );

const anyCountMin = fc
  .tuple(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 9 }), counterBits, update, id)
  .map(([width, depth, bits, rule, seed]) =>
    countMinSketch({ width, depth, counterBits: bits, update: rule, seed }),
  );

const anyFrequency: fc.Arbitrary<SpectralFilter | CountMinSketch> = fc.oneof(anySpectral, anyCountMin);
const additions = fc.array(fc.tuple(key, fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 9 }))), {
  maxLength: 60,
});

/** Keys that are equal for a filter have one name. */
function nameOf(each: FilterKey): string {
  return `${typeof each} ${each instanceof Uint8Array ? each.join() : String(each)}`;
}

describe('spectral filters and Count-Min sketches', () => {
  it('do to their counters what a plain model does, and never estimate too low', () => {
    fc.assert(
      fc.property(anyFrequency, additions, (structure, added) => {
        const model = new CounterModel(structure.shape);
        const times = new Map<string, number>();
        for (const [each, count] of added) {
          if (!model.add(each, count)) {
            expect(() => {
              structure.add(each, count);
            }).toThrow(/hold at most/);
            continue;
          }
          structure.add(each, count);
          times.set(nameOf(each), (times.get(nameOf(each)) ?? 0) + count);
        }
        for (const [each] of added) {
          const estimate = structure.estimate(each);
          expect(estimate).toBe(model.estimate(each));
          expect(estimate).toBeGreaterThanOrEqual(times.get(nameOf(each)) ?? 0);
          expect(estimate).toBeLessThanOrEqual(structure.totalCount);
        }
        const { counters, total } = unpack(structure.shape, structure.serialize());
        expect(counters).toEqual(model.counters);
        expect(total).toBe(model.total);
      }),
    );
  });

  it('merge to what one structure of all is; minimal-increase still never too low', () => {
    fc.assert(
      fc.property(fc.boolean(), update, additions, additions, (isSpectral, rule, left, right) => {
        const make = (): SpectralFilter | CountMinSketch =>
          isSpectral
            ? spectralFilter({ counterCount: 64, hashCount: 3, update: rule })
            : countMinSketch({ width: 30, depth: 3, update: rule });
        const [one, two, all] = [make(), make(), make()];
        for (const [each, count] of left) one.add(each, count);
        for (const [each, count] of right) two.add(each, count);
        for (const [each, count] of [...left, ...right]) all.add(each, count);
        const separate = [...left, ...right].map(([each]) => one.estimate(each) + two.estimate(each));
        if (one.kind === 'spectral' && two.kind === 'spectral') one.merge(two);
        if (one.kind === 'count-min' && two.kind === 'count-min') one.merge(two);
        expect(one.totalCount).toBe(all.totalCount);
        if (rule === 'plain') expect(one.serialize()).toEqual(all.serialize());
        for (const [i, [each]] of [...left, ...right].entries()) {
          expect(one.estimate(each)).toBeGreaterThanOrEqual(separate[i] ?? 0);
        }
      }),
    );
  });

  it('estimate no higher with minimal-increase than without', () => {
    fc.assert(
      fc.property(additions, fc.integer({ min: 1, max: 40 }), id, (added, width, seed) => {
        const options = { width, depth: 4, seed };
        const plain = countMinSketch(options);
        const minimal = countMinSketch({ ...options, update: 'minimal-increase' });
        for (const [each, count] of added) {
          plain.add(each, count);
          minimal.add(each, count);
        }
        for (const [each] of added) expect(minimal.estimate(each)).toBeLessThanOrEqual(plain.estimate(each));
      }),
    );
  });

  it('refuse overflow, wrong counts and keys, and change nothing then', () => {
    for (const rule of ['plain', 'minimal-increase'] as const) {
      for (const structure of [
        spectralFilter({ counterCount: 64, hashCount: 3, counterBits: 8, update: rule }),
        countMinSketch({ width: 50, depth: 3, counterBits: 8, update: rule }),
      ]) {
        structure.add('a', 250);
        const before = structure.serialize();
        const refused: [() => void, new () => Error, RegExp][] = [
          [() => structure.add('a', 6), StateError as never, /would be 256, .*hold at most 255/],
          [() => structure.add('b', 256), StateError as never, /would be/],
          [() => structure.add('a', 0), OptionError as never, /count must be a whole number from 1, not 0/],
          [() => structure.add('a', 1.5), OptionError as never, /not 1.5/],
          [() => structure.add('a', -1), OptionError as never, /not -1/],
          [() => structure.add({} as unknown as FilterKey), ValueError as never, /not object/],
        ];
        for (const [action, type, message] of refused) {
          expect(action).toThrow(type);
          expect(action).toThrow(message);
          expect(structure.serialize()).toEqual(before);
        }
        structure.add('a', 5);
        expect(structure.estimate('a')).toBe(255);
      }
    }
  });

  it('refuse to merge what overflows or has another shape', () => {
    const sketch = countMinSketch({ width: 8, depth: 2, counterBits: 8 });
    const other = countMinSketch({ width: 8, depth: 2, counterBits: 8 });
    sketch.add(1, 200);
    other.add(1, 56);
    const before = sketch.serialize();
    expect(() => {
      sketch.merge(other);
    }).toThrow(/would be 256/);
    expect(sketch.serialize()).toEqual(before);
    expect(() => {
      sketch.merge(countMinSketch({ width: 8, depth: 2, counterBits: 8, update: 'minimal-increase' }));
    }).toThrow(/update is plain here and minimal-increase there/);
    expect(() => {
      spectralFilter({ counterCount: 32, hashCount: 1 }).merge(
        spectralFilter({ counterCount: 64, hashCount: 1 }),
      );
    }).toThrow(OptionError);
  });
});

describe('the spectral filter', () => {
  it('deletes what was added, as if it never had been', () => {
    fc.assert(
      fc.property(additions, additions, id, (kept, gone, seed) => {
        const options = { counterCount: 100, hashCount: 4, seed };
        const [filter, without] = [spectralFilter(options), spectralFilter(options)];
        for (const [each, count] of kept) without.add(each, count);
        for (const [each, count] of [...kept, ...gone]) filter.add(each, count);
        for (const [each, count] of gone) filter.delete(each, count);
        expect(filter.serialize()).toEqual(without.serialize());
      }),
    );
  });

  it('refuses to delete too often, or with minimal-increase', () => {
    const filter = spectralFilter({ expectedCount: 100, falsePositiveRate: 0.01 });
    filter.add('a', 3);
    const before = filter.serialize();
    expect(() => {
      filter.delete('a', 4);
    }).toThrow(/deleted 4 times that is in at most 3/);
    expect(filter.serialize()).toEqual(before);
    filter.delete('a', 3);
    expect(filter.estimate('a')).toBe(0);
    const minimal = spectralFilter({ counterCount: 32, hashCount: 2, update: 'minimal-increase' });
    minimal.add('a');
    expect(() => {
      minimal.delete('a');
    }).toThrow(/cannot delete.*plain/);
    expect(minimal.estimate('a')).toBe(1);
  });

  it('is too high as often as predicted, and less often with minimal-increase', () => {
    const count = 20_000;
    const wrong = { plain: 0, 'minimal-increase': 0 };
    for (const rule of ['plain', 'minimal-increase'] as const) {
      const filter = spectralFilter({ expectedCount: count, falsePositiveRate: 0.05, update: rule });
      const timesOf = (each: number): number => 1 + (each % 7);
      for (let round = 0; round < 7; round++) {
        for (const each of idRange(0, count)) if (round < timesOf(each)) filter.add(each);
      }
      wrong[rule] = [...idRange(0, count)].filter((each) => filter.estimate(each) !== timesOf(each)).length;
      if (rule === 'plain') expect(agrees(wrong.plain, count, filter.predictedErrorRate())).toBe(true);
      expect(filter.predictedErrorRate()).toBeCloseTo(0.05, 2);
    }
    expect(wrong.plain).toBeGreaterThan(0.04 * count);
    expect(wrong['minimal-increase']).toBeLessThan(wrong.plain * 0.7);
  });
});

describe('the Count-Min sketch', () => {
  it('has the published size, both ways', () => {
    expect(countMinSize(0.001, 0.01)).toEqual({ width: 2719, depth: 5 });
    expect(countMinSize(0.01, 1e-9)).toEqual({ width: 272, depth: 21 });
    fc.assert(
      fc.property(
        fc.double({ min: 1e-6, max: 0.99, noNaN: true }),
        fc.double({ min: 1e-12, max: 0.99, noNaN: true }),
        (epsilon, delta) => {
          const { width, depth } = countMinSize(epsilon, delta);
          const reached = countMinError(width, depth);
          expect(reached.epsilon).toBeLessThanOrEqual(epsilon * (1 + 1e-12));
          expect(reached.delta).toBeLessThanOrEqual(delta * (1 + 1e-12));
          if (width > 1) expect(countMinError(width - 1, depth).epsilon).toBeGreaterThan(epsilon);
          if (depth > 1) expect(countMinError(width, depth - 1).delta).toBeGreaterThan(delta);
        },
      ),
    );
    const sketch = countMinSketch({ epsilon: 0.001, delta: 0.01 });
    expect([sketch.width, sketch.depth, sketch.shape.counterBits]).toEqual([2719, 5, 32]);
    expect([sketch.epsilon, sketch.delta]).toEqual([Math.E / 2719, Math.exp(-5)]);
    for (const [epsilon, delta] of [
      [0, 0.1],
      [1, 0.1],
      [NaN, 0.1],
      [0.1, 0],
      [0.1, 1],
      [0.1, -1],
    ] as const)
      expect(() => countMinSketch({ epsilon, delta })).toThrow(/(epsilon|delta) must be .* not/);
    expect(() => countMinError(-1, 2)).toThrow(/width/);
  });

  it('keeps its bound on a stream where few keys are frequent', () => {
    // Key i of 30,000 comes about 30,000/i times.
    const [count, epsilon, delta] = [30_000, 0.001, 0.05];
    let above = 0;
    let aboveByHalf = 0;
    for (let seed = 0; seed < 5; seed++) {
      const sketch = countMinSketch({ epsilon, delta, seed });
      for (let i = 1; i <= count; i++) sketch.add(i, Math.ceil(count / i));
      const errors = [...idRange(1, count)].map((i) => sketch.estimate(i) - Math.ceil(count / i));
      expect(Math.min(...errors)).toBeGreaterThanOrEqual(0);
      above += errors.filter((error) => error > sketch.epsilon * sketch.totalCount).length;
      aboveByHalf += errors.filter((error) => error > 0).length;
    }
    expect(above / (5 * count)).toBeLessThanOrEqual(delta);
    // It does err, or the bound would say nothing.
    expect(aboveByHalf).toBeGreaterThan(0);
  });
});

describe('options of counters', () => {
  it('are checked, the value named', () => {
    const refused: [() => unknown, RegExp][] = [
      [() => spectralFilter({ counterCount: 64, hashCount: 0 }), /hashCount of spectral.*1 to 64, not 0/],
      [() => countMinSketch({ width: 8, depth: 65 }), /hashCount of count-min.*not 65/],
      [() => countMinSketch({ width: 0, depth: 2 }), /counterCount.*multiple of 2 from 2, not 0/],
      [() => countMinSketch({ width: 1.5, depth: 2 }), /width.*not 1.5/],
      [() => countMinSketch({ width: 2 ** 27 + 1, depth: 1 }), /at most 134217728/],
      [() => spectralFilter({ counterCount: -1, hashCount: 2 }), /counterCount.*not -1/],
      [
        () => spectralFilter({ counterCount: 64, hashCount: 2, counterBits: 5 as 4 }),
        /4, 8, 16 or 32, not 5/,
      ],
      [() => spectralFilter({ counterCount: 64, hashCount: 2, seed: -1 }), /seed.*not -1/],
      [() => spectralFilter({ counterCount: 64, hashCount: 2, update: 'no' as 'plain' }), /update.*not no/],
      [() => spectralFilter({ expectedCount: 5, falsePositiveRate: 2 }), /falsePositiveRate.*not 2/],
    ];
    for (const [make, message] of refused) {
      expect(make).toThrow(OptionError);
      expect(make).toThrow(message);
    }
    expect(spectralFilter({ counterCount: 1000, expectedCount: 100 }).shape).toEqual({
      kind: 'spectral',
      counterCount: 1024,
      hashCount: 7,
      counterBits: 16,
      update: 'plain',
      seed: 0,
    });
  });
});
