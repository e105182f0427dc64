/**
 * Every strategy against the naive oracle, on the questions that it takes; how many rounds each needs; what the system
 * baselines move; what is refused.
 */
import fc from 'fast-check';
import {
  createContext,
  STRATEGIES,
  type Context,
  type RunReport,
  type TransitiveClosureOptions,
} from 'rejoin';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { naiveClosure } from './oracle.js';

type Edge = [number, number];

const chain = (vertices: number): Edge[] => Array.from({ length: vertices - 1 }, (_, i): Edge => [i, i + 1]);

function grid(n: number): Edge[] {
  const side = n + 1;
  return Array.from({ length: side * side }, (_, vertex): Edge[] => [
    ...(vertex % side < n ? [[vertex, vertex + 1] as Edge] : []),
    ...(vertex < n * side ? [[vertex, vertex + side] as Edge] : []),
  ]).flat();
}

const graph: fc.Arbitrary<Edge[]> = fc
  .integer({ min: 1, max: 14 })
  .chain((n) => fc.array(fc.tuple(fc.nat(n), fc.nat(n)) as fc.Arbitrary<Edge>, { maxLength: 40 }));

const text = (pairs: readonly (readonly [unknown, unknown])[]): string[] =>
  pairs.map(([x, y]) => `${String(x)}>${String(y)}`);

const filtered = ['naive', 'semi-naive', 'look-ahead', 'smart', 'minimal', 'non-linear'] as const;
const bounded = [
  'naive',
  'semi-naive',
  'look-ahead',
  'hadoop',
  'haloop',
  'pregel',
  'spark',
  'spark+ibf',
] as const;
const anyBase = [...bounded, 'smart', 'minimal'] as const;

describe('strategies', () => {
  const contexts: Context[] = [];
  beforeAll(async () => {
    for (const threads of [0, 2]) contexts.push(await createContext({ threads, memory: '256MiB' }));
  });
  afterAll(async () => {
    for (const context of contexts) {
      expect(context.metrics().usedBytes).toBe(0);
      await context.close();
    }
  });

  async function run(edges: Edge[], options: TransitiveClosureOptions<number>): Promise<RunReport> {
    const friend = (contexts[0] as Context).parallelize(edges).transitiveClosure(options);
    await friend.count();
    return friend.report();
  }

  it('each gives the rows of the oracle, in one order, whatever the partitions and threads', async () => {
    await fc.assert(
      fc.asyncProperty(
        graph,
        fc.boolean(),
        fc.constantFrom(...STRATEGIES),
        fc.constantFrom(1, 2, 3, 8),
        fc.nat(1),
        async (edges, reflexive, strategy, partitions, which) => {
          const know = (contexts[which] as Context).parallelize(edges, 3);
          const rows = await know.transitiveClosure({ strategy, reflexive, partitions }).collect();
          expect(text(rows).sort()).toEqual(naiveClosure(edges, { reflexive }));
          expect(rows).toEqual(
            await know.transitiveClosure({ strategy: 'naive', reflexive, partitions }).collect(),
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it('no filter changes an answer, at any rate', async () => {
    await fc.assert(
      fc.asyncProperty(
        graph,
        fc.constantFrom(...filtered),
        fc.constantFrom('bloom' as const, 'intersection' as const, 'exact' as const),
        fc.constantFrom(1e-6, 0.01, 0.5),
        async (edges, strategy, filter, falsePositiveRate) => {
          const know = (contexts[0] as Context).parallelize(edges);
          const friend = know.transitiveClosure({ strategy, filter, falsePositiveRate });
          expect(text(await friend.collect()).sort()).toEqual(naiveClosure(edges));
          const { rounds } = await friend.report();
          for (const { delta, tested, pruned, joinShuffledTuples } of rounds) {
            expect(tested).toBe(delta);
            expect(joinShuffledTuples).toBe(delta - pruned);
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it('those that go step by step take seeds, any base and a depth; powers take all but the depth', async () => {
    await fc.assert(
      fc.asyncProperty(
        graph,
        fc.option(fc.array(fc.nat(16), { maxLength: 3 }), { nil: undefined }),
        fc.option(graph, { nil: undefined }),
        fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
        fc.nat(),
        fc.boolean(),
        async (edges, from, base, maxDepth, pick, reflexive) => {
          const known = maxDepth === undefined ? anyBase : bounded;
          const strategy = known[pick % known.length] as (typeof known)[number];
          const context = contexts[0] as Context;
          const question = {
            reflexive,
            ...(from === undefined ? {} : { from }),
            ...(maxDepth === undefined ? {} : { maxDepth }),
          };
          const rows = await context
            .parallelize(edges, 2)
            .transitiveClosure({
              strategy,
              ...question,
              ...(base === undefined ? {} : { base: context.parallelize(base, 2) }),
            })
            .collect();
          expect(text(rows).sort()).toEqual(
            naiveClosure(edges, { ...question, ...(base === undefined ? {} : { base }) }),
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  describe.each([
    // The longest path, in edges.
    ['Chain2', chain(2), 1],
    ['Chain34', chain(34), 33],
    ['Chain100', chain(100), 99],
    ['Grid8', grid(8), 16],
    ['Grid10', grid(10), 20],
  ])('rounds that find something on %s', (_name, edges, longest) => {
    it.each([
      ['semi-naive' as const, longest - 1],
      ['look-ahead' as const, Math.ceil((longest - 1) / 2)],
      ['smart' as const, Math.ceil(Math.log2(longest))],
      ['non-linear' as const, Math.ceil(Math.log2(longest))],
      ['minimal' as const, Math.ceil(Math.log(longest) / Math.log(3) - 1e-9)],
    ])('%s: %i', async (strategy, expected) => {
      const { rounds } = await run(edges, { strategy });
      expect(rounds.filter(({ fresh }) => fresh > 0)).toHaveLength(expected);
      expect(rounds).toHaveLength(expected + 1);
    });
  });

  it('hadoop moves Know and all results again each round; the others do not', async () => {
    const edges = chain(12);
    const hadoop = await run(edges, { strategy: 'hadoop' });
    const spark = await run(edges, { strategy: 'spark' });
    for (const [i, round] of hadoop.rounds.entries()) {
      const same = spark.rounds[i];
      const before = spark.rounds[i - 1]?.pairs ?? edges.length;
      expect(round.joinShuffledTuples).toBe((same?.joinShuffledTuples ?? 0) + edges.length);
      expect(round.joinShuffledBytes).toBe(round.joinShuffledTuples * 8);
      expect(round.dedupShuffledTuples).toBe((same?.dedupShuffledTuples ?? 0) + before);
    }
    const haloop = await run(edges, { strategy: 'haloop' });
    for (const figure of ['joinShuffledTuples', 'dedupShuffledTuples', 'derived', 'pruned'] as const) {
      expect(haloop.totals[figure]).toBe(spark.totals[figure]);
    }
  });

  it('pregel copies its state every ten supersteps', async () => {
    const { rounds, totals } = await run(chain(25), { strategy: 'pregel' });
    const copied = rounds.filter(({ checkpointBytes }) => checkpointBytes > 0);
    expect(copied.map(({ round }) => round)).toEqual([10, 20]);
    expect(copied.map(({ checkpointBytes }) => checkpointBytes)).toEqual(
      copied.map(({ pairs }) => pairs * 8),
    );
    expect(totals.checkpointBytes).toBe(
      copied.reduce((sum, { checkpointBytes }) => sum + checkpointBytes, 0),
    );
  });

  it('spark+ibf is semi-naive with an intersection filter', async () => {
    const edges = Array.from({ length: 60 }, (_, i): Edge => [i % 7, (i * 5) % 40]);
    const {
      ms: _ms,
      setupMs: _setupMs,
      peakBytes: _peak,
      ...ours
    } = (await run(edges, { strategy: 'spark+ibf' })).totals;
    const same = (await run(edges, { strategy: 'semi-naive', filter: 'intersection' })).totals;
    expect(same).toMatchObject(ours);
    expect(ours.pruned).toBeGreaterThan(0);
  });

  it('direct methods say what does not fit, and leave nothing behind', async () => {
    const small = await createContext({ threads: 0, memory: '8MiB' });
    const friend = small.parallelize(chain(20_000)).transitiveClosure({ strategy: 'warren', maxPairs: 1e9 });
    await expect(friend.count()).rejects.toMatchObject({
      code: 'ERR_REJOIN_MEMORY',
      message: expect.stringMatching(
        /^warren needs a bit matrix of 20000 × 20000 bits, which does not fit: .*semi-naive/,
      ) as string,
      details: { strategy: 'warren', vertices: 20_000 },
    });
    expect(small.metrics().usedBytes).toBe(0);
    await small.close();
  });

  it.each<[TransitiveClosureOptions<number>, RegExp]>([
    [{ strategy: 'smart', maxDepth: 3 }, /smart takes many steps a round, so maxDepth does not go with it/],
    [{ strategy: 'non-linear', from: [1] }, /non-linear computes the closure of Know as a whole, so from/],
    [{ strategy: 'warshall', maxDepth: 2 }, /maxDepth/],
    [{ strategy: 'warren', from: [] }, /from/],
    [{ strategy: 'spark', filter: 'bloom' }, /spark comes with filter none/],
    [{ strategy: 'spark+ibf', filter: 'exact' }, /spark\+ibf comes with filter intersection/],
    [{ strategy: 'hadoop', filter: 'exact' }, /use strategy semi-naive/],
  ])('refuses %o', (options, message) => {
    const know = (contexts[0] as Context).parallelize<number, number>([[1, 2]]);
    expect(() => know.transitiveClosure(options)).toThrow(message);
    expect(() => know.transitiveClosure(options)).toThrow(
      expect.objectContaining({ code: 'ERR_REJOIN_OPTION' }),
    );
  });

  describe('right-linear evaluation', () => {
    it('gives the same rows as left-linear, also reflexive and bounded', async () => {
      await fc.assert(
        fc.asyncProperty(
          graph,
          fc.constantFrom(...bounded),
          fc.boolean(),
          fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
          fc.nat(1),
          async (edges, strategy, reflexive, maxDepth, which) => {
            const know = (contexts[which] as Context).parallelize(edges, 3);
            const question = { reflexive, ...(maxDepth === undefined ? {} : { maxDepth }) };
            const rows = await know
              .transitiveClosure({ strategy, direction: 'right', ...question })
              .collect();
            expect(rows).toEqual(await know.transitiveClosure({ direction: 'left', ...question }).collect());
            expect(text(rows).sort()).toEqual(naiveClosure(edges, question));
          },
        ),
        { numRuns: 150 },
      );
    });

    it('derives and prunes as left-linear evaluation of the reversed relation does', async () => {
      await fc.assert(
        fc.asyncProperty(graph, async (edges) => {
          const reversed = edges.map(([x, y]): Edge => [y, x]);
          const right = await run(edges, { strategy: 'semi-naive', filter: 'exact', direction: 'right' });
          const left = await run(reversed, { strategy: 'semi-naive', filter: 'exact', direction: 'left' });
          for (const figure of ['derived', 'pruned', 'tested', 'joinShuffledTuples'] as const)
            expect(right.totals[figure]).toBe(left.totals[figure]);
          expect(right.totals.resultShuffledTuples).toBe(right.pairs);
          expect(left.totals.resultShuffledTuples).toBe(0);
        }),
        { numRuns: 50 },
      );
    });

    it.each<[TransitiveClosureOptions<number>, RegExp]>([
      [
        { direction: 'right', from: [1] },
        /direction right computes paths from everywhere.*use direction left/,
      ],
      [{ direction: 'right', strategy: 'smart' }, /direction right does not go with strategy smart/],
      [{ direction: 'up' as 'left' }, /direction is "up"; expected one of left, right, auto/],
    ])('refuses %o', (options, message) => {
      const know = (contexts[0] as Context).parallelize<number, number>([[1, 2]]);
      expect(() => know.transitiveClosure(options)).toThrow(message);
    });

    it('refuses another base', () => {
      const know = (contexts[0] as Context).parallelize<number, number>([[1, 2]]);
      const base = (contexts[0] as Context).parallelize<number, number>([[1, 1]]);
      expect(() => know.transitiveClosure({ direction: 'right', base })).toThrow(/needs Know as its base/);
      expect(() => know.transitiveClosure({ direction: 'right', base: know })).not.toThrow();
    });
  });

  it('refuses another base where the closure is computed as a whole', () => {
    const know = (contexts[0] as Context).parallelize<number, number>([[1, 2]]);
    const base = (contexts[0] as Context).parallelize<number, number>([[1, 1]]);
    expect(() => know.transitiveClosure({ strategy: 'warren', base })).toThrow(/base does not go with it/);
    expect(() => know.transitiveClosure({ strategy: 'warren', base: know })).not.toThrow();
  });
});
