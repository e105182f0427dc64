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
import { OptionError } from '../../errors.js';
import { PAIR_BYTES } from '../../kernel/pairs.js';
import { closureSettings } from '../../options.js';
import {
  atMost,
  bernsteinReach,
  CONFIDENCE,
  exactly,
  fromSample,
  widened,
  type Estimate,
} from './estimate.js';
import {
  checkpointed,
  distanceSums,
  joinedDistances,
  type DistanceSums,
  type JoinedDistances,
} from './joined-distances.js';
import type { ClosurePlan, PredictedFigures, Prediction } from './prediction.js';
import { predictFilter, type PredictedFilter } from './predicted-filter.js';
import { SKETCH_ERROR } from './statistics-tasks.js';
import type { ClosureStatistics } from './statistics.js';
import { strategies } from '../strategies/index.js';

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
    this.#samples = statistics.samples.map((sample) => distanceSums(sample, statistics.deadEndPairs));
    const deepest = statistics.samples.reduce(
      (depth, { pairs }) => Math.max(depth, pairs.length),
      statistics.deadEndPairs?.length ?? 0,
    );
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
