/** Both variants: sound for the keys in common, complete before they are probed, and as exact as theory says. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OptionError, StateError } from '../../src/errors.js';
import {
  createFilter,
  filterShape,
  intersectionFilter,
  restoreFilter,
  type FilterShape,
  type IntersectionFilter,
  type IntersectionVariant,
} from '../../src/filter/index.js';
import { agrees, anyShape, hashedShape, idRange, key, smallIds } from './keys.js';

const variants = ['and', 'two-pass'] as const;

function built(
  variant: IntersectionVariant,
  shape: FilterShape,
  left: Uint32Array,
  right: Uint32Array,
): IntersectionFilter {
  const filter = intersectionFilter(variant, { version: 1, shape });
  filter.addLeftIds(left);
  filter.completeLeft();
  filter.addRightIds(right);
  filter.completeRight();
  return filter;
}

describe.each(variants)('the intersection filter %s', (variant) => {
  it('contains all ids in common; with exact filters, no others', () => {
    fc.assert(
      fc.property(anyShape, smallIds, smallIds, (shape, left, right) => {
        const filter = built(variant, shape, left, right);
        const common = new Set([...left].filter((id) => right.includes(id)));
        for (const id of common) {
          expect(filter.mightContainId(id)).toBe(true);
          expect(filter.mightContain(id)).toBe(true);
        }
        if (shape.kind === 'exact') {
          expect(filter.filter.estimatedCount()).toBe(common.size);
          expect(filter.predictedFalsePositiveRates()).toEqual({ leftOnly: 0, rightOnly: 0, neither: 0 });
        }
        const out = new Uint32Array(left.length);
        expect(filter.selectIds(left, out)).toBe([...left].filter((id) => filter.mightContainId(id)).length);
        const pairs = Uint32Array.from([...left].flatMap((id) => [0, id]));
        expect(filter.selectPairs(pairs, 0, left.length, new Uint32Array(pairs.length), 0)).toBe(
          filter.selectIds(left, out),
        );
      }),
    );
  });

  it('contains all keys in common, of every type', () => {
    fc.assert(
      fc.property(
        hashedShape,
        fc.array(key, { maxLength: 30 }),
        fc.array(key, { maxLength: 30 }),
        (shape, left, common) => {
          const filter = intersectionFilter(variant, { version: 1, shape });
          for (const each of [...left, ...common]) filter.addLeft(each);
          filter.completeLeft();
          for (const each of common) filter.addRight(each);
          filter.completeRight();
          expect(common.every((each) => filter.mightContain(each))).toBe(true);
        },
      ),
    );
  });

  it('is the same built key by key and in bulk', () => {
    fc.assert(
      fc.property(anyShape, smallIds, smallIds, (shape, left, right) => {
        const single = intersectionFilter(variant, { version: 1, shape });
        for (const each of left) single.addLeft(each);
        single.completeLeft();
        for (const each of right) single.addRight(each);
        single.completeRight();
        expect(single.filter.words).toEqual(built(variant, shape, left, right).filter.words);
      }),
    );
  });

  it('cannot be probed before both sides are complete, nor changed afterwards', () => {
    const filter = intersectionFilter(variant, { version: 7, shape: filterShape('exact', { capacity: 10 }) });
    const ids = Uint32Array.of(1, 2);
    const probes: (() => unknown)[] = [
      () => filter.mightContain(1),
      () => filter.mightContainId(1),
      () => filter.selectIds(ids, ids),
      () => filter.selectPairs(ids, 0, 1, ids, 0),
      () => filter.filter,
      () => filter.predictedFalsePositiveRates(),
    ];
    const refuse = (actions: readonly (() => unknown)[], message: RegExp): void => {
      for (const action of actions) {
        expect(action).toThrow(StateError);
        expect(action).toThrow(message);
      }
    };
    filter.addLeftIds(ids);
    refuse(probes, /left and right side/);
    filter.completeLeft();
    refuse(probes, /its right side is not complete/);
    refuse(
      [
        () => {
          filter.addLeft(3);
        },
        () => {
          filter.addLeftIds(ids);
        },
        () => {
          filter.completeLeft();
        },
      ],
      /left side .* is complete/,
    );
    expect(filter.isPublished).toBe(false);
    filter.addRight(2);
    filter.completeRight();
    expect(filter.isPublished).toBe(true);
    for (const probe of probes) expect(probe).not.toThrow();
    refuse(
      [
        () => {
          filter.addRight(3);
        },
        () => {
          filter.completeRight();
        },
        () => {
          filter.addRightIds(ids);
        },
      ],
      /right side .* is complete/,
    );
    refuse(
      [
        () => {
          filter.addLeft(3);
        },
      ],
      /left side/,
    );
    expect([filter.mightContainId(1), filter.mightContainId(2)]).toEqual([false, true]);
    expect(filter.version).toBe(7);
  });

  it('puts its bits where it is told, over what was there', () => {
    const shape = filterShape('split-block', { bitCount: 1024 });
    const words = new Uint32Array(new SharedArrayBuffer(128)).fill(0xffff_ffff);
    const filter = intersectionFilter(variant, { version: 1, shape, words });
    filter.addLeftIds(idRange(0, 20));
    filter.completeLeft();
    filter.addRightIds(idRange(10, 20));
    filter.completeRight();
    expect(filter.filter.words).toBe(words);
    expect(words).toEqual(built(variant, shape, idRange(0, 20), idRange(10, 20)).filter.words);
    expect(createFilter(shape, words).selectIds(idRange(10, 10), new Uint32Array(10))).toBe(10);
    expect(restoreFilter(filter.filter.serialize()).words).toEqual(words);
  });
});

describe('two-pass', () => {
  it('puts in exactly those right ids that pass the first filter, over many chunks', () => {
    const shape = filterShape('split-block', { bitCount: 400_000 });
    const [left, right] = [idRange(0, 40_000), idRange(30_000, 50_000)];
    const first = createFilter(shape);
    first.addIds(left);
    const expected = createFilter(shape);
    for (const id of right) if (first.mightContainId(id)) expected.addId(id);
    expect(built('two-pass', shape, left, right).filter.words).toEqual(expected.words);
  });
});

describe('the order of sides', () => {
  it('is free with and, left first with two-pass', () => {
    const shape = filterShape('exact', { capacity: 10 });
    const and = intersectionFilter('and', { version: 1, shape });
    and.addRight(1);
    and.completeRight();
    and.addLeft(1);
    and.completeLeft();
    expect(and.mightContainId(1)).toBe(true);
    const twoPass = intersectionFilter('two-pass', { version: 1, shape });
    const early = [
      () => {
        twoPass.addRight(1);
      },
      () => {
        twoPass.addRightIds(Uint32Array.of(1));
      },
      () => {
        twoPass.completeRight();
      },
    ];
    for (const action of early) expect(action).toThrow(/call completeLeft\(\) first/);
  });

  it('refuses wrong options', () => {
    const shape = filterShape('exact', { capacity: 10 });
    expect(() => intersectionFilter('or' as 'and', { version: 1, shape })).toThrow(OptionError);
    expect(() => intersectionFilter('and', { version: NaN, shape })).toThrow(/version.*NaN/);
    expect(() => intersectionFilter('and', { version: 1, shape, firstPassShape: shape })).toThrow(/two-pass/);
    expect(() => intersectionFilter('and', { version: 1, shape, words: new Uint32Array(9) })).toThrow(
      /1 words, not 9/,
    );
  });
});

describe('the variants against a plain filter of one side', () => {
  // 100 K keys a side, 20 K in common, 10 bits a key, 7 hashes: left 0 … 99,999, right 80,000 … 179,999.
  const shape = filterShape('classic', { bitCount: 1_000_000, hashCount: 7 });
  const [left, right] = [idRange(0, 100_000), idRange(80_000, 100_000)];
  const leftOnly = idRange(0, 80_000);
  const rightOnly = idRange(100_000, 80_000);
  const neither = idRange(1_000_000, 400_000);
  const out = new Uint32Array(neither.length);
  const plain = createFilter(shape);
  plain.addIds(right);
  const and = built('and', shape, left, right);
  const twoPass = built('two-pass', shape, left, right);

  it('and: as wrong as the plain filter on keys of one side, 50 times better on keys of neither', () => {
    const rates = and.predictedFalsePositiveRates();
    expect(rates.leftOnly).toBeCloseTo(0.0082, 3);
    expect(rates.neither).toBeGreaterThan(1.4e-4);
    expect(rates.neither).toBeLessThan(1.9e-4);
    expect(and.selectIds(leftOnly, out)).toBe(plain.selectIds(leftOnly, out));
    expect(agrees(and.selectIds(leftOnly, out), leftOnly.length, rates.leftOnly)).toBe(true);
    expect(agrees(and.selectIds(rightOnly, out), rightOnly.length, rates.rightOnly)).toBe(true);
    expect(agrees(and.selectIds(neither, out), neither.length, rates.neither)).toBe(true);
    expect(and.filter.fill).toBeCloseTo(0.29, 2);
  });

  it('two-pass: next to no false positives in as many bits', () => {
    const rates = twoPass.predictedFalsePositiveRates();
    expect(twoPass.filter.fill).toBeCloseTo(0.135, 2);
    expect(rates.leftOnly).toBeLessThan(2e-6);
    expect(twoPass.selectIds(leftOnly, out)).toBeLessThanOrEqual(3);
    expect(twoPass.selectIds(neither, out)).toBeLessThanOrEqual(5);
    expect(agrees(twoPass.selectIds(rightOnly, out), rightOnly.length, rates.rightOnly)).toBe(true);
    expect(twoPass.buildBitCount).toBe(2_000_000);
  });

  it('two-pass: the same rate as the plain filter in a quarter of its bits', () => {
    const small = intersectionFilter('two-pass', {
      version: 1,
      shape: filterShape('classic', { expectedCount: 21_000, falsePositiveRate: 0.0082 }),
      firstPassShape: shape,
    });
    small.addLeftIds(left);
    small.completeLeft();
    small.addRightIds(right);
    small.completeRight();
    expect(small.shape.bitCount).toBeLessThan(shape.bitCount / 4);
    expect(agrees(small.selectIds(leftOnly, out), leftOnly.length, 0.0082)).toBe(true);
  });
});
