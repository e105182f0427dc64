/** Blocks in real ranges of shared memory: whatever the columns are, rows come back equal, whole or in parts. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeRows, encodeRows, type Block, type ColumnLayout } from '../../src/column/block.js';
import { StateError, ValueError } from '../../src/errors.js';
import type { MemoryManager } from '../../src/memory/memory-manager.js';
import { bigint, number, text, value, withMemory } from './arbitraries.js';
import { identical } from './identical.js';

function store(memory: MemoryManager, rows: readonly unknown[]): Block {
  const { sizeBytes, rowCount, layout, writeTo } = encodeRows(rows);
  const range = memory.allocate(sizeBytes);
  const bytes = memory.views.bytes(range);
  // What was there before must not show through.
  bytes.fill(0xa5);
  writeTo(bytes);
  return { range, rowCount, layout };
}

function roundTrip(rows: readonly unknown[], start?: number, end?: number): unknown[] {
  let back: unknown[] = [];
  withMemory((memory) => {
    const other = memory.allocate(100);
    const block = structuredClone(store(memory, rows));
    back = decodeRows(block, memory.views, start, end);
    memory.views.bytes(block.range).fill(0x5a);
    memory.release(block.range);
    memory.release(other);
  });
  return back;
}

function kindOf(rows: readonly unknown[]): string {
  return describeLayout(encodeRows(rows).layout);
}

function describeLayout(layout: ColumnLayout): string {
  if (layout.kind === 'tuple') return `tuple(${layout.columns.map(describeLayout).join(', ')})`;
  if (layout.kind === 'nullable') return `nullable(${describeLayout(layout.values)})`;
  return layout.kind;
}

/** Columns of one kind, with rows enough for several bytes of bits. */
const columns: fc.Arbitrary<unknown[]> = fc.oneof(
  fc.array(number, { maxLength: 40 }),
  fc.array(fc.integer(), { maxLength: 40 }),
  fc.array(fc.nat(), { maxLength: 40 }),
  fc.array(bigint, { maxLength: 40 }),
  fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), { maxLength: 40 }),
  fc.array(fc.boolean(), { maxLength: 40 }),
  fc.array(text, { maxLength: 40 }),
  fc.array(fc.string(), { maxLength: 40 }),
  fc.array(fc.constantFrom(null, undefined), { maxLength: 10 }),
  fc.array(value, { maxLength: 10 }),
);

/** A column with absent values here and there. */
const nullable = fc
  .tuple(columns, fc.constantFrom(null, undefined), fc.infiniteStream(fc.boolean()))
  .map(([rows, absent, absences]) => rows.map((row) => (absences.next().value === true ? absent : row)));

const rows: fc.Arbitrary<unknown[]> = fc.letrec<{ rows: unknown[] }>((tie) => ({
  rows: fc.oneof(
    { depthSize: 'small' },
    columns,
    nullable,
    fc.array(tie('rows'), { minLength: 1, maxLength: 3 }).map((parts) => {
      const length = Math.min(...parts.map((part) => part.length));
      return Array.from({ length }, (_, i) => parts.map((part) => part[i]));
    }),
  ),
})).rows;

describe('encodeRows and decodeRows', () => {
  it('give equal rows back', () => {
    fc.assert(
      fc.property(rows, (given) => {
        expect(identical(roundTrip(given), given)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('give any part of the rows', () => {
    fc.assert(
      fc.property(rows, fc.nat(), fc.nat(), (given, a, b) => {
        const [start, end] = [a % (given.length + 1), b % (given.length + 1)].sort((x, y) => x - y);
        expect(identical(roundTrip(given, start, end), given.slice(start, end))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('choose the narrowest column that keeps every value', () => {
    expect(kindOf([0, 1, 2 ** 32 - 1])).toBe('u32');
    expect(kindOf([0, -1, 2 ** 31 - 1])).toBe('i32');
    expect(kindOf([-1, 2 ** 31])).toBe('f64');
    expect(kindOf([0, -0])).toBe('f64');
    expect(kindOf([1, NaN])).toBe('f64');
    expect(kindOf([1n, -(2n ** 63n)])).toBe('bigint64');
    expect(kindOf([1n, 2n ** 63n])).toBe('serialized');
    expect(kindOf([true, false])).toBe('boolean');
    expect(kindOf(['a', 'b'])).toBe('utf8');
    expect(kindOf(['a', '\ud800'])).toBe('serialized');
    expect(kindOf([null, null])).toBe('constant');
    expect(kindOf([-0, -0])).toBe('constant');
    expect(kindOf([[1], [1]].map(([x]) => [x, 'same']))).toBe('tuple(constant, constant)');
    expect(kindOf([1, null, 2])).toBe('nullable(u32)');
    expect(kindOf(['a', undefined, 'b'])).toBe('nullable(utf8)');
    expect(kindOf([1, null, undefined])).toBe('serialized');
    expect(kindOf([1, 'a'])).toBe('serialized');
    expect(kindOf([{ a: 1 }])).toBe('serialized');
    expect(kindOf([])).toBe('serialized');
    expect(
      kindOf([
        ['k', [1, 0.5]],
        ['l', [2, 1.5]],
      ]),
    ).toBe('tuple(utf8, tuple(u32, f64))');
    expect(kindOf([[1, 2], [1]])).toBe('serialized');
    expect(kindOf([[1], new Array(1)])).toBe('serialized');
    expect(kindOf([[], []])).toBe('tuple()');
  });

  it('store strings that repeat once', () => {
    const names = Array.from(
      { length: 2000 },
      (_, i) => `a name that repeats ${i % 18}, ${'é'.repeat(i % 2)}`,
    );
    expect(kindOf(names)).toBe('code');
    expect(encodeRows(names).sizeBytes).toBeLessThan(2000 * 4 + 18 * 40);
    expect(roundTrip(names)).toEqual(names);
    expect(roundTrip(names, 1990, 1999)).toEqual(names.slice(1990, 1999));
    // Looks repetitive where it is sampled, and is not.
    const deceptive = Array.from({ length: 2560 }, (_, i) => (i % 10 === 0 ? 'x' : `y${i}`));
    expect(kindOf(deceptive)).toBe('utf8');
    expect(roundTrip(deceptive)).toEqual(deceptive);
    const lone = Array.from({ length: 1000 }, (_, i) => (i % 2 === 0 ? '\ud800' : 'x'));
    expect(roundTrip(lone)).toEqual(lone);
  });

  it('cut text at the borders of pieces', () => {
    const long = ['a'.repeat(65_535), 'b', 'c'.repeat(65_536), '', 'd'.repeat(65_537), 'e', ''];
    expect(roundTrip(long)).toEqual(long);
    expect(roundTrip(long, 2, 5)).toEqual(long.slice(2, 5));
    const many = Array.from({ length: 30_000 }, (_, i) => `string ${i}`);
    expect(roundTrip(many)).toEqual(many);
    const mixed = Array.from({ length: 30_000 }, (_, i) => (i === 20_000 ? 'ünïcödé 😀' : `string ${i}`));
    expect(roundTrip(mixed)).toEqual(mixed);
  });

  it('give rows of their own at each call', () => {
    withMemory((memory) => {
      const block = store(memory, [
        [1, { a: 1 }],
        [2, { a: 2 }],
      ]);
      const [first] = decodeRows(block, memory.views) as [[number, { a: number }]];
      first[1].a = 9;
      first[0] = 9;
      expect(decodeRows(block, memory.views)[0]).toEqual([1, { a: 1 }]);
      memory.release(block.range);
    });
  });

  it('refuse rows that cannot be stored, with path and row', () => {
    class Person {
      readonly name = 'Ann';
    }
    const bad = (given: readonly unknown[]): unknown => {
      try {
        return encodeRows(given);
      } catch (error) {
        return error;
      }
    };
    expect(bad([1, () => 1])).toBeInstanceOf(ValueError);
    const error = bad([
      ['a', { owner: 1 }],
      ['b', { owner: new Person() }],
    ]);
    expect(error).toMatchObject({ details: { path: 'row[1].owner', row: 1 } });
    const cycle: unknown[] = [];
    cycle.push(cycle);
    expect(bad([cycle])).toMatchObject({
      message: expect.stringMatching(/^row.*refers to a value that contains it/) as string,
    });
  });

  it('refuse memory that does not fit and rows that are not there', () => {
    const encoded = encodeRows([1, 2, 3]);
    expect(() => {
      encoded.writeTo(new Uint8Array(encoded.sizeBytes - 1));
    }).toThrow(StateError);
    expect(() => {
      encoded.writeTo(new Uint8Array(new ArrayBuffer(64), 4, encoded.sizeBytes));
    }).toThrow(StateError);
    withMemory((memory) => {
      const block = store(memory, [1, 2, 3]);
      expect(() => decodeRows(block, memory.views, 0, 4)).toThrow(StateError);
      expect(() => decodeRows(block, memory.views, 2, 1)).toThrow(StateError);
      expect(decodeRows(block, memory.views, 3)).toEqual([]);
      memory.release(block.range);
    });
  });
});
