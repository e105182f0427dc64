/**
 * What every filter can do, and what is the same for all: filters are bits in words of 32, so union, intersection, fill and
 * storage do not depend on how a key finds its bits.
 *
 * Hazard: adding is not atomic. Two threads that add to the same words lose bits, and with them keys; let each build its
 * own filter of equal shape and unite them. Probing from many threads is safe once all adding is done and published.
 */
import { OptionError } from '../errors.js';
import { bitsSet } from '../kernel/bits.js';
import { encodeFilter } from './filter-format.js';
import { wordCount, type FilterShape } from './filter-shape.js';
import type { FilterKey } from './hash.js';

/** A set of keys that may be probed: no false negatives, false positives at a known rate. */
export interface MembershipProbe {
  readonly shape: FilterShape;
  /** False: the key was certainly not added. Equal to `mightContain(id)` for ids, and faster. @param id u32 */
  mightContainId(id: number): boolean;
  /** False: the key was certainly not added. @throws ValueError if it is no `FilterKey` */
  mightContain(key: FilterKey): boolean;
  /**
   * Copies those ids that might be contained to the front of `out`, in order, and returns how many. `out` is at least as
   * long as `ids`, and may be the same array.
   */
  selectIds(ids: Uint32Array, out: Uint32Array): number;
  /**
   * Appends, in order, those of the interleaved pairs `start` to `end` (elements 2i and 2i + 1) whose second element might
   * be contained to the `count` pairs in `out`; returns the new count. `out` has room for all of them.
   */
  selectPairs(pairs: Uint32Array, start: number, end: number, out: Uint32Array, count: number): number;
}

/** A filter over words of 32 bits, which the caller may have supplied, in shared memory for example. */
export interface MembershipFilter extends MembershipProbe {
  /** The bits, not a copy: bit b is bit b mod 32 of word ⌊b/32⌋. */
  readonly words: Uint32Array;
  /** Adds a u32 id. @throws OptionError if an exact filter has no bit for it */
  addId(id: number): void;
  /** Adds all ids, in a loop of its own. @throws OptionError as `addId`; ids before the wrong one are then in. */
  addIds(ids: Uint32Array): void;
  /** Adds a key. @throws ValueError if it is no `FilterKey`, OptionError if an exact filter has no bit for it */
  add(key: FilterKey): void;
  /**
   * A filter that holds the keys of both: the same bits as one built from all of them.
   * @param words where to put it; fresh if left out. The words of either operand may be given, which then changes.
   * @throws OptionError if the shapes differ, or `words` is not as long as they say
   */
  union(other: MembershipFilter, words?: Uint32Array): MembershipFilter;
  /**
   * A filter that holds at least the keys that are in both; a key of only one has the other's false-positive rate.
   * Parameters and errors as `union`.
   */
  intersect(other: MembershipFilter, words?: Uint32Array): MembershipFilter;
  /** Share of the bits that are set, 0 to 1. Cost: reads all words. */
  readonly fill: number;
  /**
   * Distinct keys, estimated from the fill: −(m/k)·ln(1 − fill) (Swamidass & Baldi 2007); exact for exact filters; infinite
   * when all bits are set. Of an intersection: an overestimate, since bits of different keys meet. Cost: reads all words.
   */
  estimatedCount(): number;
  /**
   * Distinct keys of this and the other filter together, estimated as `estimatedCount` from the bits that a union would have,
   * which is not built. Infinite when all of these are set. Cost: reads all words of both. @throws OptionError if the shapes differ
   */
  estimatedUnionCount(other: MembershipFilter): number;
  /**
   * Distinct keys that are in both: n̂(A) + n̂(B) − n̂(A ∪ B), which is the formula of Papapetrou et al. 2010, kept between 0 and
   * the smaller of the two; when every bit of the union is set, that smaller one, since nothing better is known. Better than the
   * estimated count of the intersection's bits, where bits of different keys meet; its error is that of the *union's* estimate,
   * so few common keys of large sets are drowned in it. Cost, errors: as `estimatedUnionCount`.
   */
  estimatedIntersectionCount(other: MembershipFilter): number;
  /**
   * True: no key passes, so an intersection has no key in common. A classic or exact filter knows it when all bits are 0, a
   * partitioned one as soon as one slice is empty, a split-block one when every block has an empty lane. Cost: reads all words.
   */
  isCertainlyEmpty(): boolean;
  /** Chance that a key that was not added passes, from the bits as they are. Cost: reads all words. */
  predictedFalsePositiveRate(): number;
  /** Bytes for `restoreFilter`, fresh; the format is in docs/filters.md. */
  serialize(): Uint8Array;
}

export abstract class WordFilter implements MembershipFilter {
  readonly shape: FilterShape;
  readonly words: Uint32Array;

  /** @throws OptionError if `words` is not as long as the shape says */
  constructor(shape: FilterShape, words: Uint32Array = new Uint32Array(wordCount(shape))) {
    if (words.length !== wordCount(shape)) {
      throw new OptionError(
        `a ${shape.kind} filter of ${shape.bitCount} bits needs ${wordCount(shape)} words, not ${words.length}`,
        { wordCount: wordCount(shape), given: words.length },
      );
    }
    this.shape = shape;
    this.words = words;
  }

  abstract mightContainId(id: number): boolean;
  abstract mightContain(key: FilterKey): boolean;
  abstract selectIds(ids: Uint32Array, out: Uint32Array): number;
  abstract selectPairs(
    pairs: Uint32Array,
    start: number,
    end: number,
    out: Uint32Array,
    count: number,
  ): number;
  abstract addId(id: number): void;
  abstract addIds(ids: Uint32Array): void;
  abstract add(key: FilterKey): void;
  abstract predictedFalsePositiveRate(): number;
  /** A filter of the same kind and shape over other words. */
  protected abstract over(words: Uint32Array | undefined): MembershipFilter;

  union(other: MembershipFilter, words?: Uint32Array): MembershipFilter {
    this.#requireSameShape(other, 'union');
    const result = this.over(words);
    for (let i = 0; i < this.words.length; i++) {
      result.words[i] = (this.words[i] as number) | (other.words[i] as number);
    }
    return result;
  }

  intersect(other: MembershipFilter, words?: Uint32Array): MembershipFilter {
    this.#requireSameShape(other, 'intersect');
    const result = this.over(words);
    for (let i = 0; i < this.words.length; i++) {
      result.words[i] = (this.words[i] as number) & (other.words[i] as number);
    }
    return result;
  }

  get fill(): number {
    return this.shape.bitCount === 0 ? 0 : this.#setBitCount() / this.shape.bitCount;
  }

  estimatedCount(): number {
    return this.countFromBits(this.#setBitCount());
  }

  estimatedUnionCount(other: MembershipFilter): number {
    this.#requireSameShape(other, 'estimatedUnionCount');
    let setBits = 0;
    for (let i = 0; i < this.words.length; i++) {
      setBits += bitsSet((this.words[i] as number) | (other.words[i] as number));
    }
    return this.countFromBits(setBits);
  }

  estimatedIntersectionCount(other: MembershipFilter): number {
    const union = this.estimatedUnionCount(other);
    const [here, there] = [this.estimatedCount(), other.estimatedCount()];
    const most = Math.min(here, there);
    return union === Infinity ? most : Math.min(most, Math.max(0, here + there - union));
  }

  isCertainlyEmpty(): boolean {
    return this.words.every((word) => word === 0);
  }

  serialize(): Uint8Array {
    return encodeFilter(this.shape, this.words);
  }

  /** Distinct keys that set so many bits. */
  protected countFromBits(setBits: number): number {
    const { bitCount, hashCount } = this.shape;
    const count = -(bitCount / hashCount) * Math.log1p(-setBits / bitCount);
    return count === 0 ? 0 : count;
  }

  #setBitCount(): number {
    let count = 0;
    for (let i = 0; i < this.words.length; i++) count += bitsSet(this.words[i] as number);
    return count;
  }

  #requireSameShape(other: MembershipFilter, operation: string): void {
    for (const property of ['kind', 'bitCount', 'hashCount', 'seed'] as const) {
      const here = this.shape[property];
      const there = other.shape[property];
      if (here === there) continue;
      throw new OptionError(
        `${operation} needs filters of one shape, but ${property} is ${here} here and ${there} there; build both from the ` +
          'same filterShape',
        { property, here, there },
      );
    }
  }
}
