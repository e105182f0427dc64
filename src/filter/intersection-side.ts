/**
 * One of the sets that are intersected: where its keys go until it is complete.
 *
 * Hazard: a key that is added late would be lost, so a side that is complete takes no more.
 */
import { StateError } from '../errors.js';
import type { FilterKey } from './hash.js';
import type { MembershipFilter, MembershipProbe } from './membership-filter.js';

/** What a side is built into, and the filter that its keys must pass before, if there is one. */
export interface SideBuild {
  readonly into: MembershipFilter;
  readonly pass: MembershipProbe | undefined;
}

/** Ids between two looks at the filter before. */
const CHUNK = 16 * 1024;

export class IntersectionSide {
  readonly index: number;
  readonly #start: () => SideBuild;
  readonly #finish: (into: MembershipFilter) => void;
  #build: SideBuild | undefined;
  #isComplete = false;

  /** See `IntersectionFilter.side`. */
  constructor(index: number, start: () => SideBuild, finish: (into: MembershipFilter) => void) {
    this.index = index;
    this.#start = start;
    this.#finish = finish;
  }

  get isComplete(): boolean {
    return this.#isComplete;
  }

  /**
   * @throws StateError after `complete` or, for `two-pass`, before the side before is complete; ValueError, OptionError as
   *   `MembershipFilter.add`
   */
  add(key: FilterKey): void {
    const { into, pass } = this.#open();
    if (pass === undefined || pass.mightContain(key)) into.add(key);
  }

  /** @throws StateError as `add`; OptionError as `MembershipFilter.addIds` */
  addIds(ids: Uint32Array): void {
    const { into, pass } = this.#open();
    if (pass === undefined) {
      into.addIds(ids);
      return;
    }
    const passed = new Uint32Array(Math.min(ids.length, CHUNK));
    for (let at = 0; at < ids.length; at += CHUNK) {
      const count = pass.selectIds(ids.subarray(at, at + CHUNK), passed);
      into.addIds(passed.subarray(0, count));
    }
  }

  /** All keys of this side were added. @throws StateError the second time, or as `add` */
  complete(): void {
    const { into } = this.#open();
    this.#isComplete = true;
    this.#build = undefined;
    this.#finish(into);
  }

  #open(): SideBuild {
    if (this.#isComplete) {
      throw new StateError(
        `side ${this.index} of the intersection filter is complete: no more keys can be added; build a new filter with a ` +
          'new version',
        { side: this.index },
      );
    }
    return (this.#build ??= this.#start());
  }
}
