/** Against counters worked out plainly and against a multiset: nothing is forgotten, nothing wraps, errors change nothing. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OptionError, StateError, ValueError } from '../../src/errors.js';
import {
  countingFilter,
  createFilter,
  filterShape,
  type CountingFilter,
  type FilterKey,
} from '../../src/filter/index.js';
import { counterBits, CounterModel, placesOf, unpack } from './counter-model.js';
import { agrees, id, idRange, key } from './keys.js';

/** Small, so that counters are shared, and often by two hashes of one key. */
const anyCounting = fc
  .tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 20 }), counterBits, id)
  .map(([counterCount, hashCount, bits, seed]) =>
    countingFilter({ counterCount, hashCount, counterBits: bits, seed }),
  );

/** What is done to the n-th of the keys. */
const steps = fc.array(fc.tuple(fc.constantFrom('add', 'add', 'delete'), fc.nat({ max: 11 })), {
  maxLength: 150,
});
const keys = fc.uniqueArray(key, {
  minLength: 12,
  maxLength: 12,
  selector: (each) => JSON.stringify(String(each)),
});

function keyAt(all: readonly FilterKey[], index: number): FilterKey {
  return all[index] ?? '';
}

describe('the counting filter', () => {
  it('does to its counters what a plain model does, whatever is added and deleted', () => {
    fc.assert(
      fc.property(anyCounting, keys, steps, (filter, all, sequence) => {
        const model = new CounterModel(filter.shape);
        for (const [step, index] of sequence) {
          const each = keyAt(all, index);
          const act = (): void => {
            if (step === 'add') filter.add(each);
            else filter.delete(each);
          };
          const isDone = step === 'add' ? model.add(each, 1) : model.delete(each, 1);
          if (isDone) act();
          else expect(act).toThrow(StateError);
          expect(filter.mightContain(each)).toBe(model.estimate(each) > 0);
        }
        const { counters, total } = unpack(filter.shape, filter.serialize());
        expect(counters).toEqual(model.counters);
        expect(total).toBe(model.total);
        expect(filter.totalCount).toBe(Number(total));
      }),
    );
  });

  it('holds what a multiset holds; without deleting the last time, it is as if never added', () => {
    fc.assert(
      fc.property(keys, steps, id, (all, sequence, seed) => {
        const options = { counterCount: 200, hashCount: 3, counterBits: 8, seed } as const;
        const filter = countingFilter(options);
        const multiset = new Map<FilterKey, number>();
        for (const [step, index] of sequence) {
          const each = keyAt(all, index);
          const times = multiset.get(each) ?? 0;
          if (step === 'add') {
            filter.add(each);
            multiset.set(each, times + 1);
          } else if (times > 0) {
            filter.delete(each);
            multiset.set(each, times - 1);
          } else if (!filter.mightContain(each)) {
            expect(() => {
              filter.delete(each);
            }).toThrow(/deleted 1 times that is in at most 0 times/);
          }
          for (const [other, count] of multiset) if (count > 0) expect(filter.mightContain(other)).toBe(true);
        }
        const rebuilt = countingFilter(options);
        for (const [each, count] of multiset) for (let i = 0; i < count; i++) rebuilt.add(each);
        expect(filter.serialize()).toEqual(rebuilt.serialize());
      }),
    );
  });

  it('counts one counter once, though two hashes of a key fall on it', () => {
    const filter = countingFilter({ counterCount: 32, hashCount: 20 });
    const twice = [...idRange(0, 100)].find((each) => placesOf(filter.shape, each).length < 14) ?? -1;
    expect(twice).toBeGreaterThanOrEqual(0);
    for (let i = 0; i < 15; i++) filter.add(twice);
    expect(new Set(unpack(filter.shape, filter.serialize()).counters)).toEqual(new Set([0, 15]));
    for (let i = 0; i < 15; i++) filter.delete(twice);
    expect(filter.fill).toBe(0);
    expect(filter.totalCount).toBe(0);
  });

  it('refuses to overflow or underflow, and changes nothing then, though other counters had room', () => {
    const filter = countingFilter({ counterCount: 320, hashCount: 5 });
    for (let i = 0; i < 15; i++) filter.add('full');
    // A key that shares a counter with the full one, and has others of its own.
    const [shared] = placesOf(filter.shape, 'full');
    const neighbour = [...idRange(0, 5000)].find((each) => {
      const places = placesOf(filter.shape, each);
      return places.includes(shared ?? -1) && places.length === 5 && !filter.mightContain(each);
    });
    const before = filter.serialize();
    const actions: [() => void, RegExp][] = [
      [
        () => {
          filter.add('full');
        },
        /would be 16, but counting counters of 4 bits hold at most 15; nothing was changed.*wider/,
      ],
      [
        () => {
          filter.add(neighbour ?? '');
        },
        /would be 16/,
      ],
      [
        () => {
          filter.delete(neighbour ?? '');
        },
        /in at most 0 times/,
      ],
    ];
    for (const [action, message] of actions) {
      expect(action).toThrow(StateError);
      expect(action).toThrow(message);
      expect(filter.serialize()).toEqual(before);
    }
    expect(() => {
      filter.add(null as unknown as FilterKey);
    }).toThrow(ValueError);
    expect(() => {
      filter.delete(true as unknown as FilterKey);
    }).toThrow(ValueError);
    expect(filter.serialize()).toEqual(before);
  });

  it('becomes the classic filter of what is in', () => {
    fc.assert(
      fc.property(
        fc.array(key, { maxLength: 15 }),
        fc.array(key, { maxLength: 30 }),
        id,
        (kept, gone, seed) => {
          const size = { expectedCount: 40, falsePositiveRate: 0.05, seed };
          const filter = countingFilter({ ...size, counterBits: 8 });
          const classic = createFilter(filterShape('classic', size));
          for (const each of [...kept, ...gone]) filter.add(each);
          for (const each of gone) filter.delete(each);
          for (const each of kept) classic.add(each);
          expect(filter.toFilter().shape).toEqual(classic.shape);
          expect(filter.toFilter().words).toEqual(classic.words);
          expect(filter.fill).toBe(classic.fill);
          expect(filter.predictedFalsePositiveRate()).toBe(classic.predictedFalsePositiveRate());
        },
      ),
    );
  });

  it('holds as many keys as it was sized for in four bits each, at the rate', () => {
    const filter = countingFilter({ expectedCount: 50_000, falsePositiveRate: 0.01 });
    expect(filter.shape.counterBits).toBe(4);
    for (const each of idRange(0, 100_000)) filter.add(each % 2 === 0 ? each : `v${each}`);
    for (let i = 1; i < 100_000; i += 2) filter.delete(`v${i}`);
    const hits = [...idRange(200_000, 100_000)].filter((each) => filter.mightContain(each)).length;
    expect(agrees(hits, 100_000, filter.predictedFalsePositiveRate())).toBe(true);
    expect(filter.predictedFalsePositiveRate()).toBeLessThan(0.0105);
    expect(filter.totalCount).toBe(50_000);
  });
});

describe('merging counting filters', () => {
  const options = { counterCount: 96, hashCount: 4 } as const;
  const filled = (...all: FilterKey[]): CountingFilter => {
    const filter = countingFilter(options);
    for (const each of all) filter.add(each);
    return filter;
  };

  it('is adding all keys of the other', () => {
    const merged = filled('a', 'b', 1);
    merged.merge(filled('b', 2));
    expect(merged.serialize()).toEqual(filled('a', 'b', 1, 'b', 2).serialize());
    merged.merge(merged);
    expect(merged.totalCount).toBe(10);
  });

  it('refuses what overflows, and other shapes, and changes nothing then', () => {
    const [full, one] = [filled(...Array.from({ length: 15 }, () => 'a')), filled('a', 'b')];
    const before = one.serialize();
    expect(() => {
      one.merge(full);
    }).toThrow(/would be 16/);
    expect(one.serialize()).toEqual(before);
    const others: [object, RegExp][] = [
      [{ seed: 1 }, /seed is 0 here and 1 there/],
      [{ counterBits: 8 }, /counterBits is 4 here and 8 there/],
      [{ hashCount: 3 }, /hashCount is 4 here and 3 there/],
      [{ counterCount: 64 }, /counterCount is 96 here and 64 there/],
    ];
    for (const [part, message] of others) {
      const merge = (): void => {
        one.merge(countingFilter({ ...options, ...part }));
      };
      expect(merge).toThrow(OptionError);
      expect(merge).toThrow(message);
    }
  });
});
