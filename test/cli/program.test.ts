import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.js';

interface Parsed {
  readonly calls: readonly (readonly [command: string, file: string, flags: object])[];
  readonly out: string;
  readonly error: string;
  readonly exitCode: number | undefined;
}

async function parse(...words: string[]): Promise<Parsed> {
  const calls: [string, string, object][] = [];
  let [out, error] = ['', ''];
  const program = createProgram(
    {
      closure: (file, flags) => Promise.resolve(void calls.push(['closure', file, flags])),
      compare: (file, flags) => Promise.resolve(void calls.push(['compare', file, flags])),
    },
    { out: (text) => (out += text), error: (text) => (error += text) },
  );
  let exitCode: number | undefined;
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    ({ exitCode } = thrown);
  }
  return { calls, out, error, exitCode };
}

describe('the command line', () => {
  it('gives every option to the closure under the name of the library', async () => {
    const line =
      'closure g.tsv --separator comma --columns 2,3 --comment none --header --undirected --skip-invalid ' +
      '--strategy naive --filter exact --from a --from b --max-depth 2 --partitions 4 --threads 0 --memory 64MiB ' +
      '--false-positive-rate 0.1 --max-pairs 9 --reflexive --count --out o.csv --report json --debug';
    const { calls } = await parse(...line.split(' '));
    expect(calls).toEqual([
      [
        'closure',
        'g.tsv',
        {
          separator: 'comma',
          columns: [2, 3],
          comment: 'none',
          header: true,
          undirected: true,
          skipInvalid: true,
          strategy: 'naive',
          filter: 'exact',
          from: ['a', 'b'],
          maxDepth: 2,
          partitions: 4,
          threads: 0,
          memory: '64MiB',
          falsePositiveRate: 0.1,
          maxPairs: 9,
          reflexive: true,
          count: true,
          out: 'o.csv',
          report: 'json',
          debug: true,
        },
      ],
    ]);
  });

  it('leaves out what was not given', async () => {
    expect((await parse('closure', '-')).calls).toEqual([['closure', '-', {}]]);
    expect((await parse('compare', 'g', '--deadline', '2')).calls).toEqual([
      ['compare', 'g', { deadline: 2 }],
    ]);
  });

  it('takes ids that look like options', async () => {
    expect((await parse('closure', 'g', '--from', '-5', '--from=--x')).calls).toEqual([
      ['closure', 'g', { from: ['-5', '--x'] }],
    ]);
  });

  it.each([
    [['closure', 'g', '--fliter', 'exact'], /unknown option '--fliter'\n\(Did you mean --filter\?\)/],
    [['closure', 'g', '--max_depth', '2'], /Did you mean --max-depth\?/],
    [['closure', 'g', '-count'], /unknown option '-count'\n\(Did you mean --count\?\)/],
    [['closur', 'g'], /unknown command 'closur'\n\(Did you mean closure\?\)/],
    [
      ['closure', 'g', '--strategy', 'semi'],
      /Expected one of naive, semi-naive, .*, auto; did you mean semi-naive\?/,
    ],
    [['closure', 'g', '--filter', 'cuckoo'], /Expected one of none, bloom, intersection, exact, auto/],
    [['closure', 'g', '--report', 'xml'], /Expected one of table, json/],
    [
      ['closure', 'g', '--threads', 'x'],
      /'--threads <n>' argument 'x' is invalid. Expected a whole number from 0/,
    ],
    [['closure', 'g', '--threads'], /'--threads <n>' argument missing/],
    [['closure'], /missing required argument 'file'/],
    [['closure', 'g', 'h'], /too many arguments/],
    [['compare', 'g', '--out', 'x'], /unknown option '--out'/],
    [['closure', 'g', '--deadline', '1'], /unknown option '--deadline'/],
    [[], /Usage: rejoin/],
  ])('refuses %j', async (words, message) => {
    const { calls, error, exitCode } = await parse(...words);
    expect(error).toMatch(message);
    expect(exitCode).toBeGreaterThan(0);
    expect(calls).toEqual([]);
  });

  it('prints help and version on standard output', async () => {
    const help = await parse('closure', '--help');
    expect(help).toMatchObject({ error: '', exitCode: 0 });
    for (const option of ['--separator', '--max-pairs', '--report', '--undirected', '--out']) {
      expect(help.out).toContain(option);
    }
    expect((await parse('--help')).out).toMatch(/closure[^]*compare[^]*Exit codes/);
    const version = await parse('--version');
    expect(version).toMatchObject({ exitCode: 0, error: '' });
    expect(version.out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
