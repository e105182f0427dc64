/**
 * The cost model against what runs count: equal with exact statistics; with sampled ones, the truth lies in the intervals at
 * the rate that is stated.
 */
import fc from 'fast-check';
import {
  createContext,
  predict,
  predictRounds,
  type ClosureStatistics,
  type Context,
  type Estimate,
  type FilterKind,
  type PredictedFigures,
  type Rdd,
  type Strategy,
} from 'rejoin';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gnp } from '../../bench/workloads.js';
import { WORKLOADS } from './workloads.js';

type Edge = [number, number];

const graph: fc.Arbitrary<Edge[]> = fc
  .integer({ min: 1, max: 14 })
  .chain((n) => fc.array(fc.tuple(fc.nat(n), fc.nat(n)) as fc.Arbitrary<Edge>, { maxLength: 40 }));

/** Strategies whose rounds follow from distances. */
const PREDICTED = [
  'naive',
  'semi-naive',
  'non-linear',
  'hadoop',
  'haloop',
  'pregel',
  'spark',
  'spark+ibf',
] as const satisfies readonly Strategy[];

let context: Context;
beforeAll(async () => {
  context = await createContext({ threads: 0, memory: '512MiB' });
});
afterAll(async () => {
  expect(context.metrics().usedBytes).toBe(0);
  await context.close();
});

/** Holds a counted figure against what was predicted. */
function holds(predicted: Estimate | null, counted: number, figure: string): void {
  if (predicted === null) return;
  const { value, low, high, basis } = predicted;
  if (basis === 'exact') expect([figure, value]).toEqual([figure, counted]);
  expect(counted, figure).toBeLessThanOrEqual(high + 1e-6);
  expect(counted, figure).toBeGreaterThanOrEqual(low - 1e-6);
}

function allHold(
  predicted: PredictedFigures,
  counted: Readonly<Record<keyof PredictedFigures, number>>,
): void {
  for (const [figure, estimate] of Object.entries(predicted) as [keyof PredictedFigures, Estimate | null][])
    holds(estimate, counted[figure], figure);
}

describe('predict', () => {
  it('equals what is counted, in total and round by round, with exact statistics', async () => {
    await fc.assert(
      fc.asyncProperty(
        graph,
        fc.constantFrom(...PREDICTED),
        fc.constantFrom('none' as const, 'exact' as const),
        fc.constantFrom('left' as const, 'right' as const),
        fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
        fc.constantFrom(1, 2, 5),
        async (edges, strategy, wanted, wantedDirection, depth, partitions) => {
          const plain = strategy === 'naive' || strategy === 'semi-naive';
          const filter = plain ? { filter: wanted } : {};
          const whole = strategy === 'non-linear';
          const direction = whole ? 'left' : wantedDirection;
          const maxDepth = whole || depth === undefined ? {} : { maxDepth: depth };
          const know = context.parallelize(edges, 3);
          const statistics = await know.closureStatistics({ direction, partitions, ...maxDepth });
          const friend = know.transitiveClosure({ strategy, direction, partitions, ...filter, ...maxDepth });
          await friend.count();
          const { pairs, rounds, totals, filter: chosen } = await friend.report();
          const query = { strategy, filter: chosen };
          const predicted = predict(query, statistics);
          holds(predicted.pairs, pairs, 'pairs');
          holds(predicted.rounds, rounds.length, 'rounds');
          holds(predicted.filterBits, totals.filterBits, 'filterBits');
          allHold(predicted.totals, totals);
          // Filters built for one join each are not predicted, so neither are rounds with them.
          const byRound = predictRounds(query, statistics);
          if (predicted.totals.joinShuffledTuples !== null) expect(byRound).toHaveLength(rounds.length);
          for (const [i, figures] of byRound.entries()) {
            const round = rounds[i];
            if (round !== undefined) allHold(figures, round);
          }
          if (strategy === 'semi-naive') {
            const estimates = Object.values(predicted.totals) as (Estimate | null)[];
            expect(estimates.filter((estimate) => estimate?.basis !== 'exact')).toEqual([]);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('keeps the false positives of Bloom filters in their interval', async () => {
    let [inside, cases] = [0, 0];
    for (const [name, edges] of WORKLOADS) {
      const know = context.parallelize(edges);
      const statistics = await know.closureStatistics({ direction: 'left' });
      for (const filter of ['bloom', 'intersection'] as const) {
        for (const falsePositiveRate of [1e-4, 0.01, 0.1, 0.5]) {
          const friend = know.transitiveClosure({
            strategy: 'semi-naive',
            direction: 'left',
            filter,
            falsePositiveRate,
          });
          await friend.count();
          const { totals } = await friend.report();
          const { totals: predicted, filterBits } = predict(
            { strategy: 'semi-naive', filter, falsePositiveRate },
            statistics,
          );
          holds(predicted.tested, totals.tested, `${name} tested`);
          expect(totals.pruned + totals.falsePositives).toBe(
            statistics.samples[0]?.deadEnds.reduce((sum, count) => sum + count, 0),
          );
          expect(totals.filterBits).toBeGreaterThanOrEqual(filterBits.low);
          expect(totals.filterBits).toBeLessThanOrEqual(filterBits.high);
          for (const figure of ['falsePositives', 'pruned', 'joinShuffledTuples'] as const) {
            const { low, high } = predicted[figure] as Estimate;
            cases += 1;
            if (low - 1e-6 <= totals[figure] && totals[figure] <= high + 1e-6) inside += 1;
          }
        }
      }
    }
    expect(inside / cases).toBeGreaterThanOrEqual(0.95);
  });

  it('holds the truth in the intervals of a sample as often as it says, on every workload', async () => {
    const figures = ['delta', 'derived', 'joinShuffledTuples', 'dedupShuffledTuples', 'pruned'] as const;
    const draws = 40;
    for (const [name, edges] of WORKLOADS) {
      const know = context.parallelize(edges).cache();
      const exact = await know.closureStatistics();
      for (const filter of ['none', 'exact'] as const) {
        const query = { strategy: 'semi-naive' as const, filter };
        const truth = predict(query, exact).totals;
        let [inside, cases] = [0, 0];
        for (let seed = 0; seed < draws; seed++) {
          const sampled = await know.closureStatistics({ sample: 32, seed });
          const { totals } = predict(query, sampled);
          for (const figure of figures) {
            const { low, high, basis } = totals[figure] as Estimate;
            const { value } = truth[figure] as Estimate;
            if (basis === 'exact' && value === low) continue;
            cases += 1;
            if (low <= value && value <= high) inside += 1;
          }
        }
        // 95 %, less what 40 draws of figures that move together may miss.
        if (cases > 0)
          expect([name, filter, inside / cases >= 0.88 || inside / cases]).toEqual([name, filter, true]);
      }
      know.unpersist();
    }
  }, 120_000);

  it('says what does not follow, and refuses what does not fit', async () => {
    const know: Rdd<Edge> = context.parallelize<Edge>([
      [1, 2],
      [2, 3],
    ]);
    const statistics = await know.closureStatistics({ maxDepth: 2 });
    expect(predict({ strategy: 'smart' }, await know.closureStatistics()).totals.derived).toBeNull();
    expect(() => predict({ strategy: 'semi-naive', maxDepth: 3 }, statistics)).toThrow(
      /maxDepth is 3, but the statistics reach 2 steps/,
    );
    expect(() => predict({ strategy: 'smart' }, statistics)).toThrow(/whole closure/);
    expect(() => predict({ strategy: 'spark', filter: 'exact' }, statistics)).toThrow(
      /comes with filter none/,
    );
    expect(() => predict({ strategy: 'fast' as Exclude<Strategy, 'auto'> }, statistics)).toThrow(
      /strategy is "fast"; expected one of naive/,
    );
    expect(() =>
      predict({ strategy: 'naive', filter: 'bloo' as Exclude<FilterKind, 'auto'> }, statistics),
    ).toThrow(/did you mean bloom/);
    expect(() => predict({ strategy: 'naive' }, {} as ClosureStatistics)).toThrow(/statistics/);
    await expect(know.closureStatistics({ sample: 1 })).rejects.toThrow(/sample is 1/);
  });

  it('gathers statistics in slices: a signal ends a long search inline', async () => {
    // Six hundred million steps: far beyond the time that this test has.
    const know = context.parallelize([...gnp('G8K', 8000, 0.00125, 8).edges()].map(([x, y]): Edge => [x, y]));
    const gathering = know.closureStatistics({ signal: AbortSignal.timeout(200) });
    await expect(gathering).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(context.metrics().usedBytes).toBe(0);
  }, 5000);

  it('survives JSON', async () => {
    const know = context.parallelize<Edge>([
      [1, 2],
      [2, 3],
      [3, 1],
    ]);
    const statistics = await know.closureStatistics();
    const copy = JSON.parse(JSON.stringify(statistics)) as ClosureStatistics;
    expect(predict({ strategy: 'naive' }, copy)).toEqual(predict({ strategy: 'naive' }, statistics));
  });

  it('stands in the report beside what was counted', async () => {
    const know = context.parallelize(WORKLOADS.find(([name]) => name === 'Tree6')?.[1] ?? []);
    const friend = know.transitiveClosure({ strategy: 'semi-naive', filter: 'exact' });
    await friend.count();
    const { predicted, totals } = await friend.report();
    expect(predicted?.totals.derived).toMatchObject({ value: totals.derived, basis: 'exact' });
    const seeded = know.transitiveClosure({ from: [0] });
    await seeded.count();
    expect((await seeded.report()).predicted).toBeNull();
  });
});
