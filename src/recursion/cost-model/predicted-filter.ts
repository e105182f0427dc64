/** How large a filter will be and how often it will err, before it is built. */
import { expectedFalsePositiveRate } from '../../filter/index.js';
import type { FilterKind } from '../../options.js';
import { bernsteinReach, exactly, type Estimate } from './estimate.js';
import { bloomShape, exactShape } from '../filter-shapes.js';
import type { ClosureStatistics } from './statistics.js';

export interface PredictedFilter {
  readonly bits: Estimate;
  /** False-positive rate, full. */
  readonly rate: number;
}

/** As it would be built of the relations: see `buildFilter`. */
export function predictFilter(
  kind: Exclude<FilterKind, 'auto'>,
  falsePositiveRate: number,
  { vertices, sources, joinKeys, deadEnds }: ClosureStatistics,
): PredictedFilter {
  switch (kind) {
    case 'none':
      return { bits: exactly(0), rate: 0 };
    case 'exact':
      return { bits: exactly(exactShape(vertices).bitCount), rate: 0 };
    case 'bloom': {
      const shape = bloomShape(sources, falsePositiveRate);
      return { bits: exactly(shape.bitCount), rate: expectedFalsePositiveRate(shape, sources) };
    }
    case 'intersection': {
      const common = joinKeys - deadEnds;
      const firstPass = expectedFalsePositiveRate(bloomShape(joinKeys, falsePositiveRate), joinKeys);
      // Sources that no tuple ends at, but that the first pass lets through.
      const others = sources - common;
      const reach = bernsteinReach(firstPass, others, others === 0 ? 0 : 1);
      const count = common + firstPass * others;
      const bits = (keys: number): number => bloomShape(Math.round(keys), falsePositiveRate).bitCount;
      const shape = bloomShape(Math.round(count), falsePositiveRate);
      return {
        bits: {
          value: shape.bitCount,
          low: bits(Math.max(common, count - reach)),
          high: bits(Math.min(sources, count + reach)),
          basis: others === 0 ? 'exact' : 'interval',
        },
        rate: expectedFalsePositiveRate(shape, Math.round(count)),
      };
    }
  }
}
