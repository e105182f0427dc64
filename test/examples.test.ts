/** Every example runs to its end and prints what it promises; figures were computed independently of Rejoin. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runProcess, Workspace } from './cli/run-cli.js';

async function runExample(name: string, ...words: string[]): Promise<string> {
  const file = fileURLToPath(new URL(`../build/examples/${name}.js`, import.meta.url));
  const run = await runProcess(process.execPath, [file, ...words]);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  return run.stdout;
}

/** The cells of a table's row, without the numbers' separators. */
function cellsOf(text: string, rowName: string, occurrence = 0): string[] {
  const rows = text.split('\n').map((line) => line.split('│').map((cell) => cell.trim().replaceAll(',', '')));
  return rows.filter((cells) => cells[1] === rowName)[occurrence]?.slice(2, -1) ?? [];
}

const ROWS = ['naive', 'semi-naive', '+ bloom', '+ intersection', '+ exact'];

describe('examples', () => {
  it('who-knows-whom: both closures, friends of one person, and five equal answers each', async () => {
    const text = await runExample('who-knows-whom');
    expect(text).toContain('Know has 508 pairs, its closure Friend 5929.');
    expect(text).toMatch(/Valjean knows (\S+, ){5}…/);
    expect(text).toMatch(/in any number of steps 77: /);
    expect(text).toContain('5366 direct connections, 92112 with changes of plane.');
    expect(text).toMatch(/Nobody flies on from .*CYS \(Cheyenne, WY\)/);
    for (const [occurrence, pairs] of ['5929', '92112'].entries()) {
      for (const row of ROWS) expect(cellsOf(text, row, occurrence)[0]).toBe(pairs);
    }
    expect(text.match(/All 5 answers agree\./g)).toHaveLength(2);
  });

  it('friends-of-friends: people at a distance of exactly two', async () => {
    expect((await runExample('friends-of-friends')).trimEnd().split('\n')).toEqual([
      'An could meet Chi and Giang',
      'Bình could meet Dung and Em',
      'Chi could meet An',
      'Dung could meet Bình',
      'Em could meet Bình',
      'Giang could meet An',
    ]);
  });

  it('airport-reachability: more airports with each flight, until no more are new', async () => {
    const text = await runExample('airport-reachability', 'PUB');
    expect(text).toContain('From PUB (Pueblo, CO) one reaches');
    const counts = [...text.matchAll(/^ {2}(\d+) airports with at most (\d+) flights/gm)].map(([, n]) =>
      Number(n),
    );
    expect(counts).toEqual([1, 23, 278, 300, 304]);
    expect(await runExample('airport-reachability', 'XXX')).toMatch(/unknown airport[^]*no other airport/);
  });

  it('dependencies: transitive ones, resolved as Node does, with circles', async () => {
    const work = await Workspace.create();
    try {
      const lock = await work.file(
        'package-lock.json',
        JSON.stringify({
          lockfileVersion: 3,
          packages: {
            '': { dependencies: { a: '1' }, devDependencies: { e: '1' } },
            'node_modules/a': { dependencies: { b: '1', c: '1' } },
            'node_modules/a/node_modules/b': {
              dependencies: { c: '1' },
              optionalDependencies: { absent: '1' },
            },
            'node_modules/b': {},
            'node_modules/c': { dependencies: { d: '1' } },
            'node_modules/d': { peerDependencies: { c: '1' } },
            'node_modules/e': { dependencies: { b: '2' } },
          },
        }),
      );
      const text = await runExample('dependencies', lock);
      expect(text).toContain('8 direct dependencies');
      expect(text).toContain('the project itself needs 6 packages');
      expect(text).toMatch(/^ {2}a needs 3$/m);
      expect(text).toMatch(/in a circle: (c, d|d, c)/);
    } finally {
      await work.remove();
    }
    expect(await runExample('dependencies')).toMatch(/needs \d{3,} packages/);
  });

  it('compare-strategies: filters prune dead ends, the answers stay equal, and a seed gives the same figures', async () => {
    const text = await runExample('compare-strategies', '7');
    const [naive, plain, bloom, intersection, exact] = ROWS.map((row) => cellsOf(text, row));
    for (const cells of [plain, bloom, intersection, exact]) expect(cells?.[0]).toBe(naive?.[0]);
    const prunedBy = (cells: string[] | undefined): number => Number(cells?.[6]);
    expect(prunedBy(plain)).toBe(0);
    // Seven vertices in ten are dead ends, so about that share of the pairs is prunable.
    expect(prunedBy(exact) / Number(exact?.[0])).toBeGreaterThan(0.6);
    expect(prunedBy(intersection)).toBeLessThanOrEqual(prunedBy(exact));
    expect(prunedBy(intersection)).toBeGreaterThan(0.95 * prunedBy(exact));
    const again = await runExample('compare-strategies', '7');
    for (const row of ROWS) expect(cellsOf(again, row).slice(0, -1)).toEqual(cellsOf(text, row).slice(0, -1));
  });

  it('common-urls: what is in two and in all files, exactly, and no temporary file is left', async () => {
    const text = await runExample('common-urls');
    expect(text).toMatch(/^5000 URLs are in all of the first 2 files; \d+ lines passed/m);
    expect(text).toMatch(/^12 URLs are in all of the first 3 files/m);
    const urls = text.split('\n').filter((line) => line.startsWith('https://'));
    expect(urls.map((url) => Number(/page\/(\d+)/.exec(url)?.[1])).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 12 }, (_, i) => 19_988 + i),
    );
    const work = await Workspace.create();
    try {
      const files = await Promise.all(
        ['a\r\nb\nc\nb\n', 'b\n\nc\nd', 'c\nb\nx\n'].map((lines, i) => work.file(`${i}.txt`, lines)),
      );
      const given = (await runExample('common-urls', ...files)).split('\n');
      expect(given.filter((line) => line.length === 1).sort()).toEqual(['b', 'c']);
      expect(given).toContainEqual(expect.stringMatching(/^2 URLs are in all of the first 3 files; 7 lines/));
    } finally {
      await work.remove();
    }
  });

  it('blacklist: no address of the list is missed, and errors are as predicted', async () => {
    const text = await runExample('blacklist', '100000');
    expect(text).toContain('of 100000 addresses in the list, 0 are missed');
    const [, predicted] = /predicted (\d+\.\d+) %/.exec(text) ?? [];
    const [, observed] = /observed +(\d+\.\d+) %/.exec(text) ?? [];
    // 16 bits an address and 8 hashes: (1 − e^(−1/2))^8.
    expect(Number(predicted)).toBeCloseTo(100 * (1 - Math.exp(-0.5)) ** 8, 2);
    // 57 expected; five standard deviations.
    expect(Math.abs(Number(observed) - Number(predicted))).toBeLessThan(0.04);
  });
});
