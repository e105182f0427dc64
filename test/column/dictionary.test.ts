/** The dictionary in shared memory against a plain map. */
import fc from 'fast-check';
import { List } from 'immutable';
import { describe, expect, it } from 'vitest';
import { DictionaryBuilder, DictionaryReader } from '../../src/column/dictionary.js';
import { encodeKey, keysEqual } from '../../src/column/key.js';
import { KeyMap } from '../../src/column/key-map.js';
import { MemoryBudgetError, StateError, ValueError } from '../../src/errors.js';
import { closeKey, key, withMemory } from './arbitraries.js';

describe('DictionaryBuilder and DictionaryReader', () => {
  it('number keys as a map does, by first appearance', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(closeKey, key), { maxLength: 80 }),
        fc.array(closeKey, { maxLength: 10 }),
        fc.constantFrom(0, 1, 100),
        (keys, others, expectedCount) => {
          withMemory((memory) => {
            const builder = new DictionaryBuilder(memory, memory.views, expectedCount);
            const ids = new KeyMap<number>();
            for (const each of keys) {
              const id = ids.get(each) ?? ids.size;
              ids.set(each, id);
              expect(builder.idOf(each)).toBe(id);
            }
            expect(builder.count).toBe(ids.size);
            for (const each of [...keys, ...others]) expect(builder.find(each)).toBe(ids.get(each) ?? -1);
            const block = structuredClone(builder.finish());
            expect(memory.rangeCount).toBe(2);
            const reader = new DictionaryReader(block, memory.views);
            expect(reader.count).toBe(ids.size);
            for (const [each, id] of ids.entries()) {
              for (let time = 0; time < 2; time++) expect(keysEqual(reader.value(id), each)).toBe(true);
              expect(new Uint8Array(reader.keyBytes(id))).toEqual(encodeKey(each));
            }
            memory.release(block.keys);
            memory.release(block.offsets);
          });
        },
      ),
      { numRuns: 100 },
    );
  });

  it('grow through many sizes', () => {
    withMemory((memory) => {
      const builder = new DictionaryBuilder(memory, memory.views);
      const count = 100_000;
      const keyOf = (i: number): unknown =>
        i % 3 === 0 ? i : i % 3 === 1 ? `key ${i}` : [i, 'x'.repeat(i % 80)];
      let wrong = 0;
      for (let i = 0; i < count; i++) if (builder.idOf(keyOf(i)) !== i) wrong += 1;
      for (let i = 0; i < count; i += 7) if (builder.find(keyOf(i)) !== i) wrong += 1;
      expect(builder.find('key 0')).toBe(-1);
      const block = builder.finish();
      const reader = new DictionaryReader(block, memory.views);
      // More than the memo holds, twice.
      for (let round = 0; round < 2; round++) {
        for (let i = round; i < count; i += 3) if (!keysEqual(reader.value(i), keyOf(i))) wrong += 1;
      }
      expect(wrong).toBe(0);
      memory.release(block.keys);
      memory.release(block.offsets);
    });
  });

  it('grow at the very byte where the room ends', () => {
    withMemory((memory) => {
      for (let length = 230; length < 270; length++) {
        const builder = new DictionaryBuilder(memory, memory.views);
        const keys = ['x'.repeat(length), true, 1, 'y'];
        for (const each of keys) builder.idOf(each);
        for (const [id, each] of keys.entries())
          expect(new Uint8Array(builder.keyBytes(id))).toEqual(encodeKey(each));
        builder.release();
      }
    });
  });

  it('merge by the bytes of keys', () => {
    withMemory((memory) => {
      const merged = new DictionaryBuilder(memory, memory.views);
      const lists = [
        ['a', 1, 'b'.repeat(100), [1, 'a']],
        [1, 'c', [1, 'a'], 'a', 1n],
      ];
      const remaps = lists.map((keys) => {
        const builder = new DictionaryBuilder(memory, memory.views);
        for (const each of keys) builder.idOf(each);
        const block = builder.finish();
        const reader = new DictionaryReader(block, memory.views);
        const remap = keys.map((_, id) => merged.idOfBytes(reader.keyBytes(id)));
        memory.release(block.keys);
        memory.release(block.offsets);
        return remap;
      });
      expect(remaps).toEqual([
        [0, 1, 2, 3],
        [1, 4, 3, 0, 5],
      ]);
      expect(merged.idOf('b'.repeat(100))).toBe(2);
      expect(merged.keyBytes(4)).toEqual(encodeKey('c'));
      merged.release();
      merged.release();
    });
  });

  it('do not share decoded arrays between callers', () => {
    withMemory((memory) => {
      const builder = new DictionaryBuilder(memory, memory.views);
      builder.idOf(['a']);
      builder.idOf(List(['a']));
      const block = builder.finish();
      const reader = new DictionaryReader(block, memory.views);
      (reader.value(0) as string[]).push('changed');
      expect(reader.value(0)).toEqual(['a']);
      expect(reader.value(1)).toEqual(List(['a']));
      memory.release(block.keys);
      memory.release(block.offsets);
    });
  });

  it('refuse what cannot be a key, ids that do not exist, and use after the end', () => {
    withMemory((memory) => {
      const builder = new DictionaryBuilder(memory, memory.views);
      expect(() => builder.idOf(undefined)).toThrow(ValueError);
      expect(() => builder.find({ a: 1 })).toThrow(ValueError);
      expect(() => builder.keyBytes(0)).toThrow(StateError);
      expect(builder.count).toBe(0);
      const block = builder.finish();
      expect(() => builder.idOf(1)).toThrow(StateError);
      expect(() => builder.finish()).toThrow(StateError);
      builder.release();
      const reader = new DictionaryReader(block, memory.views);
      expect(() => reader.value(0)).toThrow(StateError);
      expect(() => reader.keyBytes(-1)).toThrow(StateError);
      memory.release(block.keys);
      memory.release(block.offsets);
    });
  });

  it('stay whole when the budget is used up', () => {
    withMemory((memory) => {
      const builder = new DictionaryBuilder(memory, memory.views);
      let added = 0;
      expect(() => {
        for (; added < 1_000_000; added++) builder.idOf(`key number ${added}`);
      }).toThrow(MemoryBudgetError);
      expect(builder.count).toBe(added);
      for (let i = 0; i < added; i += 11) expect(builder.find(`key number ${i}`)).toBe(i);
      expect(builder.find(`key number ${added}`)).toBe(-1);
      expect(() => builder.idOf(`key number ${added}`)).toThrow(MemoryBudgetError);
      builder.release();
    }, 1 << 20);
  });
});
