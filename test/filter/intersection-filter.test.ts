/** All variants: sound for the keys in common, complete before they are probed, and as exact as theory says. */
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
import { agrees, anyShape, hashedShape, idRange, key, partitionedShape, smallIds } from './keys.js';

const variants = ['and', 'partitioned-and', 'two-pass'] as const;

/** Shapes that the variant takes. */
function shapesOf(variant: IntersectionVariant, shapes = anyShape): fc.Arbitrary<FilterShape> {
  return variant === 'partitioned-and' ? partitionedShape : shapes;
}

/** Two to five sets. */
const sideIds = fc.array(smallIds, { minLength: 2, maxLength: 5 });

function fillSides(filter: IntersectionFilter, sides: readonly Uint32Array[]): void {
  for (const [index, ids] of sides.entries()) {
    filter.side(index).addIds(ids);
    filter.side(index).complete();
  }
}

function built(
  variant: IntersectionVariant,
  shape: FilterShape,
  sides: readonly Uint32Array[],
): IntersectionFilter {
  const filter = intersectionFilter(variant, { version: 1, shape, sideCount: sides.length });
  fillSides(filter, sides);
  return filter;
}

function commonIds([first = new Uint32Array(), ...others]: readonly Uint32Array[]): Set<number> {
  return new Set([...first].filter((id) => others.every((ids) => ids.includes(id))));
}

function ratesOf(filter: IntersectionFilter): Record<'leftOnly' | 'rightOnly' | 'neither', number> {
  return {
    leftOnly: filter.predictedFalsePositiveRate([0]),
    rightOnly: filter.predictedFalsePositiveRate([1]),
    neither: filter.predictedFalsePositiveRate(),
  };
}

describe.each(variants)('the intersection filter %s', (variant) => {
  it('contains all ids in common to n sides; with exact filters, no others', () => {
    fc.assert(
      fc.property(shapesOf(variant), sideIds, smallIds, (shape, sides, shared) => {
        const all = sides.map((ids) => Uint32Array.from([...ids, ...shared.subarray(0, 5)]));
        const filter = built(variant, shape, all);
        const common = commonIds(all);
        for (const id of common) {
          expect(filter.mightContainId(id)).toBe(true);
          expect(filter.mightContain(id)).toBe(true);
        }
        if (common.size > 0) expect(filter.isCertainlyEmpty()).toBe(false);
        if (shape.kind === 'exact') {
          expect(filter.filter.estimatedCount()).toBe(common.size);
          expect(ratesOf(filter)).toEqual({ leftOnly: 0, rightOnly: 0, neither: 0 });
        }
        const [left = shared] = all;
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
    const keys = fc.array(key, { maxLength: 30 });
    fc.assert(
      fc.property(shapesOf(variant, hashedShape), keys, keys, (shape, own, common) => {
        const filter = intersectionFilter(variant, { version: 1, shape, sideCount: 3 });
        for (let index = 0; index < 3; index++) {
          if (index !== 1) for (const each of own) filter.side(index).add(each);
          for (const each of common) filter.side(index).add(each);
          filter.side(index).complete();
        }
        expect(common.every((each) => filter.mightContain(each))).toBe(true);
      }),
    );
  });

  it('is the same built key by key and in bulk', () => {
    fc.assert(
      fc.property(shapesOf(variant), sideIds, (shape, sides) => {
        const single = intersectionFilter(variant, { version: 1, shape, sideCount: sides.length });
        for (const [index, ids] of sides.entries()) {
          for (const each of ids) single.side(index).add(each);
          single.side(index).complete();
        }
        expect(single.filter.words).toEqual(built(variant, shape, sides).filter.words);
      }),
    );
  });

  it('cannot be probed before all sides are complete, nor changed afterwards', () => {
    const shape = filterShape('partitioned', { bitCount: 960, hashCount: 3 });
    const filter = intersectionFilter(variant, { version: 7, shape, sideCount: 3 });
    const ids = Uint32Array.of(1, 2);
    const probes: (() => unknown)[] = [
      () => filter.mightContain(1),
      () => filter.mightContainId(1),
      () => filter.selectIds(ids, ids),
      () => filter.selectPairs(ids, 0, 1, ids, 0),
      () => filter.filter,
      () => filter.predictedFalsePositiveRate(),
      () => filter.isCertainlyEmpty(),
    ];
    const refuse = (actions: readonly (() => unknown)[], message: RegExp): void => {
      for (const action of actions) {
        expect(action).toThrow(StateError);
        expect(action).toThrow(message);
      }
    };
    const changes = (index: number): (() => void)[] => [
      () => {
        filter.side(index).add(3);
      },
      () => {
        filter.side(index).addIds(ids);
      },
      () => {
        filter.side(index).complete();
      },
    ];
    filter.side(0).addIds(ids);
    refuse(probes, /not complete: side 0, 1, 2;/);
    filter.side(0).complete();
    refuse(probes, /not complete: side 1, 2;/);
    refuse(changes(0), /side 0 .* is complete/);
    filter.side(1).add(2);
    filter.side(1).complete();
    expect(filter.isPublished).toBe(false);
    refuse(probes, /not complete: side 2;/);
    filter.side(2).add(2);
    filter.side(2).complete();
    expect(filter.isPublished).toBe(true);
    for (const probe of probes) expect(probe).not.toThrow();
    for (const index of [0, 1, 2]) refuse(changes(index), new RegExp(`side ${index} .* is complete`));
    expect([filter.mightContainId(1), filter.mightContainId(2)]).toEqual([false, true]);
    expect([filter.version, filter.sideCount]).toEqual([7, 3]);
    expect(filter.predictedFalsePositiveRate([0, 1, 2])).toBe(1);
  });

  it('puts its bits where it is told, over what was there', () => {
    const shape = filterShape('partitioned', { bitCount: 1024, hashCount: 8 });
    const words = new Uint32Array(new SharedArrayBuffer(128)).fill(0xffff_ffff);
    const filter = intersectionFilter(variant, { version: 1, shape, words });
    const sides = [idRange(0, 20), idRange(10, 20)];
    fillSides(filter, sides);
    expect(filter.filter.words).toBe(words);
    expect(words).toEqual(built(variant, shape, sides).filter.words);
    expect(createFilter(shape, words).selectIds(idRange(10, 10), new Uint32Array(10))).toBe(10);
    expect(restoreFilter(filter.filter.serialize()).words).toEqual(words);
  });
});

describe('two-pass', () => {
  it('puts in exactly those ids that pass the filter before, over many chunks and sides', () => {
    const shape = filterShape('split-block', { bitCount: 400_000 });
    const sides = [idRange(0, 40_000), idRange(30_000, 50_000), idRange(20_000, 15_000)];
    let before = createFilter(filterShape('exact', { capacity: 100_000 }));
    before.addIds(idRange(0, 100_000));
    for (const ids of sides) {
      const next = createFilter(shape);
      for (const id of ids) if (before.mightContainId(id)) next.addId(id);
      before = next;
    }
    expect(built('two-pass', shape, sides).filter.words).toEqual(before.words);
  });
});

describe('partitioned-and', () => {
  it('shows by an empty slice what and cannot: that two sets are disjoint', () => {
    let shown = { partitioned: 0, classic: 0 };
    for (let seed = 0; seed < 50; seed++) {
      const size = { bitCount: 4096, hashCount: 16, seed };
      const sides = [idRange(0, 15), idRange(100, 15)];
      const partitioned = built('partitioned-and', filterShape('partitioned', size), sides);
      const classic = built('and', filterShape('classic', size), sides);
      shown = {
        partitioned: shown.partitioned + Number(partitioned.isCertainlyEmpty()),
        classic: shown.classic + Number(classic.isCertainlyEmpty()),
      };
    }
    expect(shown).toEqual({ partitioned: 50, classic: 0 });
  });
});

describe('the order of sides', () => {
  it('is free with and, the first one first with two-pass', () => {
    const shape = filterShape('exact', { capacity: 10 });
    const and = intersectionFilter('and', { version: 1, shape });
    and.side(1).add(1);
    and.side(0).add(1);
    and.side(1).add(2);
    and.side(1).complete();
    and.side(0).complete();
    expect([1, 2].map((id) => and.mightContainId(id))).toEqual([true, false]);
    const twoPass = intersectionFilter('two-pass', { version: 1, shape, sideCount: 3 });
    twoPass.side(0).complete();
    const early = [
      () => {
        twoPass.side(2).add(1);
      },
      () => {
        twoPass.side(2).addIds(Uint32Array.of(1));
      },
      () => {
        twoPass.side(2).complete();
      },
    ];
    for (const action of early) expect(action).toThrow(/call side\(1\)\.complete\(\) first/);
  });

  it('refuses wrong options', () => {
    const shape = filterShape('exact', { capacity: 10 });
    const make =
      (variant: IntersectionVariant, options: object = {}) =>
      () =>
        intersectionFilter(variant, { version: 1, shape, ...options });
    expect(make('or' as 'and')).toThrow(OptionError);
    expect(make('and', { version: NaN })).toThrow(/version.*NaN/);
    expect(make('and', { passShape: shape })).toThrow(/two-pass/);
    expect(make('and', { words: new Uint32Array(9) })).toThrow(/1 words, not 9/);
    expect(make('partitioned-and')).toThrow(/partitioned shape, not exact/);
    for (const sideCount of [1, 2.5, 65_537]) expect(make('and', { sideCount })).toThrow(/sideCount.*from 2/);
    expect(() => make('and')().side(2)).toThrow(/sides 0 to 1, not 2/);
    expect(() => make('and')().side(-1)).toThrow(OptionError);
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
  const and = built('and', shape, [left, right]);
  const twoPass = built('two-pass', shape, [left, right]);

  it('and: as wrong as the plain filter on keys of one side, 50 times better on keys of neither', () => {
    const rates = ratesOf(and);
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
    const rates = ratesOf(twoPass);
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
      passShape: shape,
    });
    fillSides(small, [left, right]);
    expect(small.shape.bitCount).toBeLessThan(shape.bitCount / 4);
    expect(agrees(small.selectIds(leftOnly, out), leftOnly.length, 0.0082)).toBe(true);
  });
});

describe('the predicted rates over three sides', () => {
  // Side i holds what is common to all (0 … 999) and 20,000 keys of its own, and each two sides share 5,000 more.
  const shared = idRange(0, 1000);
  const own = [0, 1, 2].map((i) => idRange(100_000 * (i + 1), 20_000));
  const ownOf = (i: number): Uint32Array => own[i] ?? shared;
  const both = [0, 1, 2].map((i) => idRange(1_000_000 * (i + 1), 5000));
  const bothOf = (i: number): Uint32Array => both[i] ?? shared;
  // both[i] lies on the two sides that are not i.
  const sides = [0, 1, 2].map((i) =>
    Uint32Array.from([...shared, ...ownOf(i), ...bothOf((i + 1) % 3), ...bothOf((i + 2) % 3)]),
  );
  const out = new Uint32Array(200_000);

  it.each([
    ['two-pass', filterShape('classic', { bitCount: 160_000, hashCount: 4 })],
    ['two-pass', filterShape('split-block', { bitCount: 200_000 })],
    ['and', filterShape('classic', { bitCount: 160_000, hashCount: 4 })],
    ['partitioned-and', filterShape('partitioned', { bitCount: 160_000, hashCount: 4 })],
  ] as const)('are the observed ones: %s, %o', (variant, shape) => {
    const filter = built(variant, shape, sides);
    for (let i = 0; i < 3; i++) {
      const others = [0, 1, 2].filter((side) => side !== i);
      const rate = filter.predictedFalsePositiveRate(others);
      expect(agrees(filter.selectIds(bothOf(i), out), 5000, rate), `all but ${i}`).toBe(true);
      const alone = filter.predictedFalsePositiveRate([i]);
      const hits = filter.selectIds(ownOf(i), out);
      // By AND the two other filters share keys, so that the product is too low; never above the lower of the two rates.
      if (variant === 'two-pass') expect(agrees(hits, 20_000, alone), `only ${i}`).toBe(true);
      else {
        const least = Math.min(...others.map((side) => filter.predictedFalsePositiveRate([i, side])));
        expect(hits).toBeGreaterThan(20_000 * alone * 0.8);
        expect(hits).toBeLessThan(20_000 * least);
      }
    }
    const nowhere = filter.predictedFalsePositiveRate();
    expect(agrees(filter.selectIds(idRange(9_000_000, 200_000), out), 200_000, nowhere)).toBe(true);
  });
});
