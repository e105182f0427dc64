/** Edge lists as other people store them, read through the command. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli, sortedLines, Workspace } from './run-cli.js';

let work: Workspace;

beforeAll(async () => {
  work = await Workspace.create();
});

afterAll(() => work.remove());

/** The pairs of an edge list as the command reads them. */
async function pairsOf(text: string | Uint8Array, ...options: string[]): Promise<string[]> {
  const file = await work.file('input.txt', text);
  const run = await runCli(['closure', file, '--max-depth', '1', '--threads', '0', ...options]);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  return sortedLines(run.stdout);
}

describe('the input', () => {
  it.each([
    [
      'CRLF, blank lines, comments, a byte-order mark, no newline at the end, ids as text',
      '\ufeff# c\r\n% c\r\n007\t7\r\n\r\nThượng\tCang',
      [],
      ['007\t7', 'Thượng\tCang'],
    ],
    ['runs of spaces, both directions', 'a   b\nc d\n', ['--undirected'], ['a\tb', 'b\ta', 'c\td', 'd\tc']],
    ['commas and quotes, a header', 'x,y\na,"b, c"\n"d ""e""",f\n', ['--header'], ['a\tb, c', 'd "e"\tf']],
    [
      'a given separator, another comment sign',
      '!c\n#a;b c\n',
      ['--separator', ';', '--comment', '!'],
      ['#a\tb c'],
    ],
    [
      'a separator typed as \\t, no comments',
      '#a b\tc\n',
      ['--separator', '\\t', '--comment', 'none'],
      ['#a b\tc'],
    ],
    ['chosen columns, in any order', '1 a b 9\n2 c d 9\n', ['--columns', '3,2'], ['b\ta', 'd\tc']],
    ['nothing at all', '', [], []],
  ] as const)('may have %s', async (_, text, options, expected) => {
    expect(await pairsOf(text, ...options)).toEqual(expected);
  });

  it('may come from standard input', async () => {
    const run = await runCli(['closure', '-', '--count'], { input: 'a b\nb a\n' });
    expect(run).toEqual({ code: 0, stdout: '4\n', stderr: '' });
    expect(await runCli(['closure', '-', '--count', '--threads', '0'])).toEqual({
      code: 0,
      stdout: '0\n',
      stderr: '',
    });
  });

  it('with more columns is read by its first two, with one warning', async () => {
    const file = await work.file('wide.txt', '1 2 3\n'.repeat(50));
    const run = await runCli(['closure', file, '--threads', '0']);
    expect(run).toMatchObject({ code: 0, stdout: '1\t2\n' });
    expect(run.stderr).toMatch(
      /^rejoin: warning: .*wide\.txt:1 has 3 columns, the first two are used.*--columns.*\n$/,
    );
  });

  it('with a malformed line is an error that names file, line and what was expected', async () => {
    const file = await work.file('bad.tsv', 'a\tb\nc\td\noops\n');
    const run = await runCli(['closure', file]);
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toMatch(/^rejoin: .*bad\.tsv:3.*\n$/);
    expect(run.stderr).toMatch(/expected/);
    expect(run.stderr).toContain('oops');
  });

  it('from standard input is named so in an error', async () => {
    const run = await runCli(['closure', '-', '--threads', '0'], { input: 'a\tb\noops\n' });
    expect(run.code).toBe(1);
    expect(run.stderr).toContain('standard input:2');
  });

  it('may have its malformed lines counted and skipped', async () => {
    const file = await work.file('bad.tsv', 'a\tb\noops\nc\td\noops\n');
    const run = await runCli(['closure', file, '--skip-invalid', '--count', '--threads', '0']);
    expect(run).toMatchObject({ code: 0, stdout: '2\n' });
    expect(run.stderr).toMatch(
      /^rejoin: warning: .*bad\.tsv: 2 malformed lines skipped, the first is line 2\n$/,
    );
  });
});
