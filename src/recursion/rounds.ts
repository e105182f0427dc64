/**
 * What a strategy is written against: the relational operators of a round over encoded, partitioned pairs, each counted as
 * it runs. Here every operator is an ordinary stage (`StagedRounds`); a barrier stage can take their place.
 */
import { sameRange } from '../memory/range.js';
import type { ClosureSettings } from '../options.js';
import type { ProcedureScope } from '../plan/lineage.js';
import type { TaskResult, TaskSpec } from '../plan/task.js';
import type { FilterRef } from './filter-build.js';
import type { KnownState } from './known-pairs.js';
import type { LoadedRelations } from './load.js';
import { pairCount, type AdjacencyRef, type PairRun } from './pair-run.js';
import type { RoundReport } from './report.js';
import type { EliminateValue, ExchangeValue, JoinValue } from './round-tasks.js';

/** A relation of pairs, by partition. */
export type PartitionedPairs = readonly (readonly PairRun[])[];

export interface Rounds {
  /** Pairs found so far. */
  readonly pairs: number;
  /** All of Friend so far. */
  friend(): PartitionedPairs;
  /** What the last step found that was not known before; at first, the base. */
  delta(): PartitionedPairs;
  /**
   * One step: joins `delta` with Know over the join exchange, and adds what is new to Friend over the
   * duplicate-elimination exchange.
   */
  step(delta: PartitionedPairs): Promise<RoundReport>;
}

const ROUND_TASKS = new URL('./round-tasks.js', import.meta.url).href;

export class StagedRounds implements Rounds {
  readonly #scope: ProcedureScope;
  readonly #settings: ClosureSettings;
  readonly #relations: LoadedRelations;
  readonly #filter: FilterRef | undefined;
  /** By partition of the result, then by round. */
  readonly #history: PairRun[][];
  readonly #known: (KnownState | undefined)[];
  #delta: PartitionedPairs = [];
  #pairs = 0;
  #round = 0;

  private constructor(
    scope: ProcedureScope,
    settings: ClosureSettings,
    relations: LoadedRelations,
    filter: FilterRef | undefined,
  ) {
    this.#scope = scope;
    this.#settings = settings;
    this.#relations = relations;
    this.#filter = filter;
    this.#history = relations.base.map(() => []);
    this.#known = relations.base.map(() => undefined);
  }

  /** Starts with the base, its duplicates eliminated. */
  static async start(
    scope: ProcedureScope,
    settings: ClosureSettings,
    relations: LoadedRelations,
    filter: FilterRef | undefined,
  ): Promise<StagedRounds> {
    const rounds = new StagedRounds(scope, settings, relations, filter);
    await rounds.#eliminate(relations.base);
    return rounds;
  }

  get pairs(): number {
    return this.#pairs;
  }

  friend(): PartitionedPairs {
    return this.#history;
  }

  delta(): PartitionedPairs {
    return this.#delta;
  }

  async step(delta: PartitionedPairs): Promise<RoundReport> {
    const started = performance.now();
    // Counted now: naive's delta is Friend itself, which the step extends.
    const deltaCount = delta.reduce((sum, runs) => sum + pairCount(runs), 0);
    const exchanged = await this.#exchange(delta);
    const exchangeDone = performance.now();
    const joined = await this.#join(exchanged.byKey);
    this.#releaseAll(exchanged.results);
    const joinDone = performance.now();
    const before = this.#pairs;
    await this.#eliminate(joined.bySource);
    this.#releaseAll(joined.results);
    const finished = performance.now();
    const fresh = this.#pairs - before;
    const joinShuffledTuples = exchanged.byKey.reduce((sum, runs) => sum + pairCount(runs), 0);
    const dedupShuffledTuples = joined.bySource.reduce((sum, runs) => sum + pairCount(runs), 0);
    this.#round += 1;
    return {
      round: this.#round,
      pairs: this.#pairs,
      delta: deltaCount,
      derived: joined.derived,
      duplicates: joined.derived - fresh,
      fresh,
      joinShuffledTuples,
      joinShuffledBytes: bytesOf(exchanged.byKey),
      dedupShuffledTuples,
      dedupShuffledBytes: bytesOf(joined.bySource),
      tested: exchanged.tested,
      pruned: exchanged.pruned,
      falsePositives: this.#filter === undefined ? 0 : joined.unmatched,
      ms: finished - started,
      exchangeMs: exchangeDone - started,
      joinMs: joinDone - exchangeDone,
      dedupMs: finished - joinDone,
    };
  }

  async #exchange(delta: PartitionedPairs): Promise<{
    byKey: PairRun[][];
    tested: number;
    pruned: number;
    results: readonly TaskResult[];
  }> {
    const { partitions: partitionCount } = this.#settings;
    const tasks = delta.flatMap((runs, partition) => {
      const weight = pairCount(runs);
      if (weight === 0) return [];
      return [task('exchange', partition, weight, { delta: runs, filter: this.#filter, partitionCount })];
    });
    const results = await this.#scope.runStage('join exchange', tasks);
    const values = results.map((result) => result.value as ExchangeValue);
    return {
      byKey: transpose(
        values.map((value) => value.runs),
        partitionCount,
      ),
      tested: values.reduce((sum, value) => sum + value.tested, 0),
      pruned: values.reduce((sum, value) => sum + value.pruned, 0),
      results,
    };
  }

  async #join(byKey: PartitionedPairs): Promise<{
    bySource: PairRun[][];
    derived: number;
    unmatched: number;
    results: readonly TaskResult[];
  }> {
    const { partitions: partitionCount } = this.#settings;
    const { know, vertexCount, edges } = this.#relations;
    const degree = 1 + edges / Math.max(1, vertexCount);
    const tasks = byKey.flatMap((delta, partition) => {
      const weight = pairCount(delta);
      if (weight === 0) return [];
      const args = { delta, know: know[partition] as AdjacencyRef, vertexCount, partitionCount };
      return [task('join', partition, weight * degree, args)];
    });
    const results = await this.#scope.runStage('join', tasks);
    const values = results.map((result) => result.value as JoinValue);
    return {
      bySource: transpose(
        values.map((value) => value.runs),
        partitionCount,
      ),
      derived: values.reduce((sum, value) => sum + value.derived, 0),
      unmatched: values.reduce((sum, value) => sum + value.unmatched, 0),
      results,
    };
  }

  /** Adds candidates to Friend; what is new becomes the delta. */
  async #eliminate(candidates: PartitionedPairs): Promise<void> {
    const { partitions: stride } = this.#settings;
    const shape = { vertexCount: this.#relations.vertexCount, stride };
    const partitions = candidates.flatMap((runs, partition) => (pairCount(runs) === 0 ? [] : [partition]));
    const tasks = partitions.map((partition) => {
      const runs = candidates[partition] ?? [];
      const args = { candidates: runs, shape, known: this.#known[partition], history: [] };
      return {
        ...task('eliminate', partition, pairCount(runs), args),
        retryArgs: () => ({ ...args, known: undefined, history: [...(this.#history[partition] ?? [])] }),
      };
    });
    const results = await this.#scope.runStage('duplicate elimination', tasks);
    const delta: PairRun[][] = this.#history.map(() => []);
    for (const [i, result] of results.entries()) {
      const partition = partitions[i] as number;
      const { fresh, known } = result.value as EliminateValue;
      const previous = this.#known[partition];
      if (previous !== undefined && !sameRange(previous.range, known.range)) {
        this.#scope.release({ ranges: [previous.range] });
      }
      this.#known[partition] = known;
      if (fresh.count === 0) {
        this.#scope.release({ ranges: [fresh.range] });
        continue;
      }
      this.#scope.keep({ ranges: [fresh.range] });
      delta[partition]?.push(fresh);
      this.#history[partition]?.push(fresh);
      this.#pairs += fresh.count;
    }
    this.#delta = delta;
  }

  #releaseAll(results: readonly TaskResult[]): void {
    for (const result of results) this.#scope.release(result);
  }
}

function task(exportName: string, partition: number, weight: number, args: unknown): TaskSpec {
  return { url: ROUND_TASKS, exportName, args, functions: [], partition, weight };
}

/** By writer, then by reader → by reader, in the order of writers. */
function transpose(written: readonly (readonly PairRun[])[], readerCount: number): PairRun[][] {
  return Array.from({ length: readerCount }, (_, reader) =>
    written.flatMap((runs) => {
      const run = runs[reader];
      return run === undefined || run.count === 0 ? [] : [run];
    }),
  );
}

/** Bytes of the runs as they were written. */
function bytesOf(written: PartitionedPairs): number {
  return written.reduce((sum, runs) => sum + runs.reduce((bytes, run) => bytes + run.range.length, 0), 0);
}
