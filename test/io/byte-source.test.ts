/** Files that are not there, not files, not readable, or not what they were: each says what it is and what to do. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { InputError } from '../../src/errors.js';
import { statText } from '../../src/io/byte-source.js';
import { textLines } from '../../src/io/line-reader.js';
import { inFile, inMemory, thrown, views } from './edges-of.js';

const folder = mkdtempSync(join(tmpdir(), 'rejoin-io-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});
const whole = { partition: 0, partitionCount: 1 };

describe('statText', () => {
  it('finds path and size', async () => {
    const path = join(folder, 'some.txt');
    writeFileSync(path, 'é\n');
    expect(await statText(path)).toEqual({ kind: 'file', path, sizeBytes: 3 });
  });

  it.each([
    ['a missing file', () => join(folder, 'none'), 'it does not exist; check the path'],
    ['a file as a folder', () => join(inPath(), 'x'), 'a part of its path is a file'],
    ['a directory', () => folder, 'is a directory; give the path of one text file'],
    ['a device', () => '/dev/null', 'through standard input (file name -)'],
  ])('refuses %s', async (_, path, message) => {
    const error: unknown = await statText(path()).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InputError);
    expect(error).toMatchObject({ details: { file: path() } });
    expect((error as Error).message).toContain(path());
    expect((error as Error).message).toContain(message);
  });

  it.skipIf(process.platform === 'win32')('refuses a pipe without waiting for it', async () => {
    const path = join(folder, 'pipe');
    execFileSync('sh', ['-c', 'mkfifo "$0"', path]);
    await expect(statText(path)).rejects.toThrow('is a pipe or a device');
  });

  it.skipIf(process.getuid?.() === 0)('refuses a file without the right to read', async () => {
    const path = join(folder, 'secret');
    writeFileSync(path, 'a b');
    chmodSync(path, 0);
    await expect(statText(path)).rejects.toThrow(`cannot read ${path}: permission is denied`);
  });
});

describe('reading', () => {
  it('tells of a file that has become shorter', () => {
    const location = inFile(folder, 'a b\n'.repeat(1000));
    if (location.kind === 'file') truncateSync(location.path, 2001);
    expect(() => [...textLines(location, whole, views)]).toThrow(
      /edges\.txt ended at byte 2001, but had 4000/,
    );
  });

  it('tells of a file that is gone', () => {
    const location = inFile(folder, 'a b\n');
    if (location.kind === 'file') unlinkSync(location.path);
    expect(thrown(() => [...textLines(location, whole, views)])).toMatchObject({
      name: 'InputError',
      details: { systemCode: 'ENOENT' },
    });
  });

  it.skipIf(process.platform !== 'linux')('closes the file, also if reading is given up', () => {
    const location = inFile(folder, 'a b\n'.repeat(5000));
    const before = readdirSync('/proc/self/fd').length;
    for (const lines of textLines(location, whole, views)) {
      expect(lines).toHaveLength(1024);
      break;
    }
    expect(() => [...textLines(inFile(folder, Buffer.from([0xff])), whole, views)]).toThrow('not UTF-8');
    expect(readdirSync('/proc/self/fd')).toHaveLength(before);
  });

  it('gives names to texts in memory', () => {
    expect(() => [...textLines(inMemory(Buffer.from([0x61, 0x0a, 0xff])), whole, views)]).toThrow('test:2: ');
  });
});

function inPath(): string {
  const location = inFile(folder, 'a b');
  return location.kind === 'file' ? location.path : '';
}
