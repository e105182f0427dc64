/**
 * Difference filter: which keys are certainly not among those seen before, so that they skip the exact look-up (Phan
 * 2014). The others may have been seen, and only the look-up can tell.
 *
 * It may never drop a key: a "may have been seen" is wrong at the filter's false-positive rate, and what were dropped on its word
 * would be lost. So it is no `MembershipProbe`, has nothing that selects or prunes, and its `split` gives every key back in one
 * of two lists. A key of the first list is remembered at once: a second one of the same batch is in the second list. A key of
 * the second list needs no remembering even if the look-up finds it new, since all its bits are set.
 */
import { createFilter } from './create-filter.js';
import type { FilterShape } from './filter-shape.js';
import type { FilterKey } from './hash.js';
import type { MembershipFilter } from './membership-filter.js';

/** All keys of a batch, each in one list, in the order in which they came. Fresh. */
export interface SplitIds {
  /** Never seen, and different from each other. Record them before the others are looked up. */
  readonly definitelyNew: Uint32Array;
  /** Look these up in what is recorded: seen before, or new after all. */
  readonly mustCheck: Uint32Array;
}

/** As `SplitIds`, for keys of any type. */
export interface SplitKeys<K extends FilterKey> {
  readonly definitelyNew: K[];
  readonly mustCheck: K[];
}

/**
 * A difference filter that has seen nothing. Size its shape for all keys that it will see.
 * @throws OptionError if no filter has this shape
 * @example
 * const seen = new Set<number>();
 * const difference = differenceFilter(filterShape('classic', { expectedCount: 1000, falsePositiveRate: 0.01 }));
 * const { definitelyNew, mustCheck } = difference.splitIds(Uint32Array.of(1, 2, 1));
 * for (const id of definitelyNew) seen.add(id); // 1, 2: no look-up
 * for (const id of mustCheck) if (!seen.has(id)) seen.add(id); // 1, and what is new but looked known
 */
export function differenceFilter(shape: FilterShape): DifferenceFilter {
  return new DifferenceFilter(shape);
}

export class DifferenceFilter {
  readonly #seen: MembershipFilter;

  /** See `differenceFilter`. */
  constructor(shape: FilterShape) {
    this.#seen = createFilter(shape);
  }

  get shape(): FilterShape {
    return this.#seen.shape;
  }

  /** True: the key was certainly never seen. False: look it up. Remembers nothing. @throws ValueError if it is no `FilterKey` */
  isDefinitelyNew(key: FilterKey): boolean {
    return !this.#seen.mightContain(key);
  }

  /**
   * Splits the ids and remembers them.
   * @throws OptionError if an exact shape has no bit for one; the ids before it are then remembered, and must be checked when they come again
   */
  splitIds(ids: Uint32Array): SplitIds {
    const definitelyNew = new Uint32Array(ids.length);
    const mustCheck = new Uint32Array(ids.length);
    let newCount = 0;
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i] as number;
      if (this.#seen.mightContainId(id)) mustCheck[i - newCount] = id;
      else {
        this.#seen.addId(id);
        definitelyNew[newCount++] = id;
      }
    }
    return {
      definitelyNew: definitelyNew.slice(0, newCount),
      mustCheck: mustCheck.slice(0, ids.length - newCount),
    };
  }

  /** Splits the keys and remembers them. @throws ValueError, OptionError as `MembershipFilter.add`; keys before are then remembered, as with ids */
  split<K extends FilterKey>(keys: Iterable<K>): SplitKeys<K> {
    const definitelyNew: K[] = [];
    const mustCheck: K[] = [];
    for (const key of keys) {
      if (this.#seen.mightContain(key)) mustCheck.push(key);
      else {
        this.#seen.add(key);
        definitelyNew.push(key);
      }
    }
    return { definitelyNew, mustCheck };
  }

  /** Share of new keys that need a look-up all the same, from the bits as they are. Cost: reads all words. */
  predictedFalsePositiveRate(): number {
    return this.#seen.predictedFalsePositiveRate();
  }
}
