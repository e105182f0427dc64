/**
 * Intersection Bloom filter: which keys occur on all sides of a join, R ⋈ S or more, so that tuples of any side that
 * cannot join are dropped before they are shuffled. Source: Phan et al., FAIR'9 2016, DOI 10.15625/vap.2016.00091.
 * Its builds, for the sides R₀ … Rₙ₋₁:
 *
 *   and              BF(R₀) AND BF(R₁) AND … A key that is not on one side only passes at that filter's whole rate.
 *   partitioned-and  the same slice by slice; one empty slice proves that no key is common (Jeffrey & Steffan 2011).
 *   two-pass         BF(R₀) first; those R₁ keys that pass it go into a fresh filter, those R₂ keys that pass that one into the
 *                    next, and so on. The last is published alone: fewer keys in as many bits, so fewer false positives.
 *
 * Hazard: a filter that is probed before all sides are complete has false negatives, that is, loses results. So it cannot
 * be: probing before publication is an error, and so is adding to a side that is complete.
 */
import { OptionError, StateError } from '../errors.js';
import { createFilter } from './create-filter.js';
import { checkedShape, type FilterShape } from './filter-shape.js';
import type { FilterKey } from './hash.js';
import { IntersectionSide, type SideBuild } from './intersection-side.js';
import type { MembershipFilter, MembershipProbe } from './membership-filter.js';

export type IntersectionVariant = 'and' | 'partitioned-and' | 'two-pass';

export interface IntersectionOptions {
  /** Version of the relations that it is built from. Whoever probes it compares: it is right for no other. */
  readonly version: number;
  /** Of the filter that is published. For `two-pass`, size it for the keys expected in common. */
  readonly shape: FilterShape;
  /** Sets to intersect, from 2 to 65,536; default 2. */
  readonly sideCount?: number;
  /** For `two-pass` only: of the filters of all sides but the last. Default: `shape`. */
  readonly passShape?: FilterShape;
  /** Where the published filter's bits go, `wordCount(shape)` words, overwritten. Default: fresh. */
  readonly words?: Uint32Array;
}

const VARIANTS: readonly string[] = ['and', 'partitioned-and', 'two-pass'] satisfies IntersectionVariant[];
const MAX_SIDES = 65_536;

/**
 * An intersection filter without keys. Add the keys of each side, `side(i).add(key)`, and call `side(i).complete()`; when all
 * are complete it is published. `two-pass` takes the sides in order, the others in any, or mixed; one side after the other
 * needs the least memory, two filters at a time.
 * @throws OptionError on a wrong variant, shape, version, side count or `words`
 * @example
 * const shape = filterShape('classic', { expectedCount: 1000, falsePositiveRate: 0.01 });
 * const filter = intersectionFilter('two-pass', { version: 1, shape });
 * filter.side(0).addIds(Uint32Array.of(1, 2, 3));
 * filter.side(0).complete();
 * filter.side(1).addIds(Uint32Array.of(3, 4));
 * filter.side(1).complete();
 * filter.mightContainId(3); // true
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
  /** Bits of everything that has to be built, one filter a side. */
  readonly buildBitCount: number;

  readonly #sides: readonly IntersectionSide[];
  readonly #passShape: FilterShape;
  /** Over the caller's words. */
  readonly #target: MembershipFilter | undefined;
  /** Of each side's own filter, as it was completed. */
  readonly #rates: number[];
  /** Of the sides that are complete: their AND, or the last pass. */
  #combined: MembershipFilter | undefined;
  /** `#combined`, once all sides are complete. */
  #published: MembershipFilter | undefined;

  /** See `intersectionFilter`. */
  constructor(variant: IntersectionVariant, options: IntersectionOptions) {
    const { version, shape, sideCount = 2, passShape, words } = options;
    checkOptions(variant, options);
    this.variant = variant;
    this.version = version;
    this.shape = checkedShape(shape);
    this.#passShape = checkedShape(passShape ?? shape);
    this.buildBitCount = this.shape.bitCount + (sideCount - 1) * this.#passShape.bitCount;
    this.#target = words === undefined ? undefined : createFilter(shape, words);
    words?.fill(0);
    this.#rates = new Array<number>(sideCount).fill(1);
    this.#sides = Array.from({ length: sideCount }, (_, index) => {
      const start = (): SideBuild => this.#start(index);
      return new IntersectionSide(index, start, (into) => {
        this.#finish(index, into);
      });
    });
  }

  get sideCount(): number {
    return this.#sides.length;
  }

  /** One of the sets, numbered from 0. @throws OptionError if there is no such side */
  side(index: number): IntersectionSide {
    const side = this.#sides[index];
    if (side !== undefined) return side;
    throw new OptionError(
      `the intersection filter has sides 0 to ${this.sideCount - 1}, not ${String(index)}; give its sideCount when building it`,
      { side: String(index), sideCount: this.sideCount },
    );
  }

  /** Whether all sides are complete: it can be probed, and no more be changed. */
  get isPublished(): boolean {
    return this.#published !== undefined;
  }

  /** What is published: to be probed in a loop, stored or handed to other threads, not to be added to. @throws StateError before */
  get filter(): MembershipFilter {
    return this.#result();
  }

  /**
   * Chance to pass for a key that is on these sides, and on no others, predicted from the bits: 1 on all of them. For two
   * sides, [0] is a key on the left only, [1] on the right only, none (the default) one that is in neither.
   *
   * By AND: the product of the rates of the other sides' filters, right for sides that have no keys in common beyond these, and
   * too low for others; on no side at all, the rate of the published bits. By passes: pᵢ = fᵢ, and pᵢ₋₁ + (1 − pᵢ₋₁)·fᵢ for a
   * key on side i (p₋₁ = 1); the last one.
   * @throws StateError before it is published; OptionError on a side that there is not
   */
  predictedFalsePositiveRate(onSides: readonly number[] = []): number {
    const published = this.#result();
    const on = new Set(onSides.map((index) => this.side(index).index));
    if (this.variant === 'two-pass') {
      return this.#rates.reduce((before, rate, i) => (on.has(i) ? before + (1 - before) * rate : rate), 1);
    }
    if (on.size === 0) return published.predictedFalsePositiveRate();
    return this.#rates.reduce((product, rate, i) => (on.has(i) ? product : product * rate), 1);
  }

  /**
   * True: certainly no key is common to all sides, see `MembershipFilter.isCertainlyEmpty`; `partitioned-and` shows it most
   * often. @throws StateError before it is published
   */
  isCertainlyEmpty(): boolean {
    return this.#result().isCertainlyEmpty();
  }

  /** @throws StateError before it is published */
  mightContainId(id: number): boolean {
    return this.#result().mightContainId(id);
  }

  /** @throws StateError before it is published; ValueError if the key is no `FilterKey` */
  mightContain(key: FilterKey): boolean {
    return this.#result().mightContain(key);
  }

  /** @throws StateError before it is published */
  selectIds(ids: Uint32Array, out: Uint32Array): number {
    return this.#result().selectIds(ids, out);
  }

  /** @throws StateError before it is published */
  selectPairs(pairs: Uint32Array, start: number, end: number, out: Uint32Array, count: number): number {
    return this.#result().selectPairs(pairs, start, end, out, count);
  }

  #start(index: number): SideBuild {
    if (this.variant !== 'two-pass') return { into: createFilter(this.shape), pass: undefined };
    if (index > 0 && !this.side(index - 1).isComplete) {
      throw new StateError(
        `the two-pass intersection filter takes keys of side ${index} only once side ${index - 1} is complete: call ` +
          `side(${index - 1}).complete() first`,
        { side: index },
      );
    }
    const isLast = index === this.sideCount - 1;
    const into = isLast ? (this.#target ?? createFilter(this.shape)) : createFilter(this.#passShape);
    return { into, pass: this.#combined };
  }

  /** Combines a side that is complete with those before, and gives up its own filter. */
  #finish(index: number, into: MembershipFilter): void {
    this.#rates[index] = into.predictedFalsePositiveRate();
    const before = this.#combined;
    if (this.variant === 'two-pass') this.#combined = into;
    else if (before !== undefined) this.#combined = before.intersect(into, before.words);
    else this.#combined = this.#target?.union(into, this.#target.words) ?? into;
    if (this.#sides.every((side) => side.isComplete)) this.#published = this.#combined;
  }

  #result(): MembershipFilter {
    if (this.#published !== undefined) return this.#published;
    const missing = this.#sides.filter((side) => !side.isComplete).map((side) => side.index);
    throw new StateError(
      `the intersection filter is not published yet, not complete: side ${missing.join(', ')}; probing it now would lose keys`,
      { missing: missing.join(', ') },
    );
  }
}

function checkOptions(
  variant: IntersectionVariant,
  { version, shape, sideCount = 2, passShape }: IntersectionOptions,
): void {
  if (!VARIANTS.includes(variant)) {
    throw new OptionError(
      `unknown variant '${variant}' of the intersection filter; use ${VARIANTS.join(', ')}`,
    );
  }
  if (!Number.isSafeInteger(version)) {
    throw new OptionError(`version must be a whole number, not ${String(version)}`, {
      version: String(version),
    });
  }
  if (!Number.isInteger(sideCount) || sideCount < 2 || sideCount > MAX_SIDES) {
    throw new OptionError(
      `sideCount must be a whole number from 2 to ${MAX_SIDES}, not ${String(sideCount)}`,
      {
        sideCount: String(sideCount),
      },
    );
  }
  if (variant === 'partitioned-and' && shape.kind !== 'partitioned') {
    throw new OptionError(
      `the partitioned-and variant needs a partitioned shape, not ${shape.kind}; use filterShape('partitioned', …) or the ` +
        'and variant',
      { kind: shape.kind },
    );
  }
  if (variant !== 'two-pass' && passShape !== undefined) {
    throw new OptionError(
      `passShape belongs to the two-pass variant: all sides of the ${variant} variant have one shape`,
    );
  }
}
