/** Nothing is dropped, nothing known is taken for new, and the look-ups saved are as many as the rate promises. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OptionError, ValueError } from '../../src/errors.js';
import { createFilter, differenceFilter, filterShape, type FilterKey } from '../../src/filter/index.js';
import { agrees, anyShape, hashedShape, idRange, key, smallIds } from './keys.js';

/** Keys that are equal for a filter have one name. */
function nameOf(each: FilterKey): string {
  return `${typeof each} ${each instanceof Uint8Array ? each.join() : String(each)}`;
}

describe('the difference filter', () => {
  it('gives every id back once; with exact look-ups, the new ones are those of a set', () => {
    fc.assert(
      fc.property(anyShape, fc.array(smallIds, { maxLength: 6 }), (shape, batches) => {
        const difference = differenceFilter(shape);
        const seen = new Set<number>();
        const expected = new Set<number>();
        for (const batch of batches) {
          const news = [...new Set(batch)].filter((id) => !expected.has(id));
          const { definitelyNew, mustCheck } = difference.splitIds(batch);
          expect([...definitelyNew, ...mustCheck].sort()).toEqual([...batch].sort());
          expect(definitelyNew.some((id) => expected.has(id))).toBe(false);
          expect(new Set(definitelyNew).size).toBe(definitelyNew.length);

          const found = [...definitelyNew];
          for (const id of definitelyNew) seen.add(id);
          for (const id of mustCheck) {
            if (!seen.has(id)) found.push(id);
            seen.add(id);
          }
          expect(found.sort()).toEqual(news.sort());
          for (const id of batch) expected.add(id);
          expect([...expected].some((id) => difference.isDefinitelyNew(id))).toBe(false);
          if (shape.kind === 'exact') expect(definitelyNew.length).toBe(news.length);
        }
      }),
    );
  });

  it('does so for keys of every type', () => {
    fc.assert(
      fc.property(
        hashedShape,
        fc.array(fc.array(key, { maxLength: 30 }), { maxLength: 4 }),
        (shape, batches) => {
          const difference = differenceFilter(shape);
          const seen = new Set<string>();
          for (const batch of batches) {
            const { definitelyNew, mustCheck } = difference.split(batch);
            expect([...definitelyNew, ...mustCheck].map(nameOf).sort()).toEqual(batch.map(nameOf).sort());
            expect(definitelyNew.filter((each) => seen.has(nameOf(each)))).toEqual([]);
            expect(new Set(definitelyNew.map(nameOf)).size).toBe(definitelyNew.length);
            for (const each of batch) seen.add(nameOf(each));
          }
        },
      ),
    );
  });

  it('keeps the order of a batch, and remembers within it', () => {
    const difference = differenceFilter(filterShape('exact', { capacity: 10 }));
    const { definitelyNew, mustCheck } = difference.splitIds(Uint32Array.of(3, 1, 3, 2, 1));
    expect([...definitelyNew]).toEqual([3, 1, 2]);
    expect([...mustCheck]).toEqual([3, 1]);
    expect(difference.split([2, 9])).toEqual({ definitelyNew: [9], mustCheck: [2] });
    expect(() => difference.splitIds(Uint32Array.of(10))).toThrow(OptionError);
    const hashed = differenceFilter(filterShape('classic', { bitCount: 64, hashCount: 2 }));
    expect(() => hashed.split([{} as unknown as FilterKey])).toThrow(ValueError);
  });

  it('saves all look-ups of new keys but its false-positive rate', () => {
    const difference = differenceFilter(
      filterShape('split-block', { expectedCount: 40_000, falsePositiveRate: 0.01 }),
    );
    difference.splitIds(idRange(0, 30_000));
    const before = difference.predictedFalsePositiveRate();
    const { mustCheck } = difference.splitIds(idRange(1_000_000, 10_000));
    const after = difference.predictedFalsePositiveRate();
    expect(agrees(mustCheck.length, 10_000, (before + after) / 2)).toBe(true);
    expect(mustCheck.length).toBeGreaterThan(0);
    expect(difference.shape.kind).toBe('split-block');
  });

  it('cannot be used where a filter that prunes is expected', () => {
    const difference = differenceFilter(filterShape('exact', { capacity: 10 }));
    const pruning = Object.getOwnPropertyNames(Object.getPrototypeOf(createFilter(difference.shape))).filter(
      (name) => /^(mightContain|select)/.test(name),
    );
    expect(pruning.length).toBeGreaterThan(0);
    for (const name of pruning) expect(name in difference).toBe(false);
  });
});
