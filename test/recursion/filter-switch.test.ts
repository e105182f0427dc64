/** `filter: 'auto'`: when probing goes on and off, and what a run says of it. */
import { createContext, type Context, type RunReport } from 'rejoin';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BREAK_EVEN, FilterSwitch, SAMPLE_STRIDE } from '../../src/recursion/filter-switch.js';

const MANY = 1_000_000;

describe('the switch', () => {
  it('starts on where enough can be pruned, and stays on while that holds', () => {
    const filter = new FilterSwitch(BREAK_EVEN);
    for (let round = 1; round < 10; round++) {
      expect(filter.next(MANY)).toBe('all');
      filter.observe(round, { tested: 1000, prunable: 1000 * BREAK_EVEN });
    }
    expect(filter.notes).toEqual([{ round: 0, on: true, share: BREAK_EVEN }]);
  });

  it('goes off as soon as it does not pay, and looks again after 1, 2, 4, … joins', () => {
    const filter = new FilterSwitch(0.5);
    const probings: string[] = [];
    for (let round = 1; round <= 20; round++) {
      const probing = filter.next(MANY);
      probings.push(probing.charAt(0));
      if (probing !== 'none') filter.observe(round, { tested: 1000, prunable: 1 });
    }
    expect(probings.join('')).toBe('ansnnsnnnnsnnnnnnnns');
    expect(filter.notes.map(({ round, on }) => [round, on])).toEqual([
      [0, true],
      [1, false],
    ]);
  });

  it('goes on again when a sample says so, and then waits anew', () => {
    const filter = new FilterSwitch(0);
    expect(filter.next(MANY)).toBe('none');
    expect(filter.next(MANY)).toBe('sample');
    filter.observe(2, { tested: 1000, prunable: 900 });
    expect(filter.next(MANY)).toBe('all');
    filter.observe(3, { tested: MANY, prunable: 0 });
    expect([filter.next(MANY), filter.next(MANY)]).toEqual(['none', 'sample']);
    expect(filter.notes.map(({ round, on, share }) => [round, on, share])).toEqual([
      [0, false, 0],
      [2, true, 0.9],
      [3, false, 0],
    ]);
  });

  it('does not sample a handful', () => {
    const filter = new FilterSwitch(0);
    for (let round = 1; round < 10; round++) expect(filter.next(SAMPLE_STRIDE * 10)).toBe('none');
  });
});

describe("filter: 'auto' in a run", () => {
  let context: Context;
  beforeAll(async () => {
    context = await createContext({ threads: 0, memory: '512MiB' });
  });
  afterAll(() => context.close());

  async function run(edges: [number, number][]): Promise<{ report: RunReport; plan: string }> {
    const friend = context.parallelize(edges).transitiveClosure({ filter: 'auto', direction: 'left' });
    await friend.count();
    return { report: await friend.report(), plan: friend.explain() };
  }

  it('builds no filter where no tuple can be pruned', async () => {
    const cycle = Array.from({ length: 50 }, (_, i): [number, number] => [i, (i + 1) % 50]);
    const { report, plan } = await run(cycle);
    expect(report.totals).toMatchObject({ tested: 0, filterBits: 0 });
    expect(plan).toMatch(/filter none, chosen: no tuple can end where Know has no tuple/);
  });

  it('probes at most one tuple in a hundred where nearly none can be pruned', async () => {
    // 90,000 pairs and one dead end.
    const edges = Array.from({ length: 900 }, (_, i): [number, number] => [
      i % 300,
      (i * 7 + Math.floor(i / 300) * 11 + 1) % 300,
    ]);
    const { report, plan } = await run([...edges, [3, 300]]);
    expect(report.filter).toBe('exact');
    expect(report.totals.tested / report.totals.delta).toBeLessThan(0.01);
    expect(report.totals.tested).toBeGreaterThan(0);
    expect(report.rounds.some(({ probed }) => probed === 'sample')).toBe(true);
    expect(report.totals.pruned).toBe(0);
    expect(plan).toMatch(/1 dead end;.*Probing starts off/);
  });

  it('probes everything where much can be pruned, and goes off when that ends', async () => {
    // A fan of leaves around the start of a long path: first leaves, then nearly none.
    const path = Array.from({ length: 60 }, (_, i): [number, number] => [i, i + 1]);
    const leaves = Array.from({ length: 4000 }, (_, i): [number, number] => [i % 3, 1000 + i]);
    const { report, plan } = await run([...path, ...leaves]);
    expect(report.rounds[0]).toMatchObject({ probed: 'all' });
    expect(report.totals.pruned).toBeGreaterThan(4000);
    expect(report.rounds.at(-1)?.probed).toBe('none');
    expect(plan).toMatch(/Probing starts on/);
    expect(plan).toMatch(/probing off after round \d+: \d+\.\d % of the tuples looked at could be pruned/);
  });
});
