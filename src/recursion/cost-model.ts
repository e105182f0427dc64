/**
 * What a run will move and derive, before it runs: statistics of the closure → figures of a strategy and filter.
 *
 * Method: a pair whose shortest path has d steps is found in the round that d says, and is joined after that, so that figures
 * are sums over distances. `levels` of a strategy says which distances a round joins. With exact statistics the tuples are
 * those that will be counted; with sampled ones each sample gives an estimate of the same sum. A filter's false positives
 * are an expectation with an interval, as they hang on hash functions.
 *
 * Where only a bound follows from distances, the basis of the estimate says so; where nothing follows, the figure is null.
 */
import { OptionError } from '../errors.js';
import { expectedFalsePositiveRate } from '../filter/index.js';
import { PAIR_BYTES } from '../kernel/pairs.js';
import { closureSettings, type FilterKind, type Strategy } from '../options.js';
import {
  atMost,
  bernsteinReach,
  CONFIDENCE,
  exactly,
  fromSample,
  widened,
  type Estimate,
} from './estimate.js';
import { bloomShape, exactShape } from './filter-shapes.js';
import { SKETCH_ERROR } from './statistics-tasks.js';
import type { ClosureStatistics, ReachSample } from './statistics.js';
import { CHECKPOINT_ROUNDS } from './strategies/systems.js';
import { strategies } from './strategies/index.js';

/** What is to be predicted. */
export interface ClosurePlan {
  readonly strategy: Exclude<Strategy, 'auto'>;
  /** Default: the strategy's own, else `none`. */
  readonly filter?: Exclude<FilterKind, 'auto'>;
  /** Default: 0.01. */
  readonly falsePositiveRate?: number;
  /** At most that of the statistics. Default: theirs. */
  readonly maxDepth?: number;
}

/** Figures of a run as in its report. */
export interface Prediction {
  readonly strategy: Exclude<Strategy, 'auto'>;
  readonly filter: Exclude<FilterKind, 'auto'>;
  /** Rate at which the truth lies in an interval. */
  readonly confidence: number;
  /** Rounds that will be run; null where the statistics do not tell. */
  readonly rounds: Estimate | null;
  readonly pairs: Estimate;
  readonly totals: PredictedFigures;
  readonly filterBits: Estimate;
  /** Of the filter, full as it will be. */
  readonly falsePositiveRate: number;
}

/** null: distances do not tell. */
export interface PredictedFigures {
  readonly delta: Estimate | null;
  readonly derived: Estimate | null;
  readonly joinShuffledTuples: Estimate | null;
  readonly joinShuffledBytes: Estimate | null;
  readonly dedupShuffledTuples: Estimate | null;
  readonly dedupShuffledBytes: Estimate | null;
  readonly tested: Estimate | null;
  readonly pruned: Estimate | null;
  readonly falsePositives: Estimate | null;
  readonly checkpointBytes: Estimate | null;
}

/**
 * The figures of a run of this strategy and filter, in total.
 * @throws OptionError if the statistics do not reach as deep, or for a filter that does not go with the strategy
 */
export function predict(plan: ClosurePlan, statistics: ClosureStatistics): Prediction {
  return new CostModel(plan, checkStatistics(statistics)).prediction();
}

/**
 * The same, round by round: as many as will be run, or as the deepest sample tells.
 * @throws OptionError as `predict`
 */
export function predictRounds(plan: ClosurePlan, statistics: ClosureStatistics): readonly PredictedFigures[] {
  return new CostModel(plan, checkStatistics(statistics)).rounds();
}

const NOTHING = exactly(0);

/** Plain data may come from anywhere. */
function checkStatistics(statistics: ClosureStatistics): ClosureStatistics {
  const given: unknown = statistics;
  if (typeof given === 'object' && given !== null && 'samples' in given && Array.isArray(given.samples))
    return statistics;
  throw new OptionError('predict: expected the statistics that closureStatistics() gives', {
    option: 'statistics',
  });
}

/** Sums over the distances first..last of one sample, weighted; distances count from 1. */
interface DistanceSums {
  pairs(first: number, last: number): number;
  derived(first: number, last: number): number;
  deadEnds(first: number, last: number): number;
  combined(first: number, last: number): number;
}

/** Distances of the pairs that a round joins, and how deep Friend is before it. */
interface JoinedDistances {
  readonly first: number;
  readonly last: number;
  readonly known: number;
}

class CostModel {
  readonly #plan: Required<ClosurePlan>;
  readonly #statistics: ClosureStatistics;
  readonly #samples: readonly DistanceSums[];
  /** Longest shortest path, within the depth. */
  readonly #depth: number;
  readonly #joined: readonly JoinedDistances[] | undefined;
  readonly #filter: PredictedFilter;

  constructor(plan: ClosurePlan, statistics: ClosureStatistics) {
    const { strategy, falsePositiveRate, ...given } = closureSettings(
      plan,
      statistics.partitions,
      [],
      'predict',
    );
    if (strategy === 'auto') {
      throw new OptionError('predict: give the strategy by name, not auto', {
        option: 'strategy',
      });
    }
    const definition = strategies[strategy];
    const filter = given.filter === 'auto' ? (definition.filter ?? 'none') : given.filter;
    if (definition.filter !== undefined && filter !== definition.filter) {
      throw new OptionError(`predict: strategy ${strategy} comes with filter ${definition.filter}`, {
        option: 'filter',
        strategy,
      });
    }
    const reach = statistics.maxDepth ?? Infinity;
    const maxDepth = plan.maxDepth ?? reach;
    if (maxDepth > reach) {
      throw new OptionError(
        `predict: maxDepth is ${maxDepth}, but the statistics reach ${reach} steps; gather them with that depth`,
        { option: 'maxDepth', value: maxDepth },
      );
    }
    if (Number.isFinite(maxDepth) && definition.scope !== 'linear') {
      throw new OptionError(
        `predict: strategy ${strategy} computes a whole closure; gather statistics without maxDepth`,
        { option: 'maxDepth', strategy },
      );
    }
    this.#plan = { strategy, filter, falsePositiveRate, maxDepth };
    this.#statistics = statistics;
    this.#samples = statistics.samples.map(distanceSums);
    const deepest = statistics.samples.reduce((depth, { pairs }) => Math.max(depth, pairs.length), 0);
    this.#depth = Math.min(maxDepth, deepest);
    // What else a filter of a growing relation drops does not follow from distances.
    this.#joined =
      strategy === 'non-linear' && filter !== 'none'
        ? undefined
        : joinedDistances(strategy, this.#depth, maxDepth);
    this.#filter = predictFilter(filter, falsePositiveRate, statistics);
  }

  prediction(): Prediction {
    const { strategy, filter } = this.#plan;
    return {
      strategy,
      filter,
      confidence: CONFIDENCE,
      rounds: this.#roundCount(),
      pairs: this.#sum((sums) => sums.pairs(1, this.#depth)),
      totals: this.#totals(),
      filterBits: this.#filter.bits,
      falsePositiveRate: this.#filter.rate,
    };
  }

  rounds(): readonly PredictedFigures[] {
    return (this.#joined ?? []).map((round) => this.#figures([round]));
  }

  #roundCount(): Estimate | null {
    if (this.#statistics.kind === 'sampled') return null;
    if (strategies[this.#plan.strategy].shape === undefined) return exactly(1);
    return this.#joined === undefined ? null : exactly(this.#joined.length);
  }

  #totals(): PredictedFigures {
    const { through } = this.#statistics;
    const { strategy } = this.#plan;
    if (strategies[strategy].shape === undefined) return DIRECT;
    if (this.#joined === undefined) return UNKNOWN;
    const figures = this.#figures(this.#joined);
    if (strategy !== 'non-linear') return figures;
    // Each two pairs that meet are joined in one round: derived = Σ over z of pairs (x, z) · pairs (z, y).
    const derived = through === null ? null : exactly(through);
    return {
      ...figures,
      derived,
      dedupShuffledTuples: derived === null ? null : atMost(derived),
      dedupShuffledBytes: derived === null ? null : atMost(bytesOf(derived)),
    };
  }

  /** Of some rounds together. */
  #figures(rounds: readonly JoinedDistances[]): PredictedFigures {
    const { strategy, filter } = this.#plan;
    const over =
      (figure: keyof DistanceSums) =>
      (sums: DistanceSums): number =>
        rounds.reduce((total, { first, last }) => total + sums[figure](first, last), 0);
    const delta = this.#sum(over('pairs'));
    const derived = strategy === 'non-linear' ? null : this.#sum(over('derived'));
    const again = this.#readAgain(rounds);
    const filtered = filter !== 'none';
    const passing = this.#reach(rounds);
    const { rate } = this.#filter;
    const shuffled = (sums: DistanceSums): number =>
      over('pairs')(sums) - (filtered ? (1 - rate) * over('deadEnds')(sums) : 0) + again.know;
    const joinShuffledTuples = widened(this.#sum(shuffled), passing);
    const written = this.#sum((sums) => over('combined')(sums) + again.friend(sums));
    // Candidates of pairs of several distances are combined further.
    const dedup = this.#combinesMore(rounds) ? atMost(written) : written;
    const pruned = (sums: DistanceSums): number => (1 - rate) * over('deadEnds')(sums);
    return {
      delta,
      derived,
      joinShuffledTuples,
      joinShuffledBytes: bytesOf(joinShuffledTuples),
      dedupShuffledTuples: derived === null ? null : dedup,
      dedupShuffledBytes: derived === null ? null : bytesOf(dedup),
      tested: filtered ? delta : NOTHING,
      pruned: filtered ? widened(this.#sum(pruned), passing) : NOTHING,
      falsePositives: filtered
        ? widened(
            this.#sum((sums) => rate * over('deadEnds')(sums)),
            passing,
          )
        : NOTHING,
      checkpointBytes: this.#sum((sums) => checkpointed(strategy, rounds, sums)),
    };
  }

  /** What is moved again beside what is joined: Know, and Friend to tell what is new. */
  #readAgain(rounds: readonly JoinedDistances[]): { know: number; friend(sums: DistanceSums): number } {
    if (this.#plan.strategy !== 'hadoop') return { know: 0, friend: () => 0 };
    return {
      know: rounds.length * this.#statistics.tuples,
      friend: (sums) => rounds.reduce((total, { known }) => total + sums.pairs(1, known), 0),
    };
  }

  /** How far false positives may lie from their expectation. */
  #reach(rounds: readonly JoinedDistances[]): number {
    const { deadEndSquares, deadEndMost } = this.#statistics;
    // A pair that is joined in several rounds counts as often.
    const often = rounds.reduce(
      (most, { first, last }) => Math.max(most, rounds.length * Number(last > first)),
      1,
    );
    return bernsteinReach(this.#filter.rate, deadEndSquares * often ** 2, deadEndMost * often);
  }

  #combinesMore(rounds: readonly JoinedDistances[]): boolean {
    return rounds.some(({ first, last }) => last > first);
  }

  #sum(of: (sums: DistanceSums) => number): Estimate {
    const estimate = fromSample(this.#samples.map(of));
    // Kinds of sources of which none was drawn: at most 3/n of all, 95 times of 100; sketches err there as elsewhere.
    const unseen = this.#statistics.kind === 'exact' ? 0 : (3 / this.#samples.length) * SKETCH_ERROR;
    return widened(estimate, unseen * estimate.value);
  }
}

interface PredictedFilter {
  readonly bits: Estimate;
  /** False-positive rate, full. */
  readonly rate: number;
}

/** As it would be built of the relations: see `buildFilter`. */
function predictFilter(
  kind: Exclude<FilterKind, 'auto'>,
  falsePositiveRate: number,
  { vertices, sources, joinKeys, deadEnds }: ClosureStatistics,
): PredictedFilter {
  switch (kind) {
    case 'none':
      return { bits: NOTHING, rate: 0 };
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

/** Which distances each round joins; undefined: distances do not tell. */
function joinedDistances(
  strategy: ClosurePlan['strategy'],
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

function checkpointed(
  strategy: ClosurePlan['strategy'],
  rounds: readonly JoinedDistances[],
  sums: DistanceSums,
): number {
  if (strategy !== 'pregel') return 0;
  return rounds
    .filter(({ last }) => last % CHECKPOINT_ROUNDS === 0)
    .reduce((bytes, { last }) => bytes + sums.pairs(1, last + 1) * PAIR_BYTES, 0);
}

function distanceSums(sample: ReachSample): DistanceSums {
  const over = (levels: readonly number[]) => {
    const prefix = [0];
    for (const [i, count] of levels.entries()) prefix.push((prefix[i] as number) + count * sample.weight);
    const upTo = (distance: number): number => prefix[Math.min(distance, levels.length)] as number;
    return (first: number, last: number): number => upTo(last) - upTo(first - 1);
  };
  return {
    pairs: over(sample.pairs),
    derived: over(sample.derived),
    deadEnds: over(sample.deadEnds),
    combined: over(sample.combined),
  };
}

function bytesOf({ value, low, high, basis }: Estimate): Estimate {
  return { value: value * PAIR_BYTES, low: low * PAIR_BYTES, high: high * PAIR_BYTES, basis };
}

/** One task on a bit matrix: nothing is moved. */
const DIRECT: PredictedFigures = {
  delta: null,
  derived: null,
  joinShuffledTuples: NOTHING,
  joinShuffledBytes: NOTHING,
  dedupShuffledTuples: NOTHING,
  dedupShuffledBytes: NOTHING,
  tested: NOTHING,
  pruned: NOTHING,
  falsePositives: NOTHING,
  checkpointBytes: NOTHING,
};

const UNKNOWN: PredictedFigures = {
  delta: null,
  derived: null,
  joinShuffledTuples: null,
  joinShuffledBytes: null,
  dedupShuffledTuples: null,
  dedupShuffledBytes: null,
  tested: null,
  pruned: null,
  falsePositives: null,
  checkpointBytes: null,
};
