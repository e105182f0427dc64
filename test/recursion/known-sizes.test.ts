/**
 * Closures whose size is known: by formula, and of real graphs in the folder that `REJOIN_DATA` names. What a filter
 * prunes there is known as well: the pairs that end where Know has no tuple.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  createContext,
  predict,
  type ClosureStatistics,
  type Context,
  type FilterKind,
  type RunReport,
} from 'rejoin';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

type Edge = [number, number];

function grid(n: number): Edge[] {
  const side = n + 1;
  const edges: Edge[] = [];
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      const vertex = row * side + column;
      if (column < n) edges.push([vertex, vertex + 1]);
      if (row < n) edges.push([vertex, vertex + side]);
    }
  }
  return edges;
}

const data = process.env['REJOIN_DATA'];

describe('known closures', () => {
  let context: Context;
  beforeAll(async () => {
    context = await createContext({ threads: 2, memory: '3GiB' });
  });
  afterAll(() => context.close());

  it('Grid50 has 1,755,675 pairs after 100 rounds', async () => {
    const friend = context.parallelize(grid(50)).transitiveClosure();
    expect(await friend.count()).toBe(1_755_675);
    expect((await friend.report()).rounds).toHaveLength(100);
  });

  it('Chain1000 has 499,500 pairs after 999 rounds', async () => {
    const chain = Array.from({ length: 999 }, (_, i): Edge => [i, i + 1]);
    const friend = context.parallelize(chain).transitiveClosure({ filter: 'none' });
    expect(await friend.count()).toBe(499_500);
    expect((await friend.report()).rounds).toHaveLength(999);
  });

  describe.runIf(data !== undefined && existsSync(data))('real graphs (in the folder REJOIN_DATA)', () => {
    const run = async (
      file: string,
      filter: FilterKind,
      options: {
        readonly columns?: readonly [number, number];
        readonly falsePositiveRate?: number;
        readonly direction?: 'left' | 'right' | 'auto';
      } = {},
    ): Promise<RunReport> => {
      const { columns = [1, 2], falsePositiveRate = 0.01, direction = 'left' } = options;
      const know = context.edges(join(data ?? '', file), { columns });
      const friend = know.transitiveClosure({ strategy: 'semi-naive', filter, direction, falsePositiveRate });
      await friend.count();
      return friend.report();
    };

    it.each([
      ['ego-Facebook.tsv', 88_234, 4_039, 2_508_102],
      ['cti.tsv', 48_232, 16_840, 6_859_653],
      ['wiki-Vote.tsv', 103_689, 7_115, 11_947_132],
    ])('%s: %i edges, %i vertices, %i pairs', async (file, edges, vertices, pairs) => {
      expect(await run(file, 'auto', { direction: 'auto' })).toMatchObject({ edges, vertices, pairs });
    });

    // The two largest: long, so that they are worth a test of their own.
    it.each([
      ['fe_sphere.tsv', 49_152, 16_386, 78_557_912],
      ['SF.cedge.tsv', 221_802, 174_956, 80_498_014],
    ])(
      '%s: %i edges, %i vertices, %i pairs',
      async (file, edges, vertices, pairs) => {
        expect(await run(file, 'auto')).toMatchObject({ edges, vertices, pairs });
      },
      240_000,
    );

    it('TG.cedge.tsv, columns 2 and 3: 481,121 pairs', async () => {
      expect(await run('TG.cedge.tsv', 'auto', { columns: [2, 3] })).toMatchObject({
        edges: 23_797,
        vertices: 18_263,
        pairs: 481_121,
      });
    });

    it('p2p-Gnutella09.tsv: the exact filter prunes all and only the pairs without a continuation', async () => {
      const report = await run('p2p-Gnutella09.tsv', 'exact');
      expect(report).toMatchObject({ edges: 26_013, vertices: 8_114, pairs: 21_402_960 });
      const know = context.edges(join(data ?? '', 'p2p-Gnutella09.tsv'));
      const sources = new Set(await know.keys().distinct().collect());
      const friend = know.transitiveClosure();
      const deadEnds = await friend.filter(([, y]) => !sources.has(y), { sources }).count();
      expect(report.totals).toMatchObject({ pruned: deadEnds, falsePositives: 0, tested: report.pairs });
      expect(report.totals.joinShuffledTuples).toBe(report.pairs - deadEnds);
      expect(deadEnds / report.pairs).toBeCloseTo(0.626, 3);
    });

    it('p2p-Gnutella09.tsv: the intersection filter at rate 1e-4 prunes at least 99 % of those, and no other', async () => {
      const exact = await run('p2p-Gnutella09.tsv', 'exact');
      const intersection = await run('p2p-Gnutella09.tsv', 'intersection', { falsePositiveRate: 1e-4 });
      expect(intersection.pairs).toBe(exact.pairs);
      expect(intersection.totals.pruned + intersection.totals.falsePositives).toBe(exact.totals.pruned);
      expect(intersection.totals.pruned / exact.totals.pruned).toBeGreaterThanOrEqual(0.99);
    });

    it.each([
      // Shares that can be pruned, to the left and to the right, and tuples derived a pair.
      ['wiki-Vote.tsv', 'left', 0.41, 24.9],
      ['wiki-Vote.tsv', 'right', 0.746, 13.8],
      ['ego-Facebook.tsv', 'left', 0.075, 24.5],
      ['ego-Facebook.tsv', 'right', 0.003, 16.9],
    ] as const)(
      '%s: to the %s, %d of the tuples are pruned, %d are derived a pair',
      async (file, direction, share, derived) => {
        const exact = await run(file, 'exact', { direction });
        expect(exact.totals.pruned / exact.totals.tested).toBeCloseTo(share, 3);
        expect(Math.abs(exact.totals.derived / exact.pairs / derived - 1)).toBeLessThan(0.01);
        expect(exact.totals.falsePositives).toBe(0);
        const intersection = await run(file, 'intersection', { direction, falsePositiveRate: 1e-4 });
        expect(intersection.pairs).toBe(exact.pairs);
        expect(intersection.totals.pruned / exact.totals.pruned).toBeGreaterThan(0.99);
        expect(intersection.totals.pruned).toBeLessThanOrEqual(exact.totals.pruned);
      },
      120_000,
    );

    it.each(['ego-Facebook.tsv', 'p2p-Gnutella09.tsv'])(
      '%s: the cost model predicts what is counted, and a sample holds it in its intervals',
      async (file) => {
        const know = context.edges(join(data ?? '', file)).cache();
        const exact = await know.closureStatistics();
        const draws: ClosureStatistics[] = [];
        for (let seed = 0; seed < 20; seed++) draws.push(await know.closureStatistics({ sample: 32, seed }));
        const { totals, pairs } = await run(file, 'exact');
        const query = { strategy: 'semi-naive', filter: 'exact' } as const;
        expect(predict(query, exact).pairs).toMatchObject({ value: pairs, basis: 'exact' });
        const figures = ['delta', 'derived', 'joinShuffledTuples', 'dedupShuffledBytes', 'pruned'] as const;
        for (const figure of figures) {
          expect([figure, predict(query, exact).totals[figure]]).toEqual([
            figure,
            { value: totals[figure], low: totals[figure], high: totals[figure], basis: 'exact' },
          ]);
          const inside = draws.filter((draw) => {
            const estimate = predict(query, draw).totals[figure];
            return estimate !== null && estimate.low <= totals[figure] && totals[figure] <= estimate.high;
          });
          expect(inside.length, figure).toBeGreaterThanOrEqual(17);
        }
        know.unpersist();
      },
      120_000,
    );

    it('wiki-Vote.tsv: auto goes to the right, p2p-Gnutella09.tsv to the left', async () => {
      expect(await run('wiki-Vote.tsv', 'auto', { direction: 'auto' })).toMatchObject({ direction: 'right' });
      expect(await run('p2p-Gnutella09.tsv', 'auto', { direction: 'auto' })).toMatchObject({
        direction: 'left',
      });
    }, 120_000);

    it('CA-HepTh.tsv: nothing can be pruned, and the report shows it', async () => {
      const report = await run('CA-HepTh.tsv', 'exact');
      expect(report).toMatchObject({ edges: 51_971, vertices: 9_877, pairs: 74_619_885 });
      expect(report.totals).toMatchObject({ tested: 74_619_885, pruned: 0, joinShuffledTuples: 74_619_885 });
    }, 240_000);
  });
});
