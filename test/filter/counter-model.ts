/** Counters worked out plainly: positions by bigints, contents in a Map, and the words of stored counters taken apart. */
import fc from 'fast-check';
import type { CounterShape, FilterKey } from '../../src/filter/index.js';
import { hash64, keySeeds } from '../../src/filter/hash.js';

/** The distinct counters of a key. */
export function placesOf(shape: CounterShape, key: FilterKey): number[] {
  const { high, low } = hash64(key, keySeeds(shape.seed));
  const rows = shape.kind === 'count-min' ? shape.hashCount : 1;
  const width = shape.counterCount / rows;
  const places = new Set<number>();
  for (let i = 0; i < shape.hashCount; i++) {
    const x = (BigInt(high) + BigInt(i) * BigInt(low | 1)) & 0xffff_ffffn;
    const mixed = ((x ^ (x >> 15n)) * 0x2c1b3c6dn) & 0xffff_ffffn;
    places.add((rows === 1 ? 0 : i * width) + Number((mixed * BigInt(width)) >> 32n));
  }
  return [...places];
}

/** All counters, and the total, from the stored bytes. */
export function unpack(shape: CounterShape, bytes: Uint8Array): { counters: number[]; total: bigint } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const counters = Array.from({ length: shape.counterCount }, (_, i) => {
    const bit = i * shape.counterBits;
    const word = BigInt(view.getUint32(40 + (bit >> 5) * 4, true));
    return Number((word >> BigInt(bit & 31)) & (2n ** BigInt(shape.counterBits) - 1n));
  });
  return { counters, total: view.getBigUint64(32, true) };
}

/** What adding and deleting should do; true: done, false: does not fit, so nothing was changed. */
export class CounterModel {
  readonly counters: number[];
  total = 0n;
  readonly #shape: CounterShape;

  constructor(shape: CounterShape) {
    this.#shape = shape;
    this.counters = Array.from({ length: shape.counterCount }, () => 0);
  }

  at(place: number): number {
    return this.counters[place] ?? 0;
  }

  estimate(key: FilterKey): number {
    return Math.min(...placesOf(this.#shape, key).map((place) => this.at(place)));
  }

  add(key: FilterKey, count: number): boolean {
    const least = this.estimate(key) + count;
    const isMinimal = this.#shape.update === 'minimal-increase';
    const changed = placesOf(this.#shape, key).map((place): [number, number] => [
      place,
      isMinimal ? Math.max(this.at(place), least) : this.at(place) + count,
    ]);
    if (changed.some(([, value]) => value >= 2 ** this.#shape.counterBits)) return false;
    for (const [place, value] of changed) this.counters[place] = value;
    this.total += BigInt(count);
    return true;
  }

  delete(key: FilterKey, count: number): boolean {
    if (this.estimate(key) < count) return false;
    for (const place of placesOf(this.#shape, key)) this.counters[place] = this.at(place) - count;
    this.total -= BigInt(count);
    return true;
  }
}

export const counterBits = fc.constantFrom(4 as const, 8 as const, 16 as const, 32 as const);
export const update = fc.constantFrom('plain' as const, 'minimal-increase' as const);
