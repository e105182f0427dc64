/** `rejoin closure` from the outside: forms of output, evaluation options, reports. */
import { readdir, readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chain, runCli, sortedLines, Workspace } from './run-cli.js';

let work: Workspace;
let graph: string;
const CLOSURE = ['a\tb', 'a\tc', 'a\td', 'b\tc', 'b\td', 'c\td'];

beforeAll(async () => {
  work = await Workspace.create();
  graph = await work.file('graph.tsv', 'a\tb\nb\tc\nc\td\n');
});

afterAll(() => work.remove());

describe('rejoin closure', () => {
  it('prints pairs as TSV on standard output and nothing else', async () => {
    const run = await runCli(['closure', graph]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(sortedLines(run.stdout)).toEqual(CLOSURE);
    expect(run.stdout.endsWith('\n')).toBe(true);
  });

  it.each([
    ['naive', 'exact', 1],
    ['semi-naive', 'bloom', 2],
    ['semi-naive', 'intersection', 0],
  ])('gives the same pairs with %s, %s, %i threads', async (strategy, filter, threads) => {
    const run = await runCli([
      'closure',
      graph,
      '--strategy',
      strategy,
      '--filter',
      filter,
      '--threads',
      String(threads),
    ]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(sortedLines(run.stdout)).toEqual(CLOSURE);
  });

  it('prints the count only', async () => {
    expect(await runCli(['closure', graph, '--count'])).toEqual({ code: 0, stdout: '6\n', stderr: '' });
  });

  it('bounds sources, adds reflexive pairs', async () => {
    const from = await runCli(['closure', graph, '--from', 'b', '--from', 'c', '--threads', '0']);
    expect(sortedLines(from.stdout)).toEqual(['b\tc', 'b\td', 'c\td']);
    const reflexive = await runCli(['closure', graph, '--reflexive', '--from', 'd', '--threads', '0']);
    expect(sortedLines(reflexive.stdout)).toEqual(['d\td']);
  });

  it('warns of a seed that is not in the graph and answers for the others', async () => {
    const run = await runCli(['closure', graph, '--from', 'nobody', '--from', 'c', '--threads', '0']);
    expect(run).toMatchObject({
      code: 0,
      stdout: 'c\td\n',
      stderr: 'rejoin: warning: --from "nobody" is not in the graph\n',
    });
  });

  it('reports as one JSON object instead of the pairs', async () => {
    const run = await runCli([
      'closure',
      graph,
      '--report',
      'json',
      '--filter',
      'intersection',
      '--threads',
      '0',
    ]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const report = JSON.parse(run.stdout) as Record<string, unknown>;
    expect(report).toMatchObject({
      pairs: 6,
      vertices: 4,
      edges: 3,
      strategy: 'semi-naive',
      filter: 'intersection',
      threads: 0,
      partitions: 8,
      complete: true,
    });
    const rounds = report['rounds'] as Record<string, number>[];
    // Δ = 3 edges, then 2, then 1; the last round finds nothing new.
    expect(rounds.map((round) => round['delta'])).toEqual([3, 2, 1]);
    expect(rounds.map((round) => round['fresh'])).toEqual([2, 1, 0]);
    for (const name of ['round', 'derived', 'duplicates', 'joinShuffledTuples', 'joinShuffledBytes', 'ms']) {
      expect(rounds[0]).toHaveProperty(name, expect.any(Number));
    }
    for (const name of ['dedupShuffledTuples', 'dedupShuffledBytes', 'tested', 'pruned', 'falsePositives']) {
      expect(report['totals']).toHaveProperty(name, expect.any(Number));
    }
    for (const name of [
      'filterBits',
      'predictedFalsePositiveRate',
      'observedFalsePositiveRate',
      'peakBytes',
    ]) {
      expect(report['totals']).toHaveProperty(name, expect.any(Number));
    }
  });

  it('reports as a table', async () => {
    const run = await runCli([
      'closure',
      graph,
      '--report',
      'table',
      '--threads',
      '0',
      '--strategy',
      'semi-naive',
    ]);
    expect(run.code).toBe(0);
    expect(run.stdout).toMatch(/^6 pairs · 4 vertices · 3 edges · semi-naive.* · inline · 8 partitions\n/);
    expect(run.stdout).toMatch(/│\s+total │\s+6 │/);
  });

  it('writes TSV or CSV by the name of the file, whole or not at all', async () => {
    const odd = await work.file('odd.csv', '"a\tb","say ""hi"""\n"back\\slash","x,y"\n');
    const tsv = await runCli([
      'closure',
      odd,
      '--separator',
      'comma',
      '--out',
      work.path('o.tsv'),
      '--threads',
      '0',
    ]);
    expect(tsv).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(sortedLines(await readFile(work.path('o.tsv'), 'utf8'))).toEqual([
      'a\\tb\tsay "hi"',
      'back\\\\slash\tx,y',
    ]);
    await runCli(['closure', odd, '--separator', 'comma', '--out', work.path('o.CSV'), '--threads', '0']);
    expect(sortedLines(await readFile(work.path('o.CSV'), 'utf8'))).toEqual([
      'a\tb,"say ""hi"""',
      'back\\slash,"x,y"',
    ]);
    expect(
      (await readdir(work.folder)).filter((name) => name.includes('o.') && !/^o\.(tsv|CSV)$/.test(name)),
    ).toEqual([]);
  });

  it('writes pairs to --out beside a count or a report', async () => {
    const out = work.path('beside.tsv');
    const count = await runCli(['closure', graph, '--out', out, '--count', '--threads', '0']);
    expect(count).toEqual({ code: 0, stdout: '6\n', stderr: '' });
    const report = await runCli(['closure', graph, '--out', out, '--report', 'json', '--threads', '0']);
    expect(JSON.parse(report.stdout)).toMatchObject({ pairs: 6 });
    expect(sortedLines(await readFile(out, 'utf8'))).toEqual(CLOSURE);
  });

  it('streams a result of many partitions completely', async () => {
    const long = await work.file('long.tsv', chain(400));
    const run = await runCli(['closure', long]);
    expect(new Set(run.stdout.trimEnd().split('\n')).size).toBe((400 * 399) / 2);
  });
});
