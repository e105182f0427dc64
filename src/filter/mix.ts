/**
 * Integer mixers: bijections on 32 bits after which every output bit depends on every input bit. Two different ones give the
 * two independent halves of a 64-bit hash with 32-bit multiplies only, since JavaScript has no cheap 64-bit product.
 *
 * Hazard: a bijection keeps 0 fixed, and `mixU32(id) % n` must not both choose a partition and probe a filter of that
 * partition; filters therefore mix their seed in first (`idSeeds`).
 * Sources: `mixU32` is lowbias32 with the best constants found by https://github.com/skeeto/hash-prospector; `mixOtherU32` is
 * MurmurHash3's fmix32.
 */

/** Hash of a u32 id, as a u32. Different ids have different hashes. Cost: two multiplications. */
export function mixU32(id: number): number {
  let x = id;
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad);
  x = Math.imul(x ^ (x >>> 15), 0xd35a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}

/** A second such hash, independent of the first. */
export function mixOtherU32(id: number): number {
  let x = id;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

/** One round of mixing: enough for the high bits, which alone choose a bit or a counter. */
export function scatterU32(x: number): number {
  return Math.imul(x ^ (x >>> 15), 0x2c1b3c6d) >>> 0;
}

/** What to XOR an id with before it is mixed: `mixU32(id ^ high)` and `mixOtherU32(id ^ low)` are its two hash halves. */
export interface IdSeeds {
  readonly high: number;
  readonly low: number;
}

/** ⌊2³²/φ⌋ and ⌊2³²·(√2 − 1)⌋: seed 0 must not leave ids as they are. */
const HIGH_OFFSET = 0x9e3779b9;
const LOW_OFFSET = 0x6a09e667;

/** The two seeds that follow from a filter's one. */
export function idSeeds(seed: number): IdSeeds {
  return { high: mixU32(seed ^ HIGH_OFFSET), low: mixOtherU32(seed ^ LOW_OFFSET) };
}
