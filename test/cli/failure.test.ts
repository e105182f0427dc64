/** What goes wrong, from the outside: message, exit code, no stack, nothing left behind, and the process ends. */
import { chmod, readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chain, runCli, runShell, Workspace } from './run-cli.js';

let work: Workspace;
let graph: string;
/** Naive evaluation of this takes minutes: long enough to be stopped. */
let endless: string;

beforeAll(async () => {
  work = await Workspace.create();
  graph = await work.file('graph.tsv', 'a\tb\nb\tc\nc\td\n');
  endless = await work.file('endless.tsv', chain(6000));
});

afterAll(() => work.remove());

describe('wrong usage ends with 2', () => {
  it.each([
    [['closure', 'g', '--fliter', 'none'], 'Did you mean --filter?'],
    [[], 'Usage: rejoin'],
  ])('%j', async (words, message) => {
    const run = await runCli(words);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain(message);
    expect(run.stderr).not.toMatch(/^\s+at /m);
  });

  it('when the library refuses an option', async () => {
    const run = await runCli(['closure', graph, '--separator', ';', '--escapes']);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(/^rejoin: edges: escapes does not go with separator comma or ;.*\n$/);
  });

  it('when --out would destroy the input', async () => {
    const run = await runCli(['closure', graph, '--out', graph]);
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain('is the input file');
    expect(await readFile(graph, 'utf8')).toBe('a\tb\nb\tc\nc\td\n');
  });
});

describe('help and version end with 0', () => {
  it.each([[['closure', '--help']], [['--version']]])('%j', async (words) => {
    const run = await runCli(words);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toMatch(/Usage: rejoin|^\d+\.\d+\.\d+/);
  });
});

describe('a failure ends with 1', () => {
  it('for a missing file', async () => {
    const run = await runCli(['closure', work.path('missing.tsv')]);
    expect(run).toMatchObject({ code: 1, stdout: '' });
    // One line: no stack.
    expect(run.stderr).toMatch(/^rejoin: .*missing\.tsv.*\n$/);
  });

  it('for a directory', async () => {
    const run = await runCli(['closure', work.folder]);
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toMatch(/directory|folder/);
  });

  it.skipIf(process.getuid?.() === 0)('for a file that may not be read (skipped for root)', async () => {
    const file = await work.file('secret.tsv', 'a\tb\n');
    await chmod(file, 0);
    const run = await runCli(['closure', file]);
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/secret\.tsv.*permission/i);
  });

  it('for an --out that cannot be written', async () => {
    const run = await runCli([
      'closure',
      graph,
      '--out',
      work.path('no/such/folder/o.tsv'),
      '--threads',
      '0',
    ]);
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toContain('no/such/folder');
  });

  it('with a stack for --debug', async () => {
    const debug = await runCli(['closure', work.path('missing.tsv'), '--threads', '0', '--debug']);
    expect(debug.code).toBe(1);
    expect(debug.stderr).toMatch(/InputError: [^]*^\s+at /m);
  });
});

describe('a limit ends with 3', () => {
  it('for --max-pairs, with no file left', async () => {
    const out = work.path('limited.tsv');
    const run = await runCli(['closure', graph, '--max-pairs', '5', '--out', out]);
    expect(run).toMatchObject({ code: 3, stdout: '' });
    expect(run.stderr).toMatch(/^rejoin: .*--max-pairs.*\n$/);
    expect((await readdir(work.folder)).filter((name) => name.includes('limited'))).toEqual([]);
    expect((await runCli(['closure', graph, '--max-pairs', '6', '--count'])).code).toBe(0);
  });

  it('for the memory budget', async () => {
    const run = await runCli(['closure', endless, '--memory', '1MiB', '--count']);
    expect(run).toMatchObject({ code: 3, stdout: '' });
    expect(run.stderr).toMatch(/^rejoin: .*memory.*\n$/);
    expect(run.stderr).toContain('--memory');
  });
});

describe('a closed pipe ends quietly', () => {
  it('while pairs stream', async () => {
    const long = await work.file('long.tsv', chain(600));
    const run = await runShell(`{ $REJOIN closure "${long}"; echo "exit $?" >&2; } | head -1`);
    expect(run.stdout).toMatch(/^v\d+\tv\d+\n$/);
    expect(run.stderr).toBe('exit 0\n');
  });

  it('when nobody reads from the start', async () => {
    const run = await runShell(`{ $REJOIN closure "${graph}" --count; echo "exit $?" >&2; } | true`);
    expect(run).toMatchObject({ stdout: '', stderr: 'exit 0\n' });
  });
});

/** Waits until the command writes its pairs aside, so that it is certainly running. */
async function partialFile(): Promise<void> {
  for (;;) {
    if ((await readdir(work.folder)).some((name) => name.endsWith('.partial'))) return;
    await sleep(20);
  }
}

describe('a signal', () => {
  it.each([
    ['SIGINT', 130, '0'],
    ['SIGTERM', 143, '2'],
  ] as const)('%s ends a run with %i, %s threads, and leaves no file', async (signal, code, threads) => {
    const out = work.path('stopped.tsv');
    const run = await runCli(
      ['closure', endless, '--strategy', 'naive', '--threads', threads, '--out', out],
      {
        onStart: async (child) => {
          await partialFile();
          await sleep(500);
          child.kill(signal);
        },
      },
    );
    expect(run).toEqual({ code, stdout: '', stderr: `rejoin: stopped by ${signal}\n` });
    expect((await readdir(work.folder)).filter((name) => name.includes('stopped'))).toEqual([]);
  });

  it('ends a run that waits for its input', async () => {
    const run = await runCli(['closure', '-', '--count'], {
      input: null,
      onStart: async (child) => {
        await sleep(1500);
        child.kill('SIGTERM');
      },
    });
    expect(run).toEqual({ code: 143, stdout: '', stderr: 'rejoin: stopped by SIGTERM\n' });
  });
});
