/** How large the filters of a recursion are: the same rule for those that are built and those that are predicted. */
import { filterShape, type FilterShape } from '../filter/index.js';

/** Rates below which a split-block filter needs far more bits than a classic one: 26 a key at 1e-4 instead of 19. */
const SPLIT_BLOCK_MIN_RATE = 1e-3;

/** The faster kind of Bloom filter where it needs few more bits, else the smaller one. */
export function bloomShape(expectedCount: number, falsePositiveRate: number): FilterShape {
  return falsePositiveRate < SPLIT_BLOCK_MIN_RATE
    ? filterShape('classic', { expectedCount, falsePositiveRate })
    : filterShape('split-block', { expectedCount, falsePositiveRate });
}

/** An exact bitmap over all ids. */
export function exactShape(vertexCount: number): FilterShape {
  return filterShape('exact', { capacity: vertexCount });
}
