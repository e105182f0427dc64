/** Stored counters: round trip, fixed bytes that later versions must still read, and damage of any kind. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/errors.js';
import {
  countingFilter,
  countMinSketch,
  createFilter,
  filterShape,
  restoreCounters,
  restoreFilter,
  spectralFilter,
  type CountingFilter,
  type CountMinSketch,
  type SpectralFilter,
} from '../../src/filter/index.js';
import { hashBytes64 } from '../../src/filter/hash.js';
import { key } from './keys.js';

/** Written by version 1; never to be changed. */
const COUNTING =
  '524a42460100050320000000040000000700000006000000ad0845bf8a475ac2' +
  '060000000000000010000112320000200111000020010000';
const SPECTRAL =
  '524a4246010006022000000008010000070000000a000000e9f7a3896dc60c70' +
  '06000000000000000001000001000101010100000000000000000000000000000001010000000000';
const COUNT_MIN =
  '524a4246010007020a00000010000000070000000700000020dc839d86089863' +
  '06000000000000000100040000000000010002000200000001000100';

type AnyCounters = CountingFilter | SpectralFilter | CountMinSketch;

const make: readonly (() => AnyCounters)[] = [
  () => countingFilter({ counterCount: 32, hashCount: 3, seed: 7 }),
  () =>
    spectralFilter({ counterCount: 32, hashCount: 2, counterBits: 8, update: 'minimal-increase', seed: 7 }),
  () => countMinSketch({ width: 5, depth: 2, counterBits: 16, seed: 7 }),
];

function filled(make: () => AnyCounters): AnyCounters {
  const counters = make();
  for (const each of [1, 39, 'Valjean', 1n << 70n, 0.5, Uint8Array.of(1)]) counters.add(each);
  return counters;
}

function forged(change: (view: DataView) => void, bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer);
  change(view);
  view.setBigUint64(24, hashBytes64([bytes.subarray(0, 24), bytes.subarray(32)]), true);
  return bytes;
}

describe('serialize and restoreCounters', () => {
  it('give the same counters again, wherever the bytes lie', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...make),
        fc.array(key, { maxLength: 12 }),
        fc.nat(9),
        (make, keys, offset) => {
          const counters = make();
          for (const each of keys) counters.add(each);
          const bytes = counters.serialize();
          const moved = new Uint8Array(new ArrayBuffer(bytes.length + 10), offset, bytes.length);
          moved.set(bytes);
          const restored = restoreCounters(moved);
          expect(restored.kind).toBe(counters.kind);
          expect(restored.shape).toEqual(counters.shape);
          expect(restored.totalCount).toBe(counters.totalCount);
          expect(restored.serialize()).toEqual(bytes);
        },
      ),
    );
  });

  it.each([
    ['counting', 0, COUNTING],
    ['spectral', 1, SPECTRAL],
    ['count-min', 2, COUNT_MIN],
  ])('read the bytes of format version 1: %s', (_kind, which, hex) => {
    const counters = filled(make[which] as () => AnyCounters);
    expect(Buffer.from(counters.serialize()).toString('hex')).toBe(hex);
    const restored = restoreCounters(Buffer.from(hex, 'hex'));
    expect(restored.serialize()).toEqual(counters.serialize());
    expect(restored.totalCount).toBe(6);
    expect(
      restored.kind === 'counting' ? restored.mightContain('Valjean') : restored.estimate('Valjean') > 0,
    ).toBe(true);
  });

  it('keep a total beyond 2^32', () => {
    const sketch = countMinSketch({ width: 4, depth: 1 });
    for (let i = 0; i < 3; i++) sketch.add(i, 2 ** 31);
    expect(restoreCounters(sketch.serialize()).totalCount).toBe(3 * 2 ** 31);
  });

  it('find any single damaged bit, bytes cut off or left over', () => {
    for (const one of make) {
      const bytes = filled(one).serialize();
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const damaged = bytes.slice();
        damaged[bit >> 3] = (damaged[bit >> 3] as number) ^ (1 << (bit & 7));
        expect(() => restoreCounters(damaged)).toThrow(FormatError);
      }
      for (let length = 0; length < bytes.length; length++)
        expect(() => restoreCounters(bytes.subarray(0, length))).toThrow(FormatError);
      expect(() => restoreCounters(Uint8Array.of(...bytes, 0))).toThrow(/something follows/);
    }
  });

  it('refuse headers that no counters have, though the checksum is right', () => {
    const counting = (): Uint8Array => filled(make[0] as () => AnyCounters).serialize();
    const refused: [(view: DataView) => void, RegExp][] = [
      [(view) => view.setUint8(12, 5), /counterBits of counting counters must be 4, 8, 16 or 32/],
      [(view) => view.setUint8(13, 2), /update rule 2, which is unknown/],
      [(view) => view.setUint8(13, 1), /update of counting counters must be plain/],
      [(view) => view.setUint32(8, 64, true), /64 counting counters of 4 bits and their total have 10 words/],
      [(view) => view.setUint8(7, 0), /hashCount/],
      [(view) => view.setUint32(36, 0x00200000, true), /above 2\^53/],
      [(view) => view.setUint8(6, 99), /kind 99, which is unknown/],
    ];
    for (const [change, message] of refused) {
      const bytes = forged(change, counting());
      expect(() => restoreCounters(bytes)).toThrow(FormatError);
      expect(() => restoreCounters(bytes)).toThrow(message);
    }
  });

  it('tell filters and counters apart', () => {
    expect(() => restoreFilter(filled(make[0] as () => AnyCounters).serialize())).toThrow(
      /use restoreCounters/,
    );
    const filter = createFilter(filterShape('exact', { capacity: 40 }));
    expect(() => restoreCounters(filter.serialize())).toThrow(/use restoreFilter/);
  });
});
