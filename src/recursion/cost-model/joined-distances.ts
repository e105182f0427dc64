/** Rounds of a strategy as distances: which pairs each round joins, by the length of their shortest paths. */
import { PAIR_BYTES } from '../../kernel/pairs.js';
import type { Strategy } from '../../options.js';
import type { ReachSample } from './statistics.js';
import { CHECKPOINT_ROUNDS } from '../strategies/systems.js';

/** Sums over the distances first..last of one sample, weighted; distances count from 1. */
export interface DistanceSums {
  pairs(first: number, last: number): number;
  derived(first: number, last: number): number;
  deadEnds(first: number, last: number): number;
  combined(first: number, last: number): number;
}

/** Distances of the pairs that a round joins, and how deep Friend is before it. */
export interface JoinedDistances {
  readonly first: number;
  readonly last: number;
  readonly known: number;
}

/** Which distances each round joins; undefined: distances do not tell. */
export function joinedDistances(
  strategy: Exclude<Strategy, 'auto'>,
  depth: number,
  maxDepth: number,
): readonly JoinedDistances[] | undefined {
  // The last round finds nothing, unless the depth ends the run before it.
  const steps = depth === maxDepth ? depth - 1 : depth;
  switch (strategy) {
    case 'naive':
      return Array.from({ length: steps }, (_, i) => ({ first: 1, last: i + 1, known: i + 1 }));
    case 'semi-naive':
    case 'hadoop':
    case 'haloop':
    case 'pregel':
    case 'spark':
    case 'spark+ibf':
      return Array.from({ length: steps }, (_, i) => ({ first: i + 1, last: i + 1, known: i + 1 }));
    case 'non-linear':
      // Round r joins what has at most 2^(r−1) steps: the delta forwards, what is older backwards.
      return Array.from({ length: depth === 0 ? 0 : Math.ceil(Math.log2(depth)) + 1 }, (_, i) => {
        const known = Math.min(depth, 2 ** i);
        return { first: 1, last: known, known };
      });
    case 'look-ahead':
    case 'smart':
    case 'minimal':
    case 'warshall':
    case 'warren':
      return undefined;
  }
}

export function checkpointed(
  strategy: Exclude<Strategy, 'auto'>,
  rounds: readonly JoinedDistances[],
  sums: DistanceSums,
): number {
  if (strategy !== 'pregel') return 0;
  return rounds
    .filter(({ last }) => last % CHECKPOINT_ROUNDS === 0)
    .reduce((bytes, { last }) => bytes + sums.pairs(1, last + 1) * PAIR_BYTES, 0);
}

/** `deadEndPairs`: in place of those of the sample. */
export function distanceSums(sample: ReachSample, deadEndPairs: readonly number[] | null): DistanceSums {
  const over = (levels: readonly number[], weight = sample.weight) => {
    const prefix = [0];
    for (const [i, count] of levels.entries()) prefix.push((prefix[i] as number) + count * weight);
    const upTo = (distance: number): number => prefix[Math.min(distance, levels.length)] as number;
    return (first: number, last: number): number => upTo(last) - upTo(first - 1);
  };
  return {
    pairs: over(sample.pairs),
    derived: over(sample.derived),
    deadEnds: deadEndPairs === null ? over(sample.deadEnds) : over(deadEndPairs, 1),
    combined: over(sample.combined),
  };
}
