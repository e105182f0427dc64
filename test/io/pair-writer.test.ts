/** What is written is what is read back; files appear complete or not at all; readers may leave. */
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InputError } from '../../src/errors.js';
import { formatCsv, formatTsv, type PairBatch } from '../../src/io/pair-format.js';
import { writePairs } from '../../src/io/pair-writer.js';
import { edgesOf } from './edges-of.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rejoin-io-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function* batchesOf(...batches: PairBatch[]): AsyncGenerator<PairBatch> {
  for (const batch of batches) yield await Promise.resolve(batch);
}

async function* failing(): AsyncGenerator<PairBatch> {
  yield await Promise.resolve([['a', 'b']]);
  throw new Error('stopped half-way');
}

const id = fc.oneof(
  fc.string({ minLength: 1, unit: 'grapheme' }),
  fc.string({
    minLength: 1,
    unit: fc.constantFrom('\t', '\n', '\r', '\\', '"', ',', ' ', '#', '%', 'a', '\uFEFF'),
  }),
);
const pairs = fc.array(fc.tuple(id, id));

describe('formats', () => {
  it('TSV is read back as it was', () => {
    fc.assert(
      fc.property(pairs, fc.integer({ min: 1, max: 5 }), (rows, partitionCount) => {
        // A byte-order mark at the very start is taken for one: no text file can say otherwise.
        fc.pre(rows[0]?.[0].startsWith('\uFEFF') !== true);
        const options = { separator: 'tab', comment: 'none', escapes: true };
        expect(edgesOf(formatTsv(rows), options, partitionCount)).toEqual(rows);
      }),
      { numRuns: 500 },
    );
  });

  it('CSV is read back as it was', () => {
    fc.assert(
      fc.property(pairs, (rows) => {
        expect(edgesOf(formatCsv(rows), { separator: 'comma' })).toEqual(rows);
      }),
      { numRuns: 500 },
    );
  });

  it('look as documented', () => {
    const rows = [
      ['a\tb', 'c\\'],
      [7, new Date(0)],
      ['x,"y"', '#'],
    ] as const;
    expect(formatTsv(rows)).toBe('a\\tb\tc\\\\\n7\t1970-01-01T00:00:00.000Z\nx,"y"\t#\n');
    expect(formatCsv(rows)).toBe('a\tb,c\\\n7,1970-01-01T00:00:00.000Z\n"x,""y""","#"\n');
    expect(formatTsv([]) + formatCsv([])).toBe('');
  });
});

describe('files', () => {
  it('are complete, with counts', async () => {
    const path = join(folder, 'out.tsv');
    const written = await writePairs(
      batchesOf(
        [['a', 'é']],
        [],
        [
          ['b', 'c'],
          ['d', 'e'],
        ],
      ),
      { kind: 'file', path },
      'tsv',
    );
    expect(written).toEqual({ pairs: 3, bytes: 13, closed: false });
    expect(readFileSync(path, 'utf8')).toBe('a\té\nb\tc\nd\te\n');
    expect(readdirSync(folder)).toEqual(['out.tsv']);
  });

  it('are as they were if the pairs fail', async () => {
    const path = join(folder, 'out.tsv');
    writeFileSync(path, 'old');
    await expect(writePairs(failing(), { kind: 'file', path }, 'tsv')).rejects.toThrow('stopped half-way');
    await expect(writePairs(failing(), { kind: 'file', path: `${path}2` }, 'tsv')).rejects.toThrow(
      'stopped half-way',
    );
    expect(readdirSync(folder)).toEqual(['out.tsv']);
    expect(readFileSync(path, 'utf8')).toBe('old');
  });

  it.each([0o600, 0o666])('keep permissions %i, and links lead where they led', async (mode) => {
    const path = join(folder, 'out.csv');
    const link = join(folder, 'link');
    writeFileSync(path, 'old');
    chmodSync(path, mode);
    symlinkSync(path, link);
    await writePairs(batchesOf([['a', 'b']]), { kind: 'file', path: link }, 'csv');
    expect(readFileSync(path, 'utf8')).toBe('a,b\n');
    expect(statSync(path).mode & 0o777).toBe(mode);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });

  it('may have names as long as the file system allows', async () => {
    const path = join(folder, 'x'.repeat(255));
    expect(await writePairs(batchesOf([['a', 'b']]), { kind: 'file', path }, 'tsv')).toMatchObject({
      pairs: 1,
    });
    expect(readdirSync(folder)).toEqual(['x'.repeat(255)]);
  });

  it('may be devices, which stay devices', async () => {
    const written = await writePairs(batchesOf([['a', 'b']]), { kind: 'file', path: '/dev/null' }, 'tsv');
    expect(written.pairs).toBe(1);
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  it.each([
    ['a directory', '', 'it is a directory; give the path of a file'],
    ['a folder that is missing', 'none/out.tsv', 'its directory does not exist; create it first'],
  ])('cannot be %s', async (_, name, message) => {
    const path = join(folder, name);
    const error: unknown = await writePairs(batchesOf(), { kind: 'file', path }, 'tsv').catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(InputError);
    expect((error as Error).message).toBe(`cannot write ${path}: ${message}`);
  });

  it.skipIf(process.getuid?.() === 0)('cannot be where there is no right to write', async () => {
    chmodSync(folder, 0o500);
    const target = { kind: 'file', path: join(folder, 'out.tsv') } as const;
    await expect(writePairs(batchesOf(), target, 'tsv')).rejects.toThrow('permission is denied');
    chmodSync(folder, 0o700);
  });
});

describe('streams', () => {
  it('get the same text, and stay open', async () => {
    const stream = new PassThrough();
    await writePairs(batchesOf([['a', 'b']], [['c', 'd']]), { kind: 'stream', stream }, 'tsv');
    expect(String(stream.read())).toBe('a\tb\nc\td\n');
    expect(stream.writableEnded).toBe(false);
    expect(stream.listenerCount('error')).toBe(0);
  });

  it('set the pace', async () => {
    let waiting: () => void = () => undefined;
    let produced = 0;
    async function* counted(): AsyncGenerator<PairBatch> {
      for (; produced < 5; produced++) yield await Promise.resolve([['a', 'b']]);
    }
    const stream = new Writable({ write: (_chunk, _encoding, done) => (waiting = done) });
    const writing = writePairs(counted(), { kind: 'stream', stream }, 'tsv');
    for (let taken = 0; taken < 5; taken++) {
      await new Promise((resolve) => setImmediate(resolve));
      expect(produced).toBe(taken);
      waiting();
    }
    expect((await writing).pairs).toBe(5);
  });

  const code = (name: string): Error => Object.assign(new Error(`write ${name}`), { code: name });

  it('end quietly when the reader leaves, and so do the batches', async () => {
    let ended = false;
    async function* endless(): AsyncGenerator<PairBatch> {
      try {
        for (;;) yield await Promise.resolve([['a', 'b']]);
      } finally {
        ended = true;
      }
    }
    let writes = 0;
    const stream = new Writable({
      write: (_chunk, _encoding, done) => {
        done(++writes > 3 ? code('EPIPE') : null);
      },
    });
    expect(await writePairs(endless(), { kind: 'stream', stream }, 'tsv')).toEqual({
      pairs: 3,
      bytes: 12,
      closed: true,
    });
    expect(ended).toBe(true);
  });

  it('end quietly when destroyed in the middle of a write, or before', async () => {
    const stream = new Writable({ write: () => undefined });
    setImmediate(() => stream.destroy());
    expect(await writePairs(batchesOf([['a', 'b']]), { kind: 'stream', stream }, 'tsv')).toMatchObject({
      closed: true,
    });
    expect(await writePairs(batchesOf([['a', 'b']]), { kind: 'stream', stream }, 'tsv')).toMatchObject({
      pairs: 0,
    });
  });

  it('fail with any other error', async () => {
    const stream = new Writable({
      write: (_chunk, _encoding, done) => {
        done(code('ENOSPC'));
      },
    });
    await expect(writePairs(batchesOf([['a', 'b']]), { kind: 'stream', stream }, 'tsv')).rejects.toThrow(
      'write ENOSPC',
    );
  });

  it('pass on what the batches throw', async () => {
    const stream = new PassThrough();
    await expect(writePairs(failing(), { kind: 'stream', stream }, 'tsv')).rejects.toThrow(
      'stopped half-way',
    );
    expect(stream.listenerCount('error')).toBe(0);
  });
});
