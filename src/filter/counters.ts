/**
 * What counting filters, spectral filters and Count-Min sketches have in common: a key has k counters, which are raised when it
 * is added, and the lowest of them is an upper bound of how often that was.
 *
 * Two hashes of a key may fall on one counter, which then counts once when the key is added and once when it is deleted.
 * Hazard: a counter that wrapped around, or went below 0, would make false negatives. So all counters of a key are looked at
 * before any is changed, and what does not fit is an error that changes nothing.
 * Adding is not atomic: let each thread have its own, and merge them.
 */
import { OptionError, StateError } from '../errors.js';
import { CounterArray } from './counter-array.js';
import { encodeCounters, type CounterContents } from './counter-format.js';
import { counterWordCount, type CounterShape } from './counter-shape.js';
import { hash64, keySeeds, type FilterKey, type KeySeeds } from './hash.js';
import { scatterU32 } from './mix.js';

export abstract class Counters {
  readonly shape: CounterShape;
  protected readonly counters: CounterArray;
  readonly #seeds: KeySeeds;
  /** Counters a unit of a u32 position. */
  readonly #scale: number;
  /** Counters from where one hash's begin to where the next one's do; 0: each has all. */
  readonly #step: number;
  /** The counters of one key; holds nothing between calls. */
  readonly #places: Uint32Array;
  #totalCount: number;

  /** See `countingFilter`, `spectralFilter`, `countMinSketch` and `restoreCounters`. */
  constructor(shape: CounterShape, contents?: CounterContents) {
    const words = contents?.words ?? new Uint32Array(counterWordCount(shape));
    const rowCount = shape.kind === 'count-min' ? shape.hashCount : 1;
    const rowWidth = shape.counterCount / rowCount;
    this.shape = shape;
    this.counters = new CounterArray(words, shape.counterBits);
    this.#seeds = keySeeds(shape.seed);
    this.#scale = rowWidth / 2 ** 32;
    this.#step = rowCount === 1 ? 0 : rowWidth;
    this.#places = new Uint32Array(shape.hashCount);
    this.#totalCount = contents?.totalCount ?? 0;
  }

  /** Of all keys together: what was added, less what was deleted. */
  get totalCount(): number {
    return this.#totalCount;
  }

  /** Share of the counters that are not 0, 0 to 1. Cost: reads all. */
  get fill(): number {
    let count = 0;
    for (let i = 0; i < this.shape.counterCount; i++) if (this.counters.get(i) !== 0) count += 1;
    return count / this.shape.counterCount;
  }

  /** Bytes for `restoreCounters`, fresh; the format is in docs/filters.md. */
  serialize(): Uint8Array {
    return encodeCounters(this.shape, { words: this.counters.words, totalCount: this.#totalCount });
  }

  /** Adds the counters of another, as if its keys were added here too, to these. */
  protected mergeCounters(other: Counters): void {
    this.#requireSameShape(other);
    const { counters, shape } = this;
    for (let i = 0; i < shape.counterCount; i++) {
      const sum = counters.get(i) + other.counters.get(i);
      if (sum > counters.maximum) throw this.#overflow(sum);
    }
    const total = this.#totalAfter(other.#totalCount);
    for (let i = 0; i < shape.counterCount; i++) counters.set(i, counters.get(i) + other.counters.get(i));
    this.#totalCount = total;
  }

  protected raise(key: FilterKey, count: number): void {
    checkTimes(count);
    const { counters } = this;
    const places = this.#locate(key);
    const isMinimal = this.shape.update === 'minimal-increase';
    const least = isMinimal ? this.#lowest(places) + count : 0;
    for (const place of places) {
      const value = isMinimal ? least : counters.get(place) + count;
      if (value > counters.maximum) throw this.#overflow(value);
    }
    const total = this.#totalAfter(count);
    for (const place of places) {
      const value = counters.get(place);
      counters.set(place, isMinimal ? Math.max(value, least) : value + count);
    }
    this.#totalCount = total;
  }

  protected lower(key: FilterKey, count: number): void {
    checkTimes(count);
    const { counters } = this;
    const places = this.#locate(key);
    const lowest = this.#lowest(places);
    if (lowest < count) {
      throw new StateError(
        `a key cannot be deleted ${count} times that is in at most ${lowest} times: its counters would fall below 0, and ` +
          'other keys be forgotten; delete only what was added',
        { count, estimate: lowest },
      );
    }
    for (const place of places) counters.set(place, counters.get(place) - count);
    this.#totalCount -= count;
  }

  protected lowest(key: FilterKey): number {
    return this.#lowest(this.#locate(key));
  }

  #lowest(places: Uint32Array): number {
    return places.reduce((least, place) => Math.min(least, this.counters.get(place)), Infinity);
  }

  /** The counters of the key, each once; positions as in a classic filter. */
  #locate(key: FilterKey): Uint32Array {
    const { high, low } = hash64(key, this.#seeds);
    const places = this.#places;
    const stride = low | 1;
    let x = high | 0;
    let count = 0;
    for (let i = 0; i < this.shape.hashCount; i++) {
      const place = i * this.#step + ((scatterU32(x) * this.#scale) >>> 0);
      const found = places.indexOf(place);
      // Beyond `count` lies what is left of another key.
      if (found === -1 || found >= count) places[count++] = place;
      x = (x + stride) | 0;
    }
    return places.subarray(0, count);
  }

  #totalAfter(count: number): number {
    const total = this.#totalCount + count;
    if (Number.isSafeInteger(total)) return total;
    throw new StateError(
      `the total would be ${total}, above 2^53 − 1; begin a new ${this.shape.kind} structure`,
      {
        total,
      },
    );
  }

  #overflow(value: number): StateError {
    const { kind, counterBits } = this.shape;
    return new StateError(
      `a counter would be ${value}, but ${kind} counters of ${counterBits} bits hold at most ${this.counters.maximum}; nothing ` +
        `was changed; use ${counterBits === 32 ? 'more counters' : 'wider counters (counterBits)'}`,
      { value, maximum: this.counters.maximum, counterBits },
    );
  }

  #requireSameShape(other: Counters): void {
    for (const property of ['kind', 'counterCount', 'hashCount', 'counterBits', 'update', 'seed'] as const) {
      const here = this.shape[property];
      const there = other.shape[property];
      if (here === there) continue;
      throw new OptionError(
        `merge needs counters of one shape, but ${property} is ${here} here and ${there} there; build both with the same options`,
        { property, here, there },
      );
    }
  }
}

function checkTimes(count: number): void {
  if (Number.isSafeInteger(count) && count >= 1) return;
  throw new OptionError(`count must be a whole number from 1, not ${String(count)}`, {
    count: String(count),
  });
}
