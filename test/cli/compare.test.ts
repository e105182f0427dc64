/** `rejoin compare` from the outside. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chain, runCli, Workspace } from './run-cli.js';

let work: Workspace;
let graph: string;

beforeAll(async () => {
  work = await Workspace.create();
  // v0 → … → v19, and ten dead ends at v5: prunable as soon as they are found.
  graph = await work.file(
    'graph.tsv',
    chain(20) + Array.from({ length: 10 }, (_, i) => `v5\tend${i}\n`).join(''),
  );
});

afterAll(() => work.remove());

/** 190 pairs of the chain; v0 … v5 reach ten dead ends each. */
const PAIRS = 190 + 6 * 10;

interface Run {
  readonly strategy: string;
  readonly filter: string;
  readonly complete: boolean;
  readonly stopped?: string;
  readonly pairs: number;
  readonly rounds: readonly object[];
  readonly totals: { readonly pruned: number; readonly derived: number; readonly joinShuffledTuples: number };
}

describe('rejoin compare', () => {
  it('runs every strategy and says that they agree', async () => {
    const run = await runCli(['compare', graph]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    for (const name of [
      'naive',
      'semi-naive',
      'semi-naive + bloom',
      'semi-naive + intersection',
      'semi-naive + exact',
    ]) {
      expect(run.stdout).toContain(`│ ${name} `);
    }
    expect(run.stdout).toContain(`All 5 answers agree: ${PAIRS} pairs`);
  });

  it('prints an array as JSON, in which filters prune and naive derives more', async () => {
    const run = await runCli(['compare', graph, '--report', 'json', '--threads', '0']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const runs = JSON.parse(run.stdout) as Run[];
    expect(runs.map(({ strategy, filter }) => `${strategy}/${filter}`)).toEqual([
      'naive/none',
      'semi-naive/none',
      'semi-naive/bloom',
      'semi-naive/intersection',
      'semi-naive/exact',
    ]);
    for (const { pairs, complete } of runs)
      expect({ pairs, complete }).toEqual({ pairs: PAIRS, complete: true });
    const [naive, plain, , , exact] = runs;
    expect(naive?.totals.derived).toBeGreaterThan(plain?.totals.derived ?? NaN);
    // Dead ends: every pair that ends at end0 … end9 or at v19.
    expect(exact?.totals.pruned).toBe(6 * 10 + 19);
    expect(plain?.totals.pruned).toBe(0);
    expect((plain?.totals.joinShuffledTuples ?? 0) - (exact?.totals.joinShuffledTuples ?? 0)).toBe(79);
  });

  it('takes the options of the question', async () => {
    const run = await runCli([
      'compare',
      graph,
      '--from',
      'v18',
      '--from',
      'x',
      '--reflexive',
      '--threads',
      '0',
      '--report',
      'json',
    ]);
    expect(run).toMatchObject({ code: 0, stderr: 'rejoin: warning: --from "x" is not in the graph\n' });
    expect((JSON.parse(run.stdout) as Run[])[0]?.pairs).toBeGreaterThanOrEqual(2);
  });

  it('stops a strategy at its deadline, reports it as stopped, and goes on', async () => {
    const long = await work.file('long.tsv', chain(3000));
    const run = await runCli(['compare', long, '--deadline', '0.6', '--report', 'json', '--threads', '0']);
    expect(run.code).toBe(3);
    expect(run.stderr).toMatch(
      /^rejoin: \d of 5 strategies were stopped at a limit: naive \(--deadline\).*\n$/,
    );
    const runs = JSON.parse(run.stdout) as Run[];
    expect(runs).toHaveLength(5);
    expect(runs[0]).toMatchObject({
      strategy: 'naive',
      filter: 'none',
      complete: false,
      stopped: 'deadline',
    });
    // A stopped run has all that a finished one has: it was loaded, and some rounds were run.
    const finished = (
      JSON.parse((await runCli(['compare', graph, '--report', 'json', '--threads', '0'])).stdout) as Run[]
    )[0];
    const [first] = runs;
    for (const part of [(run?: Run) => run, (run?: Run) => run?.totals, (run?: Run) => run?.rounds[0]]) {
      expect(Object.keys(part(first) ?? {})).toEqual(
        expect.arrayContaining(Object.keys(part(finished) ?? {})) as string[],
      );
    }
    expect(first).toMatchObject({ vertices: 3000, edges: 2999, threads: 0, partitions: 8 });
  });

  it('reports a run that --max-pairs stops in the same way', async () => {
    const run = await runCli(['compare', graph, '--max-pairs', '100', '--threads', '0']);
    expect(run.code).toBe(3);
    expect(run.stdout).toContain('stopped: max-pairs');
    expect(run.stdout).toContain('No strategy finished');
    expect(run.stderr).toContain('--max-pairs');
  });

  it('fails for a missing file before any run', async () => {
    const run = await runCli(['compare', work.path('missing.tsv')]);
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toContain('missing.tsv');
  });
});
