/** Each kernel against the plainest program that says the same. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillAdjacency } from '../../src/kernel/adjacency.js';
import { countCandidates, joinSize, writeCandidates, writeDerived } from '../../src/kernel/join.js';
import { EMPTY, insertHash, insertMatrix, matrixWords, rehash, spread } from '../../src/kernel/pair-set.js';
import { sortPairs } from '../../src/kernel/pair-sort.js';
import { bucketStarts, countByBucket, scatterByBucket } from '../../src/kernel/pairs.js';

type Pair = readonly [number, number];
const pairs = (limit: number, maxLength = 300) =>
  fc.array(fc.tuple(fc.nat({ max: limit - 1 }), fc.nat({ max: limit - 1 })), { maxLength });
const flat = (list: readonly Pair[]): Uint32Array => Uint32Array.from(list.flat());
const unflat = (array: Uint32Array, count = array.length / 2): Pair[] =>
  Array.from({ length: count }, (_, i) => [array[i * 2] as number, array[i * 2 + 1] as number]);
const byBoth = (a: Pair, b: Pair): number => a[0] - b[0] || a[1] - b[1];

function drain<R>(steps: Generator<void, R>): R {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

describe('sortPairs', () => {
  it('sorts by both columns, and stably by the first', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(3, 500, 5_000_000),
        fc.nat({ max: 400 }),
        fc.infiniteStream(fc.nat()),
        (limit, count, numbers) => {
          const list: Pair[] = Array.from({ length: count }, () => [
            numbers.next().value % limit,
            numbers.next().value % limit,
          ]);
          const both = drain(sortPairs(flat(list), new Uint32Array(count * 2), count, limit, 'both'));
          expect(unflat(both, count)).toEqual([...list].sort(byBoth));
          const first = drain(sortPairs(flat(list), new Uint32Array(count * 2), count, limit, 'first'));
          expect(unflat(first, count)).toEqual([...list].sort((a, b) => a[0] - b[0]));
        },
      ),
    );
  });
});

describe('scatterByBucket', () => {
  it('keeps every pair, in order, in the bucket of its column', () => {
    fc.assert(
      fc.property(
        pairs(1000),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom(0 as const, 1 as const),
        (list, buckets, column) => {
          const input = flat(list);
          const counts = new Uint32Array(buckets);
          countByBucket(input, 0, list.length, column, counts);
          const out = new Uint32Array(list.length * 2);
          scatterByBucket(input, 0, list.length, column, bucketStarts(counts), out);
          const expected = Array.from({ length: buckets }, (_, b) =>
            list.filter((pair) => pair[column] % buckets === b),
          ).flat();
          expect(unflat(out)).toEqual(expected);
        },
      ),
    );
  });
});

describe('pair sets', () => {
  it('hash table and bit matrix both give each new pair once, in order of arrival', () => {
    fc.assert(
      fc.property(pairs(60), fc.integer({ min: 1, max: 5 }), (list, stride) => {
        const mine = list.filter(([first]) => first % stride === 0);
        const expected = unflat(flat([...new Map(mine.map((pair) => [pair.join(), pair])).values()]));
        const input = flat(mine);
        const half = Math.floor(mine.length / 2);
        const fresh = new Uint32Array(mine.length * 2);

        const table = new Uint32Array(2 * 1024);
        table.fill(EMPTY);
        let count = insertHash(table, input, 0, half, stride, fresh, 0);
        const larger = new Uint32Array(2 * 2048);
        larger.fill(EMPTY);
        rehash(table, 0, 1024, larger);
        count = insertHash(larger, input, half, mine.length, stride, fresh, count);
        expect(unflat(fresh, count)).toEqual(expected);

        const matrix = new Uint32Array(matrixWords(60, 60));
        count = insertMatrix(matrix, 2, input, 0, mine.length, stride, fresh, 0);
        expect(unflat(fresh, count)).toEqual(expected);

        const spreadOut = new Uint32Array(matrix.length);
        spread(larger, 0, 2048, spreadOut, 2);
        expect(spreadOut).toEqual(matrix);
      }),
    );
  });
});

describe('join', () => {
  it('gives the combined candidates of a nested-loop join, by source', () => {
    fc.assert(
      fc.property(pairs(40), pairs(40), fc.integer({ min: 1, max: 4 }), (knowList, deltaList, stride) => {
        // One partition of Know: sources that are 0 mod stride.
        const know = knowList.filter(([z]) => z % stride === 0).sort(byBoth);
        const delta = deltaList.filter(([, z]) => z % stride === 0).sort((a, b) => a[0] - b[0]);
        const offsets = new Uint32Array(Math.ceil(40 / stride) + 1);
        const targets = new Uint32Array(know.length);
        const edges = fillAdjacency(flat(know), know.length, stride, offsets, targets);
        const distinctKnow = [...new Map(know.map((pair) => [pair.join(), pair])).values()];
        expect(edges).toBe(distinctKnow.length);

        const derived = delta.flatMap(([x, z]) =>
          distinctKnow.filter(([s]) => s === z).map(([, y]): Pair => [x, y]),
        );
        const adjacency = { offsets, targets: targets.subarray(0, edges), stride };
        const input = flat(delta);
        expect(joinSize(input, 0, delta.length, adjacency)).toEqual({
          derived: derived.length,
          unmatched: delta.filter(([, z]) => !distinctKnow.some(([s]) => s === z)).length,
        });
        const all = new Uint32Array(derived.length * 2);
        expect(writeDerived(input, 0, delta.length, adjacency, all, 0)).toBe(derived.length);
        expect(unflat(all)).toEqual(derived);

        const stamps = new Uint32Array(40);
        const state = { source: -1, stamp: 0 };
        const counts = new Float64Array(3);
        const half = Math.floor(delta.length / 2);
        countCandidates(input, 0, half, adjacency, stamps, state, counts);
        countCandidates(input, half, delta.length, adjacency, stamps, state, counts);
        const combined = [...new Map(derived.map((pair) => [pair.join(), pair])).values()];
        const byBucket = [0, 1, 2].map((b) => combined.filter(([x]) => x % 3 === b));
        expect([...counts]).toEqual(byBucket.map((bucket) => bucket.length));
        const cursors = Float64Array.from([
          0,
          counts[0] as number,
          (counts[0] as number) + (counts[1] as number),
        ]);
        const out = new Uint32Array(combined.length * 2);
        state.source = -1;
        writeCandidates(input, 0, half, adjacency, stamps, state, cursors, out);
        writeCandidates(input, half, delta.length, adjacency, stamps, state, cursors, out);
        expect(unflat(out)).toEqual(byBucket.flat());
      }),
    );
  });
});
