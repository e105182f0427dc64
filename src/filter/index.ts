/**
 * Filters that say which keys can still join: no false negatives, false positives at a known rate. Published as
 * `rejoin/filters`; which filter when, the formulas and the serialised form are in docs/filters.md.
 */
export { createFilter, restoreFilter } from './create-filter.js';
export { expectedFalsePositiveRate, filterCapacity } from './expected-rates.js';
export {
  filterShape,
  wordCount,
  type ClassicOptions,
  type ExactOptions,
  type FilterRequest,
  type FilterShape,
  type MembershipFilterKind,
  type PartitionedOptions,
  type SizeByBits,
  type SizeByRate,
  type SplitBlockOptions,
} from './filter-shape.js';
export type { MembershipFilter, MembershipProbe } from './membership-filter.js';
export {
  intersectionFilter,
  type IntersectionFilter,
  type IntersectionOptions,
  type IntersectionVariant,
} from './intersection-filter.js';
export type { IntersectionSide } from './intersection-side.js';
export {
  differenceFilter,
  type DifferenceFilter,
  type SplitIds,
  type SplitKeys,
} from './difference-filter.js';
export { countingFilter, type CountingFilter } from './counting-filter.js';
export { spectralFilter, type SpectralFilter } from './spectral-filter.js';
export { countMinSketch, type CountMinSketch } from './count-min-sketch.js';
export { restoreCounters } from './restore-counters.js';
export type {
  CounterBits,
  CounterKind,
  CounterShape,
  CountersSize,
  CounterUpdate,
  CountingOptions,
  CountMinOptions,
  SpectralOptions,
} from './counter-shape.js';
export { countMinError, countMinSize } from './count-min-sizing.js';
export {
  bloomBitCount,
  bloomCapacity,
  bloomFalseOverlapRate,
  bloomFalsePositiveRate,
  bloomHashCount,
  bloomSize,
  minimumBitCount,
} from './bloom-sizing.js';
export {
  partitionedFalseOverlapRate,
  partitionedFalsePositiveRate,
  partitionedSize,
} from './partitioned-sizing.js';
export { splitBlockCount, splitBlockFalsePositiveRate } from './split-block-sizing.js';
export { hashBytes, hashKey, hashString, mixU32, type FilterKey } from './hash.js';
