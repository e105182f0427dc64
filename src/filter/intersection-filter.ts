/**
 * Intersection Bloom filter: which keys occur on both sides of a join R ⋈ S, left and right here, so that tuples of either
 * side that cannot join are dropped before they are shuffled. Source: Phan et al., FAIR'9 2016, DOI
 * 10.15625/vap.2016.00091. Two of its builds:
 *
 *   and       BF(R) AND BF(S). A key of one side only passes at the other filter's whole rate.
 *   two-pass  BF(R) first; those S keys that pass it go into a fresh filter, which is published alone: fewer keys in as many
 *             bits, so fewer false positives, or fewer bits for the same rate.
 *
 * Hazard: a filter that is probed before both sides are complete has false negatives, that is, loses results. So it cannot
 * be: probing before publication is an error, and so is adding to a side that is complete.
 */
import { OptionError, StateError } from '../errors.js';
import { createFilter } from './create-filter.js';
import { wordCount, type FilterShape } from './filter-shape.js';
import type { FilterKey } from './hash.js';
import type { MembershipFilter, MembershipProbe } from './membership-filter.js';

export type IntersectionVariant = 'and' | 'two-pass';

export interface IntersectionOptions {
  /** Version of the relations that it is built from. Whoever probes it compares: it is right for no other. */
  readonly version: number;
  /** Of the filter that is published. For `two-pass`, size it for the keys expected in common. */
  readonly shape: FilterShape;
  /** For `two-pass` only: of the filter of the left keys. Default: `shape`. */
  readonly firstPassShape?: FilterShape;
  /** Where the published filter's bits go, `wordCount(shape)` words, overwritten. Default: fresh. */
  readonly words?: Uint32Array;
}

/** Chance to pass for a key that is not on both sides, by where it is. */
export interface IntersectionRates {
  readonly leftOnly: number;
  readonly rightOnly: number;
  readonly neither: number;
}

type Side = 'left' | 'right';

/** Ids between two looks at the first pass. */
const CHUNK = 16 * 1024;

/**
 * An intersection filter without keys. Add the left keys, `completeLeft()`, the right keys, `completeRight()`; it is then
 * published. With `and` the sides may come in any order, or mixed.
 * @throws OptionError on a wrong variant, shape, version or `words`
 */
export function intersectionFilter(
  variant: IntersectionVariant,
  options: IntersectionOptions,
): IntersectionFilter {
  return new IntersectionFilter(variant, options);
}

export class IntersectionFilter implements MembershipProbe {
  readonly variant: IntersectionVariant;
  readonly version: number;
  /** Of the filter that is published. */
  readonly shape: FilterShape;
  /** Bits of everything that had to be built. */
  readonly buildBitCount: number;

  #left: MembershipFilter | undefined;
  readonly #right: MembershipFilter;
  readonly #complete: Record<Side, boolean> = { left: false, right: false };
  #published: { readonly filter: MembershipFilter; readonly rates: IntersectionRates } | undefined;

  /** See `intersectionFilter`. */
  constructor(variant: IntersectionVariant, { version, shape, firstPassShape, words }: IntersectionOptions) {
    if (!['and', 'two-pass'].includes(variant)) {
      throw new OptionError(`unknown variant '${variant}' of the intersection filter; use and or two-pass`);
    }
    if (!Number.isSafeInteger(version)) {
      throw new OptionError(`version must be a whole number, not ${String(version)}`, {
        version: String(version),
      });
    }
    if (variant === 'and' && firstPassShape !== undefined) {
      throw new OptionError(
        'firstPassShape belongs to the two-pass variant: both sides of the and variant have one shape',
      );
    }
    this.#right = createFilter(shape, words ?? new Uint32Array(wordCount(shape)));
    this.#right.words.fill(0);
    this.#left = createFilter(firstPassShape ?? shape);
    this.variant = variant;
    this.version = version;
    this.shape = this.#right.shape;
    this.buildBitCount = this.#right.shape.bitCount + this.#left.shape.bitCount;
  }

  /** @throws StateError after `completeLeft`; ValueError, OptionError as `MembershipFilter.add` */
  addLeft(key: FilterKey): void {
    this.#openLeft().add(key);
  }

  /** @throws StateError after `completeLeft`; OptionError as `MembershipFilter.addIds` */
  addLeftIds(ids: Uint32Array): void {
    this.#openLeft().addIds(ids);
  }

  /** @throws StateError after `completeRight` or, for `two-pass`, before `completeLeft`; ValueError, OptionError as `MembershipFilter.add` */
  addRight(key: FilterKey): void {
    const firstPass = this.#openRight();
    if (firstPass === undefined || firstPass.mightContain(key)) this.#right.add(key);
  }

  /** @throws StateError after `completeRight` or, for `two-pass`, before `completeLeft`; OptionError as `MembershipFilter.addIds` */
  addRightIds(ids: Uint32Array): void {
    const firstPass = this.#openRight();
    if (firstPass === undefined) {
      this.#right.addIds(ids);
      return;
    }
    const passed = new Uint32Array(Math.min(ids.length, CHUNK));
    for (let at = 0; at < ids.length; at += CHUNK) {
      const count = firstPass.selectIds(ids.subarray(at, at + CHUNK), passed);
      this.#right.addIds(passed.subarray(0, count));
    }
  }

  /** All left keys were added. @throws StateError the second time */
  completeLeft(): void {
    this.#openLeft();
    this.#finish('left');
  }

  /** All right keys were added. @throws StateError the second time or, for `two-pass`, before `completeLeft` */
  completeRight(): void {
    this.#openRight();
    this.#finish('right');
  }

  /** Whether both sides are complete: it can be probed, and no more be changed. */
  get isPublished(): boolean {
    return this.#published !== undefined;
  }

  /** What is published: to be probed in a loop, stored or handed to other threads, not to be added to. @throws StateError before */
  get filter(): MembershipFilter {
    return this.#result().filter;
  }

  /** Predicted from the bits as they are, by where a key is. @throws StateError before it is published */
  predictedFalsePositiveRates(): IntersectionRates {
    return this.#result().rates;
  }

  /** @throws StateError before it is published */
  mightContainId(id: number): boolean {
    return this.#result().filter.mightContainId(id);
  }

  /** @throws StateError before it is published; ValueError if the key is no `FilterKey` */
  mightContain(key: FilterKey): boolean {
    return this.#result().filter.mightContain(key);
  }

  /** @throws StateError before it is published */
  selectIds(ids: Uint32Array, out: Uint32Array): number {
    return this.#result().filter.selectIds(ids, out);
  }

  /** @throws StateError before it is published */
  selectPairs(pairs: Uint32Array, start: number, end: number, out: Uint32Array, count: number): number {
    return this.#result().filter.selectPairs(pairs, start, end, out, count);
  }

  #openLeft(): MembershipFilter {
    if (this.#left === undefined || this.#complete.left) throw alreadyComplete('left');
    return this.#left;
  }

  /** The filter that right keys must pass to be added; undefined if there is none. */
  #openRight(): MembershipFilter | undefined {
    if (this.#complete.right) throw alreadyComplete('right');
    if (this.variant === 'and') return undefined;
    if (!this.#complete.left) {
      throw new StateError(
        'the two-pass intersection filter takes right keys only once the left side is complete: call completeLeft() first',
      );
    }
    return this.#left;
  }

  /** Publishes once both sides are complete, and gives up what only the build needed. */
  #finish(side: Side): void {
    this.#complete[side] = true;
    const left = this.#left;
    if (left === undefined || !this.#complete.left || !this.#complete.right) return;
    const leftRate = left.predictedFalsePositiveRate();
    const rightRate = this.#right.predictedFalsePositiveRate();
    if (this.variant === 'and') {
      const filter = this.#right.intersect(left, this.#right.words);
      const neither = filter.predictedFalsePositiveRate();
      this.#published = { filter, rates: { leftOnly: rightRate, rightOnly: leftRate, neither } };
    } else {
      const rightOnly = leftRate + (1 - leftRate) * rightRate;
      this.#published = {
        filter: this.#right,
        rates: { leftOnly: rightRate, rightOnly, neither: rightRate },
      };
    }
    this.#left = undefined;
  }

  #result(): { readonly filter: MembershipFilter; readonly rates: IntersectionRates } {
    if (this.#published !== undefined) return this.#published;
    const missing = (['left', 'right'] as const).filter((side) => !this.#complete[side]).join(' and ');
    throw new StateError(
      `the intersection filter is not published yet, its ${missing} side is not complete: probing it now would lose keys`,
      { left: this.#complete.left, right: this.#complete.right },
    );
  }
}

function alreadyComplete(side: Side): StateError {
  return new StateError(
    `the ${side} side of the intersection filter is complete: no more keys can be added; build a new filter with a new version`,
  );
}
