import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { List, Map as ImmutableMap, OrderedMap, Range, Record, Seq } from 'immutable';
import { describe, expect, it } from 'vitest';
import { decodeValue, encodeValue } from '../../src/column/encoding.js';
import { FormatError, ValueError } from '../../src/errors.js';
import { value } from './arbitraries.js';
import { identical } from './identical.js';

class Person {
  constructor(readonly name: string) {}
}

function problemOf(row: unknown): string {
  try {
    encodeValue(row, 'row');
  } catch (error) {
    if (error instanceof ValueError) return error.message;
    throw error;
  }
  return 'no error';
}

describe('encodeValue and decodeValue', () => {
  it('give equal values back', () => {
    fc.assert(
      fc.property(value, (given) => {
        expect(identical(decodeValue(encodeValue(given)), given)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('keep −0, NaN, undefined, lone surrogates and invalid dates', () => {
    for (const given of [-0, 0, NaN, undefined, null, '\ud800', 'a\udc00b', '\ud83d\ude00', '\u0000']) {
      expect(decodeValue(encodeValue(given))).toBe(given);
    }
    expect((decodeValue(encodeValue(new Date(NaN))) as Date).getTime()).toBeNaN();
  });

  it('keep holes apart from undefined', () => {
    const given = new Array<unknown>(5);
    given[1] = undefined;
    given[3] = 1;
    const back = decodeValue(encodeValue(given)) as unknown[];
    expect(back.length).toBe(5);
    expect(Object.keys(back)).toEqual(['1', '3']);
  });

  it('keep objects without prototype and properties named __proto__', () => {
    const bare = Object.assign(Object.create(null) as object, { a: 1 });
    const back = decodeValue(encodeValue(bare)) as object;
    expect(Object.getPrototypeOf(back)).toBe(null);
    expect({ ...back }).toEqual({ a: 1 });
    const given = JSON.parse('{"__proto__": {"b": 2}, "c": 3}') as object;
    const again = decodeValue(encodeValue(given)) as object;
    expect(Object.getPrototypeOf(again)).toBe(Object.prototype);
    expect(Object.entries(again)).toEqual([
      ['__proto__', { b: 2 }],
      ['c', 3],
    ]);
  });

  it('keep the order of ordered collections', () => {
    const given = OrderedMap([
      ['z', 1],
      ['a', 2],
      ['m', 3],
    ]);
    const back = decodeValue(encodeValue(given)) as typeof given;
    expect(OrderedMap.isOrderedMap(back)).toBe(true);
    expect([...back.keys()]).toEqual(['z', 'a', 'm']);
  });

  it('turn a Buffer into bytes that share nothing with it', () => {
    const given = Buffer.from('abc');
    const back = decodeValue(encodeValue(given)) as Uint8Array;
    given[0] = 0;
    expect(Object.getPrototypeOf(back)).toBe(Uint8Array.prototype);
    expect([...back]).toEqual([97, 98, 99]);
  });

  it('take values of another realm', () => {
    const given: unknown = runInNewContext(
      '({ list: [1, new Map([[2, new Set([3])]])], date: new Date(4) })',
    );
    expect(decodeValue(encodeValue(given))).toStrictEqual({
      list: [1, new Map([[2, new Set([3])]])],
      date: new Date(4),
    });
  });

  it('take strings and arrays larger than the first buffer', () => {
    const given = ['x'.repeat(3_000_000), 'ü'.repeat(100_000), Array.from({ length: 100_000 }, (_, i) => i)];
    expect(decodeValue(encodeValue(given))).toStrictEqual(given);
  });

  it('take a value that is referred to twice', () => {
    const shared = [1];
    expect(decodeValue(encodeValue([shared, shared]))).toEqual([[1], [1]]);
  });

  it('refuse what cannot be stored, with its path', () => {
    expect(problemOf([1, { owner: new Person('Ann') }])).toMatch(
      /^row\[1\]\.owner is an instance of Person.*plain object/,
    );
    expect(problemOf({ 'a b': [() => 1] })).toMatch(/^row\["a b"\]\[0\] is a function/);
    expect(problemOf(Symbol('s'))).toMatch(/^row is the Symbol\(s\)/);
    expect(problemOf([Promise.resolve(1)])).toMatch(/^row\[0\] is a promise.*wait/);
    expect(problemOf(new Map([[1, new Map([[Person, 2]])]]))).toMatch(
      /^row\.values\(\)\[0\]\.keys\(\)\[0\] is the function Person/,
    );
    expect(problemOf(List([0, new Set([new Person('Bo')])]))).toMatch(
      /^row\.get\(1\)\.values\(\)\[0\] is an instance of Person/,
    );
    expect(problemOf(ImmutableMap([['a', new Error('no')]]))).toMatch(
      /^row\.values\(\)\[0\] is an instance of Error.*message/,
    );
    expect(problemOf(Record({ a: 1 })())).toMatch(/immutable Record/);
    expect(problemOf(Seq([1]))).toMatch(/immutable/);
    expect(problemOf(Range(0, 3))).toMatch(/immutable/);
    expect(problemOf(new ArrayBuffer(4))).toMatch(/ArrayBuffer.*Uint8Array/);
    for (const other of [
      /x/,
      new WeakMap(),
      new DataView(new ArrayBuffer(1)),
      new URL('file:///x'),
      new String('x'),
    ]) {
      expect(problemOf(other)).toMatch(/cannot be stored/);
    }
  });

  it('refuse instances of subclasses, which would come back as something else', () => {
    for (const instance of [
      new (class extends Array {})(),
      new (class extends Map {})(),
      new (class extends Set {})(),
      new (class extends Date {})(),
      new (class extends Uint8Array {})(1),
      new (class extends Float64Array {})(1),
      Object.create({ inherited: 1 }),
    ]) {
      expect(problemOf(instance)).toMatch(/cannot be stored/);
    }
  });

  it('refuse cycles and too deep a nesting, and can go on afterwards', () => {
    const cycle: unknown[] = [1];
    cycle.push({ back: cycle });
    expect(problemOf(cycle)).toMatch(/^row\[1\]\.back refers to a value that contains it/);
    const self = new Map<unknown, unknown>();
    self.set(self, 1);
    expect(problemOf(self)).toMatch(/^row\.keys\(\)\[0\] refers/);
    let deep: unknown = 0;
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(problemOf(deep)).toMatch(/nested more than 1000 levels/);
    let allowed: unknown = 0;
    for (let level = 0; level < 1000; level++) allowed = [allowed];
    expect(decodeValue(encodeValue(allowed))).toStrictEqual(allowed);
  });

  it('report damaged bytes', () => {
    const bytes = encodeValue([1, 'abc', 2.5]);
    expect(() => decodeValue(bytes.subarray(0, bytes.length - 1))).toThrow(FormatError);
    expect(() => decodeValue(Uint8Array.of(...bytes, 0))).toThrow(/left over/);
    expect(() => decodeValue(Uint8Array.of(250))).toThrow(/no tag/);
    expect(() => decodeValue(new Uint8Array())).toThrow(FormatError);
  });
});
