/** Stored filters: round trip, fixed bytes that later versions must still read, and damage of any kind. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/errors.js';
import { hashBytes64 } from '../../src/filter/hash.js';
import { createFilter, filterShape, restoreFilter, type MembershipFilter } from '../../src/filter/index.js';
import { anyShape, idRange, smallIds } from './keys.js';

function stored(): Uint8Array {
  const filter = createFilter(filterShape('split-block', { bitCount: 512, seed: 5 }));
  filter.addIds(idRange(0, 20));
  return filter.serialize();
}

/** A header changed by someone who also mends the checksum. */
function forged(change: (view: DataView) => void, bytes = stored()): Uint8Array {
  const view = new DataView(bytes.buffer);
  change(view);
  view.setBigUint64(24, hashBytes64([bytes.subarray(0, 24), bytes.subarray(32)]), true);
  return bytes;
}

describe('serialize and restoreFilter', () => {
  it('give the same filter again, wherever the bytes lie', () => {
    fc.assert(
      fc.property(anyShape, smallIds, fc.nat({ max: 9 }), (shape, ids, offset) => {
        const filter = createFilter(shape);
        filter.addIds(ids);
        const bytes = filter.serialize();
        const shared = new Uint8Array(new SharedArrayBuffer(bytes.length + 10), offset, bytes.length);
        shared.set(bytes);
        const restored = restoreFilter(shared);
        expect(restored.shape).toEqual(filter.shape);
        expect(restored.words).toEqual(filter.words);
        expect(restored.serialize()).toEqual(bytes);
        expect(ids.every((id) => restored.mightContainId(id))).toBe(true);
      }),
    );
  });

  it('read the bytes of format version 1', () => {
    const filters: [MembershipFilter, string][] = [
      [createFilter(filterShape('classic', { bitCount: 64, hashCount: 3, seed: 7 })), CLASSIC],
      [createFilter(filterShape('partitioned', { bitCount: 96, hashCount: 3, seed: 7 })), PARTITIONED],
      [createFilter(filterShape('split-block', { bitCount: 256, seed: 7 })), SPLIT_BLOCK],
      [createFilter(filterShape('exact', { capacity: 40 })), EXACT],
    ];
    for (const [filter, hex] of filters) {
      filter.addIds(Uint32Array.of(1, 39));
      if (filter.shape.kind !== 'exact')
        for (const key of ['Valjean', 1n << 70n, 0.5, Uint8Array.of(1)]) filter.add(key);
      expect(Buffer.from(filter.serialize()).toString('hex')).toBe(hex);
      expect(restoreFilter(Buffer.from(hex, 'hex')).words).toEqual(filter.words);
    }
  });

  it('find any single damaged bit', () => {
    const bytes = stored();
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const damaged = bytes.slice();
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(() => restoreFilter(damaged), `bit ${bit}`).toThrow(FormatError);
    }
  });

  it('find cut, lengthened and foreign bytes', () => {
    const bytes = stored();
    for (let length = 0; length < bytes.length; length++) {
      expect(() => restoreFilter(bytes.subarray(0, length))).toThrow(FormatError);
    }
    expect(() => restoreFilter(Uint8Array.from([...bytes, 0]))).toThrow(
      /promises 96 bytes, but there are 97/,
    );
    expect(() => restoreFilter(new Uint8Array(64))).toThrow(/RJBF/);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (random) => {
        expect(() => restoreFilter(random)).toThrow(FormatError);
      }),
    );
  });

  it('find headers that no filter has, though the checksum is right', () => {
    const wrong: [(view: DataView) => void, RegExp][] = [
      [
        (view) => {
          view.setUint16(4, 2, true);
        },
        /version 2/,
      ],
      [
        (view) => {
          view.setUint8(6, 9);
        },
        /kind 9/,
      ],
      [
        (view) => {
          view.setUint8(7, 7);
        },
        /hashCount.*8, not 7/,
      ],
      [
        (view) => {
          view.setUint8(7, 200);
          view.setUint8(6, 1);
        },
        /hashCount.*not 200/,
      ],
      [
        (view) => {
          view.setBigUint64(8, 500n, true);
        },
        /multiple of 256/,
      ],
      [
        (view) => {
          view.setBigUint64(8, 2n ** 60n, true);
        },
        /2\^32/,
      ],
      [
        (view) => {
          view.setBigUint64(8, 1024n, true);
        },
        /has 32 words, not 16/,
      ],
    ];
    for (const [change, message] of wrong) {
      expect(() => restoreFilter(forged(change))).toThrow(FormatError);
      expect(() => restoreFilter(forged(change))).toThrow(message);
    }
    const exact = createFilter(filterShape('exact', { capacity: 40 })).serialize();
    expect(() =>
      restoreFilter(
        forged((view) => {
          view.setUint32(36, 0x100, true);
        }, exact),
      ),
    ).toThrow(/beyond its 40/);
  });
});

const CLASSIC = '524a42460100010340000000000000000700000002000000d4ccdbfd7e5de86108b10ec0a2001c00';
const SPLIT_BLOCK =
  '524a424601000208000100000000000007000000080000008527938f7aa854efc1200200120284804002082240042940018a800001c01500000a460268000882';
const EXACT = '524a424601000301280000000000000000000000020000007397cd5b0f35bc300200000080000000';
const PARTITIONED =
  '524a42460100040360000000000000000700000003000000a945d626ae162ddfd00100044202000200820d00';
