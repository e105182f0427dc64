/**
 * What a strategy is written against: the relational operators of a round over encoded, partitioned pairs, each counted as
 * it runs. `StagedRounds` makes every operator an ordinary stage; a barrier stage can take its place.
 */
import type { Range } from '../memory/range.js';
import type { AdjacencyRef, PairRun } from './pair-run.js';
import type { RoundReport } from './report.js';

/** Runs of pairs, by partition. */
export type PartitionedPairs = readonly (readonly PairRun[])[];

/** A relation of pairs, by partition of the first element. Duplicates may be in it where that is not excluded. */
export interface Relation {
  readonly runs: PartitionedPairs;
  /** Given back by `release`; none if somebody else owns the runs. */
  readonly ranges: readonly Range[];
}

/** A relation without duplicates that stays put, to be joined with by its first element. */
export interface StepRelation {
  readonly adjacency: readonly AdjacencyRef[];
  readonly tupleCount: number;
  readonly ranges: readonly Range[];
}

export interface Rounds {
  /** Pairs found so far. */
  readonly pairs: number;
  readonly know: StepRelation;
  /** All of Friend so far. */
  friend(): Relation;
  /** What the last `add` found that was not known before; at first, the base. */
  delta(): Relation;
  /** Friend without `delta`. */
  older(): Relation;
  /** candidate(x, y) ← left(x, z), right(z, y), over the join exchange; duplicates are combined within each task. */
  join(left: Relation | StepRelation, right: StepRelation): Promise<Relation>;
  /** Adds what is new among candidates to Friend, over the duplicate-elimination exchange; releases them. */
  add(...candidates: readonly Relation[]): Promise<void>;
  /** The relation that stays put; duplicates are dropped. Nothing moves: pairs lie by their first element. */
  index(...relations: readonly (Relation | StepRelation)[]): Promise<StepRelation>;
  /** product(x, y) ← left(x, z), right(z, y), duplicates eliminated. */
  product(left: StepRelation, right: StepRelation): Promise<StepRelation>;
  release(relation: { readonly ranges: readonly Range[] }): void;
  /** Reads Know from its source again, and moves it to where it is joined. */
  rereadKnow(): Promise<void>;
  /** Forgets which pairs are known: the next `add` reads all of Friend again, moved by an exchange where that is said. */
  rereadFriend(options: { readonly shuffled: boolean }): Promise<void>;
  /** Copies Friend and delta, so that a run could go on from here; the copy before goes. */
  checkpoint(): Promise<void>;
  /** Closes Friend by a direct method on a bit matrix. @throws MemoryBudgetError if vertices² bits do not fit */
  close(method: 'warshall' | 'warren'): Promise<void>;
  /** Runs `body` as one round. What its operators did is in the report. */
  round(body: () => Promise<void>): Promise<RoundReport>;
}

/** Runs rounds until nothing new appears or `maxRounds` were run; yields each one's figures. `body` hears its number, from 1. */
export async function* untilNothingNew(
  rounds: Rounds,
  body: (round: number) => Promise<void>,
  maxRounds = Infinity,
): AsyncGenerator<RoundReport, void> {
  for (let round = 1, fresh = rounds.pairs; round <= maxRounds && fresh > 0; round++) {
    const report = await rounds.round(() => body(round));
    yield report;
    fresh = report.fresh;
  }
}
