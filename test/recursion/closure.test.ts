/** Closures against the naive oracle: any strategy, filter, partition count and thread count gives the same set. */
import fc from 'fast-check';
import {
  createContext,
  DIRECTIONS,
  type Context,
  type PartialRunReport,
  type RunReport,
  type TransitiveClosureOptions,
} from 'rejoin';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { naiveClosure } from './oracle.js';

type Edge = [number, number];

/** Graphs with cycles, self-loops, duplicates, islands, chains and stars. */
const graph: fc.Arbitrary<Edge[]> = fc.oneof(
  fc
    .integer({ min: 1, max: 14 })
    .chain((n) => fc.array(fc.tuple(fc.nat(n), fc.nat(n)) as fc.Arbitrary<Edge>, { maxLength: 40 })),
  fc.integer({ min: 1, max: 20 }).map((n) => Array.from({ length: n }, (_, i): Edge => [i, i + 1])),
  fc.integer({ min: 1, max: 20 }).map((n) => Array.from({ length: n }, (_, i): Edge => [0, i])),
  fc.integer({ min: 1, max: 10 }).map((n) => Array.from({ length: n }, (_, i): Edge => [i, (i + 1) % n])),
);

const strategy = fc.constantFrom('naive' as const, 'semi-naive' as const, 'auto' as const);
const filter = fc.constantFrom(
  'none' as const,
  'bloom' as const,
  'intersection' as const,
  'exact' as const,
  'auto' as const,
);

const text = (pairs: readonly (readonly [unknown, unknown])[]): string[] =>
  pairs.map(([x, y]) => `${String(x)}>${String(y)}`);

describe('transitiveClosure', () => {
  const contexts: Context[] = [];
  beforeAll(async () => {
    for (const threads of [0, 1, 2]) contexts.push(await createContext({ threads, memory: '512MiB' }));
  });
  afterAll(async () => {
    for (const context of contexts) {
      expect(context.metrics().usedBytes).toBe(0);
      await context.close();
    }
  });

  it('equals the oracle whatever the strategy, filter, rate, partitions and threads', async () => {
    await fc.assert(
      fc.asyncProperty(
        graph,
        strategy,
        filter,
        fc.constantFrom(1e-6, 0.01, 0.5),
        fc.constantFrom(1, 2, 3, 8, 17),
        fc.constantFrom(...DIRECTIONS),
        fc.nat(2),
        async (edges, strategy, filter, falsePositiveRate, partitions, direction, which) => {
          const context = contexts[which] as Context;
          const friend = context
            .parallelize(edges, 3)
            .transitiveClosure({ strategy, filter, falsePositiveRate, partitions, direction });
          const rows = await friend.collect();
          expect(text(rows).sort()).toEqual(naiveClosure(edges));
          expect(await friend.count()).toBe(rows.length);
          checkFigures(await friend.report(), rows.length, new Set(edges.map(String)).size);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('answers questions with seeds, another base, reflexivity and bounded depth as the oracle does', async () => {
    await fc.assert(
      fc.asyncProperty(
        graph,
        fc.option(fc.array(fc.nat(16), { maxLength: 3 }), { nil: undefined }),
        fc.option(graph, { nil: undefined }),
        fc.boolean(),
        fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
        strategy,
        filter,
        fc.nat(2),
        async (edges, from, base, reflexive, maxDepth, strategy, filter, which) => {
          const context = contexts[which] as Context;
          const options: TransitiveClosureOptions<number> = {
            strategy,
            filter,
            reflexive,
            ...(from === undefined ? {} : { from }),
            ...(maxDepth === undefined ? {} : { maxDepth }),
            ...(base === undefined ? {} : { base: context.parallelize(base, 2) }),
          };
          const rows = await context.parallelize(edges, 2).transitiveClosure(options).collect();
          const expected = naiveClosure(edges, {
            reflexive,
            ...(from === undefined ? {} : { from }),
            ...(maxDepth === undefined ? {} : { maxDepth }),
            ...(base === undefined ? {} : { base }),
          });
          expect(text(rows).sort()).toEqual(expected);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('gives the same rows in the same order for any threads, strategy, filter and direction', async () => {
    await fc.assert(
      fc.asyncProperty(
        graph,
        strategy,
        filter,
        fc.constantFrom(...DIRECTIONS),
        async (edges, strategy, filter, direction) => {
          const reference = await (contexts[0] as Context)
            .parallelize(edges)
            .transitiveClosure({ strategy: 'naive', filter: 'none', direction: 'left' })
            .collect();
          for (const context of contexts) {
            expect(
              await context.parallelize(edges).transitiveClosure({ strategy, filter, direction }).collect(),
            ).toEqual(reference);
          }
        },
      ),
      { numRuns: 40 },
    );
  });

  describe('soundness traps: a filter of Know alone would lose these', () => {
    for (const filter of ['none', 'bloom', 'intersection', 'exact', 'auto'] as const) {
      it(`base {(s, s)} with Know {(s, a)}, ${filter}`, async () => {
        const context = contexts[0] as Context;
        const know = context.parallelize<string, string>([['s', 'a']]);
        const base = context.parallelize<string, string>([['s', 's']]);
        const rows = await know.transitiveClosure({ base, filter }).collect();
        expect(text(rows).sort()).toEqual(['s>a', 's>s']);
      });

      it(`reflexive from a seed that only starts edges, ${filter}`, async () => {
        const know = (contexts[0] as Context).parallelize<string, string>([['s', 'a']]);
        const rows = await know.transitiveClosure({ from: ['s'], reflexive: true, filter }).collect();
        expect(text(rows).sort()).toEqual(['s>a', 's>s']);
      });

      it(`a second run after Know has grown builds another filter, ${filter}`, async () => {
        const context = contexts[0] as Context;
        const small = context.parallelize<string, string>([['s', 'a']]);
        expect(await small.transitiveClosure({ filter }).count()).toBe(1);
        const grown = small.union(context.parallelize<string, string>([['a', 'b']]));
        expect(text(await grown.transitiveClosure({ filter }).collect()).sort()).toEqual([
          'a>b',
          's>a',
          's>b',
        ]);
      });
    }
  });

  it('tells keys apart by value and type', async () => {
    const know = (contexts[0] as Context).parallelize<unknown, unknown>([
      ['1', 1],
      [1, 1n],
      [1n, 'end'],
    ]);
    const rows = await know.transitiveClosure().collect();
    expect(rows).toHaveLength(6);
    expect(rows).toContainEqual(['1', 'end']);
    expect(rows).toContainEqual([1, 'end']);
  });

  it('has (x, x) exactly when x lies on a cycle', async () => {
    const know = (contexts[2] as Context).parallelize<string, string>([
      ['a', 'b'],
      ['b', 'a'],
      ['b', 'c'],
    ]);
    const rows = await know.transitiveClosure().collect();
    expect(
      rows
        .filter(([x, y]) => x === y)
        .map(([x]) => x)
        .sort(),
    ).toEqual(['a', 'b']);
  });

  it('recomputes without cache(), and does not with it', async () => {
    const context = contexts[2] as Context;
    const rounds: number[] = [];
    const onRound = (round: { readonly round: number }): void => {
      rounds.push(round.round);
    };
    const know = context.parallelize<number, number>([
      [1, 2],
      [2, 3],
    ]);
    const friend = know.transitiveClosure({ onRound });
    await friend.count();
    await friend.collect();
    expect(rounds).toEqual([1, 2, 1, 2]);
    const kept = know.transitiveClosure({ onRound }).cache();
    await kept.count();
    await kept.collect();
    expect(await kept.filter(([x]) => x === 1).count()).toBe(2);
    expect(rounds).toEqual([1, 2, 1, 2, 1, 2]);
    expect(context.metrics().usedBytes).toBeGreaterThan(0);
    kept.unpersist();
    expect(context.metrics().usedBytes).toBe(0);
    await kept.count();
    expect(rounds).toEqual([1, 2, 1, 2, 1, 2, 1, 2]);
  });

  it('has no report before it has run, and one of the latest run afterwards', async () => {
    const friend = (contexts[0] as Context).parallelize<number, number>([[1, 2]]).transitiveClosure();
    await expect(friend.report()).rejects.toThrow(/has not run/);
    await expect(friend.partialReport()).rejects.toThrow(/has not run/);
    await friend.count();
    expect((await friend.report()).pairs).toBe(1);
    expect(await friend.partialReport()).toEqual(await friend.report());
  });

  it('has a partial report of a run that goes on, and of one that was stopped', async () => {
    const reports: (RunReport | PartialRunReport)[] = [];
    const chain = Array.from({ length: 20 }, (_, i): [number, number] => [i, i + 1]);
    const friend = (contexts[0] as Context).parallelize(chain).transitiveClosure({
      filter: 'exact',
      maxPairs: 60,
      onRound: async () => {
        reports.push(await friend.partialReport());
      },
    });
    await expect(friend.count()).rejects.toThrow(/maxPairs/);
    await expect(friend.report()).rejects.toThrow(/has not run/);
    const stopped = await friend.partialReport();
    expect(stopped).toMatchObject({
      complete: false,
      pairs: 74,
      vertices: 21,
      edges: 20,
      strategy: 'semi-naive',
      filter: 'exact',
      totals: { filterBits: 21, fresh: 54 },
    });
    expect(stopped.totals.peakBytes).toBeGreaterThan(0);
    expect(stopped.rounds.map(({ round }) => round)).toEqual([1, 2, 3]);
    expect(reports.map(({ complete, pairs }) => [complete, pairs])).toEqual([
      [false, 39],
      [false, 57],
      [false, 74],
    ]);
  });

  it('explains what it will do, and afterwards what it chose and why', async () => {
    const friend = (contexts[0] as Context)
      .parallelize<number, number>([[1, 2]])
      .transitiveClosure({ from: [1] });
    expect(friend.explain()).toMatch(/transitiveClosure.*\n.*from 1 seed/);
    expect(friend.explain()).toMatch(/join exchange, delta\(x, z\) by z over 8 partitions/);
    await friend.count();
    expect(friend.explain()).toMatch(
      /filter exact, chosen: 1 dead end; about 100\.0 % of the tuples end there/,
    );
  });

  it('reads each relation once a run, also where Know and the base share it', async () => {
    const context = contexts[0] as Context;
    let reads = 0;
    const bytes = new TextEncoder().encode('a\tb\nb\tc\n');
    const edges = context.edges({ name: 'test', bytes }, { partitions: 1, onNotes: () => (reads += 1) });
    const base = edges.filter(([x]) => x === 'a');
    expect(await edges.transitiveClosure({ base }).count()).toBe(2);
    expect(reads).toBe(2);
  });

  it('keeps the results of very many rounds', async () => {
    const edges = Array.from({ length: 140_000 }, (_, i): Edge => [i, i + 1]);
    const friend = (contexts[0] as Context)
      .parallelize(edges, 1)
      .transitiveClosure({ from: [0], partitions: 1, filter: 'none' });
    expect(await friend.count()).toBe(140_000);
  });

  it('is empty for an empty relation', async () => {
    const friend = (contexts[2] as Context)
      .parallelize<number, number>([])
      .transitiveClosure({ reflexive: true });
    expect(await friend.collect()).toEqual([]);
    expect((await friend.report()).rounds).toEqual([]);
  });
});

/** What DESIGN's counters mean, on every run. */
function checkFigures(report: RunReport, pairs: number, edges: number): void {
  expect(report.pairs).toBe(pairs);
  expect(report.edges).toBe(edges);
  const { rounds, totals } = report;
  let known = edges;
  for (const [i, round] of rounds.entries()) {
    expect(round.round).toBe(i + 1);
    expect(round.delta).toBe(report.strategy === 'naive' || i === 0 ? known : (rounds[i - 1]?.fresh ?? 0));
    expect(round.duplicates).toBe(round.derived - round.fresh);
    expect(round.joinShuffledTuples).toBe(round.delta - round.pruned);
    expect(round.joinShuffledBytes).toBe(round.joinShuffledTuples * 8);
    expect(round.dedupShuffledTuples).toBeLessThanOrEqual(round.derived);
    expect(round.dedupShuffledTuples).toBeGreaterThanOrEqual(round.fresh);
    expect(round.dedupShuffledBytes).toBe(round.dedupShuffledTuples * 8);
    expect(round.tested).toBe(
      round.probed === 'all' ? round.delta : round.probed === 'none' ? 0 : expect.any(Number),
    );
    if (report.filter === 'none') expect(round.probed).toBe('none');
    if (round.probed !== 'all') expect(round.pruned).toBe(0);
    if (report.filter === 'exact') expect(round.falsePositives).toBe(0);
    known += round.fresh;
    expect(round.pairs).toBe(known);
  }
  expect(rounds.at(-1)?.fresh ?? 0).toBe(0);
  expect(totals.fresh).toBe(pairs - edges);
  expect(totals.derived).toBe(rounds.reduce((sum, round) => sum + round.derived, 0));
}
