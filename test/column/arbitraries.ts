/** What rows and keys can hold, for the property tests of this folder; and a memory to put it in. */
import fc from 'fast-check';
import { List, Map as ImmutableMap, OrderedMap, OrderedSet, Set as ImmutableSet, Stack } from 'immutable';
import { MemoryManager } from '../../src/memory/memory-manager.js';

/** Strings with everything in them: ASCII, other planes, lone surrogates. */
export const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
  fc.constantFrom(
    '',
    '\u0000',
    '\u0000k\u0001',
    '\ud800',
    '\udc00\ud800',
    'a'.repeat(47),
    'a'.repeat(49),
    'ä'.repeat(60),
  ),
);

export const number = fc.oneof(
  fc.integer(),
  fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  fc.double(),
  fc.constantFrom(0, -0, NaN, Infinity, -Infinity, 2 ** 31, -(2 ** 31), 2 ** 32, Number.MIN_VALUE),
);

export const bigint = fc.oneof(
  fc.bigInt(),
  fc.constantFrom(
    0n,
    1n,
    -1n,
    2n ** 63n,
    2n ** 63n - 1n,
    -(2n ** 63n),
    -(2n ** 63n) - 1n,
    2n ** 200n,
    -(2n ** 200n),
  ),
);

const date = fc.date({ noInvalidDate: false });
const bytes = fc.uint8Array({ maxLength: 60 });
const keyScalar = fc.oneof(text, number, bigint, fc.boolean(), fc.constant(null), date, bytes);

/** Anything that can be a key. */
export const key: fc.Arbitrary<unknown> = fc.letrec<{ key: unknown }>((tie) => ({
  key: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    keyScalar,
    fc.array(tie('key'), { maxLength: 4 }),
    fc.array(tie('key'), { maxLength: 4 }).map((elements) => List(elements)),
    fc.array(tie('key'), { maxLength: 4 }).map((elements) => ImmutableSet(elements)),
    fc.array(fc.tuple(tie('key'), tie('key')), { maxLength: 4 }).map((entries) => ImmutableMap(entries)),
  ),
})).key;

/** Keys of which many are equal or nearly so. */
export const closeKey: fc.Arbitrary<unknown> = fc.letrec<{ key: unknown }>((tie) => ({
  key: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<unknown>(0, -0, 1, NaN, '0', '1', 0n, 1n, true, false, null, '', 0.5, '\u0000'),
    fc.constantFrom(0, 1).map((time) => new Date(time)),
    fc.constantFrom(0, 1).map((byte) => Uint8Array.of(byte)),
    fc.array(tie('key'), { maxLength: 2 }),
    fc.array(tie('key'), { maxLength: 2 }).map((elements) => List(elements)),
    fc.array(tie('key'), { maxLength: 3 }).map((elements) => ImmutableSet(elements)),
    fc.array(fc.tuple(tie('key'), tie('key')), { maxLength: 2 }).map((entries) => ImmutableMap(entries)),
  ),
})).key;

/** Anything that a row can hold. */
export const value: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => {
  const elements = fc.array(tie('value'), { maxLength: 4 });
  const entries = fc.array(fc.tuple(tie('value'), tie('value')), { maxLength: 4 });
  return {
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      keyScalar,
      fc.constant(undefined),
      fc.oneof(fc.int16Array(), fc.float64Array(), fc.bigUint64Array(), fc.uint8ClampedArray()),
      elements,
      fc.sparseArray(tie('value'), { maxNumElements: 3, maxLength: 6 }),
      fc.dictionary(fc.oneof(text, fc.constantFrom('__proto__', 'constructor', 'toString')), tie('value'), {
        maxKeys: 4,
      }),
      entries.map((list) => new Map(list)),
      elements.map((list) => new Set(list)),
      elements.map((list) => List(list)),
      elements.map((list) => Stack(list)),
      elements.map((list) => ImmutableSet(list)),
      elements.map((list) => OrderedSet(list)),
      entries.map((list) => ImmutableMap(list)),
      entries.map((list) => OrderedMap(list)),
    ),
  };
}).value;

/** Runs `body` with a memory of its own, which must have given everything back at the end. */
export function withMemory(body: (memory: MemoryManager) => void, budgetBytes = 1 << 26): void {
  const memory = new MemoryManager(budgetBytes);
  try {
    body(memory);
    if (memory.usedBytes !== 0)
      throw new Error(`${memory.usedBytes} bytes in ${memory.rangeCount} ranges were not released`);
  } finally {
    memory.close();
  }
}
