/** Random keys of every type that a filter takes, and the kinds and shapes that the properties range over. */
import fc from 'fast-check';
import { filterShape, type FilterKey, type FilterShape } from '../../src/filter/index.js';

export const id = fc.integer({ min: 0, max: 0xffff_ffff });

export const key: fc.Arbitrary<FilterKey> = fc.oneof(
  id,
  fc.double(),
  fc.integer({ min: -1000, max: -1 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.bigInt(),
  fc.uint8Array({ maxLength: 40 }),
);

/** Partitioned shapes, as small as those below. */
export const partitionedShape: fc.Arbitrary<FilterShape> = fc
  .tuple(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 20 }), id)
  .map(([bitCount, hashCount, seed]) => filterShape('partitioned', { bitCount, hashCount, seed }));

/** Shapes that any key can be added to; small, so that they fill up. */
export const hashedShape: fc.Arbitrary<FilterShape> = fc.oneof(
  fc
    .tuple(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 20 }), id)
    .map(([bitCount, hashCount, seed]) => filterShape('classic', { bitCount, hashCount, seed })),
  partitionedShape,
  fc
    .tuple(fc.integer({ min: 1, max: 6000 }), id)
    .map(([bitCount, seed]) => filterShape('split-block', { bitCount, seed })),
);

/** The capacity of `exactShape` is never above this. */
export const CAPACITY = 2000;

/** Shapes of every kind that ids below `CAPACITY` can be added to. */
export const anyShape: fc.Arbitrary<FilterShape> = fc.oneof(
  hashedShape,
  fc.constant(filterShape('exact', { capacity: CAPACITY })),
);

export const smallId = fc.integer({ min: 0, max: CAPACITY - 1 });
export const smallIds = fc.array(smallId, { maxLength: 200 }).map((ids) => Uint32Array.from(ids));

/** Whole numbers from `start` on. */
export function idRange(start: number, count: number): Uint32Array {
  const ids = new Uint32Array(count);
  for (let i = 0; i < count; i++) ids[i] = start + i;
  return ids;
}

/** Whether `hits` of `trials` is within five standard deviations of the rate (once in 1.7 million runs it is not). */
export function agrees(hits: number, trials: number, rate: number): boolean {
  return Math.abs(hits - trials * rate) <= 5 * Math.sqrt(trials * rate * (1 - rate)) + 1;
}
