/** From a shape, or from bytes, to a filter that can be probed. */
import { ClassicFilter } from './classic-filter.js';
import { ExactFilter } from './exact-filter.js';
import { decodeFilter } from './filter-format.js';
import { checkedShape, type FilterShape } from './filter-shape.js';
import type { MembershipFilter } from './membership-filter.js';
import { PartitionedFilter } from './partitioned-filter.js';
import { SplitBlockFilter } from './split-block-filter.js';

/**
 * A filter of this shape.
 * @param words its bits, `wordCount(shape)` words, used as they are and not copied: zeroed, they are an empty filter; built
 *   elsewhere, they are that filter, here. Left out: fresh and empty.
 * @throws OptionError if no filter has this shape, or `words` is not as long as it says
 * @example
 * const filter = createFilter(filterShape('classic', { expectedCount: 1000, falsePositiveRate: 0.01 }));
 * filter.add('Valjean');
 * filter.mightContain('Valjean'); // true
 */
export function createFilter(shape: FilterShape, words?: Uint32Array): MembershipFilter {
  const checked = checkedShape(shape);
  switch (checked.kind) {
    case 'classic':
      return new ClassicFilter(checked, words);
    case 'partitioned':
      return new PartitionedFilter(checked, words);
    case 'split-block':
      return new SplitBlockFilter(checked, words);
    case 'exact':
      return new ExactFilter(checked, words);
  }
}

/**
 * The filter that `serialize` wrote, on any platform; its words are fresh.
 * @throws FormatError if the bytes are not exactly one whole, undamaged filter of a known version
 */
export function restoreFilter(bytes: Uint8Array): MembershipFilter {
  const { shape, words } = decodeFilter(bytes);
  return createFilter(shape, words);
}
