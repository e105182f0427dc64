/** However many splits: the same rows in the same order as one split, and the same lines as a plain recomputation. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { textLines } from '../../src/io/line-reader.js';
import { openBytes, type TextLocation } from '../../src/io/byte-source.js';
import { lineRange, textChunks } from '../../src/io/text-chunks.js';
import { edgesOf, inFile, inMemory, readEdges, views } from './edges-of.js';

const folder = mkdtempSync(join(tmpdir(), 'rejoin-io-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const id = fc.stringMatching(/^[a-z0-9é😀]{1,6}$/u);
const line = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(id, id).map((pair) => pair.join('\t')) },
  fc.constantFrom('', '  ', '# comment', '% é', ' # indented'),
);
const text = fc
  .tuple(fc.boolean(), fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n'))), fc.option(line, { nil: '' }))
  .map(
    ([mark, lines, last]) => (mark ? '\uFEFF' : '') + lines.map((parts) => parts.join('')).join('') + last,
  );

/** The rows, as plain as can be. */
function plainRows(whole: string): string[][] {
  return whole
    .replace(/^\uFEFF/, '')
    .split('\n')
    .map((one) => one.replace(/\r$/, ''))
    .filter((one) => !/^\s*(?:[#%]|$)/.test(one))
    .map((one) => one.split('\t'));
}

function linesOf(location: TextLocation, partitionCount: number): string[] {
  return Array.from({ length: partitionCount }, (_, partition) => [
    ...textLines(location, { partition, partitionCount }, views),
  ]).flat(2);
}

describe('splits', () => {
  it('give every pair once, in order, for any count', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 50 }), (whole, partitionCount) => {
        const expected = plainRows(whole);
        expect(edgesOf(whole, { separator: 'tab' }, partitionCount)).toEqual(expected);
        const { rows } = readEdges(inFile(folder, whole), { separator: 'tab', header: true }, partitionCount);
        expect(rows).toEqual(expected.slice(1));
      }),
      { numRuns: 300 },
    );
  });

  it('give every line once, in order, for any count', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 50 }), (whole, partitionCount) => {
        const expected = whole.replace(/^\uFEFF/, '').split('\n');
        if (expected.at(-1) === '') expected.pop();
        expect(linesOf(inMemory(whole), partitionCount)).toEqual(
          expected.map((one) => one.replace(/\r$/, '')),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('do not depend on where chunks end', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 40 }), (whole, chunkBytes) => {
        const source = openBytes(inMemory(whole), views);
        const chunks = [...textChunks(source, { start: 0, end: source.sizeBytes }, 'throw', chunkBytes)];
        expect(chunks.map((chunk) => chunk.text).join('')).toBe(whole.replace(/^\uFEFF/, ''));
        for (const chunk of chunks.slice(0, -1)) expect(chunk.text.endsWith('\n')).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('share out the bytes about evenly', () => {
    const source = openBytes(inMemory('a\tb\n'.repeat(1000)), views);
    for (let partition = 0; partition < 4; partition++) {
      const { start, end } = lineRange(source, { partition, partitionCount: 4 });
      expect(end - start).toBe(1000);
    }
  });

  it('read lines in batches of at most 1,024', () => {
    const batches = [...textLines(inMemory('x\n'.repeat(3000)), { partition: 0, partitionCount: 1 }, views)];
    expect(batches.map((batch) => batch.length)).toEqual([1024, 1024, 952]);
  });
});
