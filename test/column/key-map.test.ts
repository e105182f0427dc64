import fc from 'fast-check';
import { List, Set as ImmutableSet } from 'immutable';
import { describe, expect, it } from 'vitest';
import { encodeKey, keysEqual } from '../../src/column/key.js';
import { KeyMap } from '../../src/column/key-map.js';
import { ValueError } from '../../src/errors.js';
import { closeKey } from './arbitraries.js';

/** A list of entries, searched from the front. */
class ListMap {
  entries: [unknown, number][] = [];

  set(key: unknown, value: number): void {
    const entry = this.entries.find(([other]) => keysEqual(key, other));
    if (entry === undefined) this.entries.push([key, value]);
    else entry[1] = value;
  }

  get(key: unknown): number | undefined {
    return this.entries.find(([other]) => keysEqual(key, other))?.[1];
  }

  delete(key: unknown): boolean {
    const before = this.entries.length;
    this.entries = this.entries.filter(([other]) => !keysEqual(key, other));
    return this.entries.length < before;
  }
}

const operation = fc.tuple(fc.constantFrom('set', 'set', 'get', 'delete'), closeKey, fc.integer());

describe('KeyMap', () => {
  it('behaves as a list of entries, however small its shards are', () => {
    fc.assert(
      fc.property(
        fc.array(operation, { maxLength: 60 }),
        fc.constantFrom(undefined, 1, 3),
        (operations, shardEntries) => {
          const map = new KeyMap<number>(shardEntries);
          const list = new ListMap();
          for (const [name, key, value] of operations) {
            if (name === 'set') {
              map.set(key, value);
              list.set(key, value);
            } else if (name === 'delete') {
              expect(map.delete(key)).toBe(list.delete(key));
            }
            expect(map.get(key)).toBe(list.get(key));
            expect(map.has(key)).toBe(list.get(key) !== undefined);
          }
          expect(map.size).toBe(list.entries.length);
          const entries = [...map.entries()];
          expect(entries.map(([, value]) => value)).toEqual(list.entries.map(([, value]) => value));
          // The very keys that came first, −0 included.
          expect(entries.every(([key], i) => Object.is(key, list.entries[i]?.[0]))).toBe(true);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('does not confuse strings with the text of other keys', () => {
    const map = new KeyMap<string>();
    map.set([1], 'array');
    map.set(List([1]), 'list');
    map.set('\u0000', 'string');
    // What stands for the array inside the map.
    const textOfArray = `\u0000k${Buffer.from(encodeKey([1])).toString('latin1')}`;
    expect(map.has(textOfArray)).toBe(false);
    const keys = [...map.entries()].map(([key]) => key);
    expect(keys).toEqual([[1], List([1]), '\u0000']);
    for (const text of ['\u0000k', '\u0000s\u0000', '\u0000s', '']) expect(map.has(text)).toBe(false);
    expect(map.get([1])).toBe('array');
    expect(map.get(ImmutableSet([1]))).toBe(undefined);
  });

  it('holds undefined as a value', () => {
    const map = new KeyMap<undefined>(1);
    map.set('a', undefined).set('b', undefined).set('a', undefined);
    expect(map.has('a')).toBe(true);
    expect(map.size).toBe(2);
    expect([...map]).toEqual([
      ['a', undefined],
      ['b', undefined],
    ]);
  });

  it('refuses what cannot be a key', () => {
    const map = new KeyMap<number>();
    expect(() => map.get(undefined)).toThrow(ValueError);
    expect(() => map.set({}, 1)).toThrow(/plain object/);
    expect(() => map.has(new Map())).toThrow(ValueError);
    expect(map.size).toBe(0);
  });
});
