/**
 * Evaluation strategies, each in a file whose body reads as its definition.
 *
 *   Friend(x, y) ← Know(x, y)
 *   Friend(x, y) ← Friend(x, z) ⋈ Know(z, y)
 */
import type { Strategy } from '../../options.js';
import { warren, warshall } from './direct.js';
import { lookAhead } from './look-ahead.js';
import { minimal } from './minimal.js';
import { naive } from './naive.js';
import { nonLinear } from './non-linear.js';
import { semiNaive } from './semi-naive.js';
import { smart } from './smart.js';
import type { StrategyDefinition } from './strategy.js';
import { hadoop, haloop, pregel } from './systems.js';

const deltaWithKnow = { left: 'delta', right: 'Know' };

export const strategies: Readonly<Record<Exclude<Strategy, 'auto'>, StrategyDefinition>> = {
  naive: {
    body: naive,
    scope: 'linear',
    shape: { left: 'Friend', right: 'Know' },
    summary: 'joins all of Friend every round',
  },
  'semi-naive': { body: semiNaive, scope: 'linear', shape: deltaWithKnow, summary: 'joins each tuple once' },
  'look-ahead': { body: lookAhead, scope: 'linear', shape: deltaWithKnow, summary: 'two steps a round' },
  smart: {
    body: smart,
    scope: 'doubling',
    shape: { left: 'Friend', right: 'a power of Know' },
    summary: 'joins Friend with powers of Know: 1, 2, 4, …',
  },
  minimal: {
    body: minimal,
    scope: 'doubling',
    shape: { left: 'Friend', right: 'powers of Know' },
    summary: 'joins Friend with powers of Know: 1, 3, 9, …',
  },
  'non-linear': {
    body: nonLinear,
    scope: 'closure',
    shape: { left: 'delta and Friend', right: 'Friend and delta' },
    summary: 'joins Friend with itself',
  },
  warshall: {
    body: warshall,
    scope: 'closure',
    shape: undefined,
    filter: 'none',
    summary: 'one pass over a bit matrix',
  },
  warren: {
    body: warren,
    scope: 'closure',
    shape: undefined,
    filter: 'none',
    summary: 'two passes over a bit matrix',
  },
  hadoop: {
    body: hadoop,
    scope: 'linear',
    shape: deltaWithKnow,
    filter: 'none',
    summary: 'nothing is cached between rounds',
  },
  haloop: {
    body: haloop,
    scope: 'linear',
    shape: deltaWithKnow,
    filter: 'none',
    summary: 'caches are read again every round',
  },
  pregel: {
    body: pregel,
    scope: 'linear',
    shape: deltaWithKnow,
    filter: 'none',
    summary: 'supersteps with checkpoints',
  },
  spark: {
    body: semiNaive,
    scope: 'linear',
    shape: deltaWithKnow,
    filter: 'none',
    summary: 'semi-naive, Know cached, no filter',
  },
  'spark+ibf': {
    body: semiNaive,
    scope: 'linear',
    shape: deltaWithKnow,
    filter: 'intersection',
    summary: 'semi-naive, Know cached, an intersection filter before the join exchange',
  },
};
