/**
 * The operators of a round, each as ordinary stages: one task a partition, results in the order of partitions.
 *
 * Hazard: known pairs are updated in place. They are a cache of the fresh runs so far: where they were lost with a thread,
 * or were forgotten, they are built again from those.
 */
import { MemoryBudgetError } from '../errors.js';
import { sameRange, type Range } from '../memory/range.js';
import type { ProcedureScope } from '../plan/lineage.js';
import type { TaskResult, TaskSpec } from '../plan/task.js';
import type { DirectMethod, DirectValue } from './direct-tasks.js';
import type { FilterRef } from './filter-build.js';
import type { ProbeCounts, Probing } from './filter-switch.js';
import type { KnownState } from './known-pairs.js';
import { pairCount, type AdjacencyRef, type PairRun } from './pair-run.js';
import type { RoundReport } from './report.js';
import { RoundFigures } from './round-figures.js';
import type { EliminateValue, ExchangeArgs, ExchangeValue, JoinValue } from './round-tasks.js';
import type { PartitionedPairs, Relation, Rounds, StepRelation } from './rounds.js';

const ROUND_TASKS = new URL('./round-tasks.js', import.meta.url).href;
const RELATION_TASKS = new URL('./relation-tasks.js', import.meta.url).href;
const DIRECT_TASKS = new URL('./direct-tasks.js', import.meta.url).href;

/** What rounds start from. */
export interface RoundsStart {
  readonly partitionCount: number;
  /** Ids are below. */
  readonly vertexCount: number;
  readonly know: StepRelation;
  /** Duplicates may be in it. Taken over. */
  readonly base: Relation;
}

/** The filter of one join. */
export interface JoinFilter {
  readonly filter: FilterRef;
  readonly probing: Probing;
  /** Given back after the join. */
  readonly ranges: readonly Range[];
  /** Told what the probes said. */
  observe(counts: ProbeCounts): void;
}

/** What rounds ask of the run that they belong to. */
export interface RoundsSource {
  /** The filter before joins with `right`: of Know's, for any left side; of another's, for this one. Undefined: none. */
  filterFor(round: number, left: PartitionedPairs, right: StepRelation): Promise<JoinFilter | undefined>;
  /** Know, read and partitioned again. */
  readKnow(): Promise<StepRelation & { readonly shuffled: PartitionedPairs }>;
}

export class StagedRounds implements Rounds {
  readonly #scope: ProcedureScope;
  readonly #source: RoundsSource;
  readonly #partitionCount: number;
  readonly #vertexCount: number;
  /** By partition, then in the order of `add`. */
  readonly #history: PairRun[][];
  /** What holds the history. */
  readonly #ranges: Range[] = [];
  readonly #known: (KnownState | undefined)[];
  /** Friend as it was moved to be read again; undefined: where it lies. */
  #reread: Relation | undefined;
  #know: StepRelation;
  #delta: PartitionedPairs;
  #checkpoint: readonly Range[] = [];
  #figures = new RoundFigures();
  #pairs = 0;
  #round = 0;

  private constructor(scope: ProcedureScope, source: RoundsSource, start: RoundsStart) {
    this.#scope = scope;
    this.#source = source;
    this.#partitionCount = start.partitionCount;
    this.#vertexCount = start.vertexCount;
    this.#know = start.know;
    this.#history = start.base.runs.map(() => []);
    this.#known = start.base.runs.map(() => undefined);
    this.#delta = this.#history;
  }

  /** Starts with the base, its duplicates eliminated. */
  static async start(scope: ProcedureScope, source: RoundsSource, start: RoundsStart): Promise<StagedRounds> {
    const rounds = new StagedRounds(scope, source, start);
    await rounds.add(start.base);
    return rounds;
  }

  get pairs(): number {
    return this.#pairs;
  }

  get know(): StepRelation {
    return this.#know;
  }

  friend(): Relation {
    // A copy: `add` extends the lists while a round still reads them.
    return { runs: this.#history.map((runs) => [...runs]), ranges: [] };
  }

  delta(): Relation {
    return { runs: this.#delta, ranges: [] };
  }

  older(): Relation {
    const runs = this.#history.map((all, partition) => {
      const fresh = this.#delta[partition] ?? [];
      return all.slice(0, all.length - fresh.length);
    });
    return { runs, ranges: [] };
  }

  async join(left: Relation | StepRelation, right: StepRelation): Promise<Relation> {
    const listed = 'adjacency' in left ? await this.#list(left) : left;
    const filter = await this.#source.filterFor(this.#round + 1, listed.runs, right);
    const exchanged = await this.#figures.timed('exchangeMs', () => this.#exchange(listed.runs, filter));
    if (listed !== left) this.release(listed);
    if (filter !== undefined) this.release(filter);
    const candidates = await this.#figures.timed('joinMs', () =>
      this.#join(exchanged.runs, right, filter?.probing === 'all'),
    );
    this.release(exchanged);
    return candidates;
  }

  async add(...candidates: readonly Relation[]): Promise<void> {
    const merged = merge(candidates, this.#partitionCount);
    await this.#figures.timed('dedupMs', () => this.#addNew(merged));
    for (const relation of candidates) this.release(relation);
  }

  async index(...relations: readonly (Relation | StepRelation)[]): Promise<StepRelation> {
    const listed: Relation[] = [];
    for (const relation of relations)
      listed.push('adjacency' in relation ? await this.#list(relation) : relation);
    const runs = merge(listed, this.#partitionCount);
    const { vertexCount, partitionCount } = this.#shape();
    const tasks = runs.map((mine, partition) =>
      relationTask('buildAdjacency', partition, pairCount(mine), { runs: mine, vertexCount, partitionCount }),
    );
    const results = await this.#scope.runStage('index', tasks);
    for (const [i, relation] of listed.entries()) if (relation !== relations[i]) this.release(relation);
    const adjacency = results.map((result) => result.value as AdjacencyRef);
    return {
      adjacency,
      tupleCount: adjacency.reduce((sum, { edgeCount }) => sum + edgeCount, 0),
      ranges: results.flatMap(({ ranges }) => ranges),
    };
  }

  async product(left: StepRelation, right: StepRelation): Promise<StepRelation> {
    const candidates = await this.join(left, right);
    this.#count('dedup', candidates.runs);
    // Duplicates of different tasks meet in one partition, where the index drops them.
    const product = await this.#figures.timed('dedupMs', () => this.index(candidates));
    this.release(candidates);
    return product;
  }

  release(relation: { readonly ranges: readonly Range[] }): void {
    this.#scope.release(relation);
  }

  async rereadKnow(): Promise<void> {
    this.release(this.#know);
    await this.#figures.timed('exchangeMs', async () => {
      const know = await this.#source.readKnow();
      this.#count('join', know.shuffled);
      this.#know = know;
    });
  }

  async rereadFriend({ shuffled }: { readonly shuffled: boolean }): Promise<void> {
    this.#forgetKnown();
    if (!shuffled) return;
    this.#reread = await this.#figures.timed('dedupMs', () =>
      this.#spread('exchange of Friend', this.#history, 0, undefined),
    );
    this.#count('dedup', this.#reread.runs);
  }

  async checkpoint(): Promise<void> {
    const tasks = this.#history.map((runs, partition) =>
      task('copyRuns', partition, pairCount(runs), { runs }),
    );
    const results = await this.#scope.runStage('checkpoint', tasks);
    this.release({ ranges: this.#checkpoint });
    this.#checkpoint = results.flatMap(({ ranges }) => ranges);
    this.#figures.add(
      'checkpointBytes',
      this.#checkpoint.reduce((sum, { length }) => sum + length, 0),
    );
  }

  async close(method: DirectMethod): Promise<void> {
    const { vertexCount, partitionCount } = this.#shape();
    const args = { method, runs: this.#history.flat(), vertexCount, partitionCount };
    const [result] = await this.#figures
      .timed('joinMs', () =>
        this.#scope.runStage(method, [
          {
            url: DIRECT_TASKS,
            exportName: 'closeMatrix',
            args,
            functions: [],
            partition: 0,
            weight: vertexCount ** 2 / 32,
          },
        ]),
      )
      .catch((error: unknown) => {
        throw error instanceof MemoryBudgetError
          ? new MemoryBudgetError(
              `${method} needs a bit matrix of ${vertexCount} × ${vertexCount} bits, which does not fit: ${error.message}. ` +
                'Raise the memory budget, or use another strategy, such as semi-naive',
              { ...error.details, strategy: method, vertices: vertexCount },
            )
          : error;
      });
    const { joined, derived, runs } = result?.value as DirectValue;
    this.#figures.add('delta', joined);
    this.#figures.add('derived', derived);
    this.#ranges.push(...(result?.ranges ?? []));
    this.#delta = runs.map((run) => (run.count === 0 ? [] : [run]));
    this.#extend(this.#delta);
  }

  async round(body: () => Promise<void>): Promise<RoundReport> {
    this.#figures = new RoundFigures();
    const before = this.#pairs;
    await body();
    this.#round += 1;
    return this.#figures.report(this.#round, before, this.#pairs);
  }

  /**
   * Friend, when all rounds are done, and what holds it. `swapped`: of pairs (y, x) that lie by y, each is moved to where x
   * belongs.
   */
  async result({ swapped }: { readonly swapped: boolean }): Promise<Relation> {
    const friend = { runs: this.#history, ranges: this.#ranges };
    if (!swapped) return friend;
    this.#forgetKnown();
    const moved = await this.#spread('result exchange', this.#history, 1, undefined);
    this.release(friend);
    return moved;
  }

  #shape(): { readonly vertexCount: number; readonly partitionCount: number } {
    return { vertexCount: this.#vertexCount, partitionCount: this.#partitionCount };
  }

  async #exchange(left: PartitionedPairs, filter: JoinFilter | undefined): Promise<Relation> {
    this.#figures.add(
      'delta',
      left.reduce((sum, runs) => sum + pairCount(runs), 0),
    );
    const exchanged = await this.#spread('join exchange', left, 1, filter);
    this.#count('join', exchanged.runs);
    return exchanged;
  }

  #forgetKnown(): void {
    for (const [partition, known] of this.#known.entries()) {
      if (known !== undefined) this.release({ ranges: [known.range] });
      this.#known[partition] = undefined;
    }
  }

  /** Moves pairs to the partition of their first or second element. */
  async #spread(
    name: string,
    relation: PartitionedPairs,
    column: 0 | 1,
    filter: JoinFilter | undefined,
  ): Promise<Relation> {
    const { partitionCount } = this.#shape();
    const probing = filter?.probing ?? 'none';
    const tasks = nonEmpty(relation, (runs, partition, weight) => {
      const args: ExchangeArgs = { runs, column, filter: filter?.filter, probing, partitionCount };
      return task('exchange', partition, weight, args);
    });
    const results = await this.#scope.runStage(name, tasks);
    const values = results.map((result) => result.value as ExchangeValue);
    const tested = values.reduce((sum, value) => sum + value.tested, 0);
    const prunable = values.reduce((sum, value) => sum + value.prunable, 0);
    this.#figures.add('tested', tested);
    this.#figures.add(
      'pruned',
      values.reduce((sum, value) => sum + value.pruned, 0),
    );
    this.#figures.probed(probing);
    filter?.observe({ tested, prunable });
    return { runs: transpose(values, partitionCount), ranges: rangesOf(results) };
  }

  async #join(left: PartitionedPairs, right: StepRelation, filtered: boolean): Promise<Relation> {
    const { vertexCount, partitionCount } = this.#shape();
    const degree = 1 + right.tupleCount / Math.max(1, vertexCount);
    const tasks = nonEmpty(left, (delta, partition, weight) => {
      const args = { delta, know: right.adjacency[partition] as AdjacencyRef, vertexCount, partitionCount };
      return task('join', partition, weight * degree, args);
    });
    const results = await this.#scope.runStage('join', tasks);
    const values = results.map((result) => result.value as JoinValue);
    for (const { derived, unmatched } of values) {
      this.#figures.add('derived', derived);
      if (filtered) this.#figures.add('falsePositives', unmatched);
    }
    return { runs: transpose(values, partitionCount), ranges: rangesOf(results) };
  }

  /** Adds candidates to Friend; what is new becomes the delta. */
  async #addNew(candidates: PartitionedPairs): Promise<void> {
    this.#count('dedup', candidates);
    const { vertexCount, partitionCount: stride } = this.#shape();
    const partitions: number[] = [];
    const tasks = nonEmpty(candidates, (runs, partition, weight) => {
      partitions.push(partition);
      const shape = { vertexCount, stride };
      const known = this.#known[partition];
      // Not copied: it grows only after the stage.
      const all = this.#history[partition] ?? [];
      const reread = this.#reread?.runs[partition] ?? all;
      const args = { candidates: runs, shape, known, history: known === undefined ? reread : [] };
      return {
        ...task('eliminate', partition, weight + pairCount(args.history), args),
        retryArgs: () => ({ ...args, known: undefined, history: all }),
      };
    });
    const results = await this.#scope.runStage('duplicate elimination', tasks);
    if (this.#reread !== undefined) this.release(this.#reread);
    this.#reread = undefined;
    const delta: PairRun[][] = this.#history.map(() => []);
    for (const [i, result] of results.entries()) {
      const partition = partitions[i] as number;
      const { fresh, known } = result.value as EliminateValue;
      const previous = this.#known[partition];
      if (previous !== undefined && !sameRange(previous.range, known.range))
        this.release({ ranges: [previous.range] });
      this.#known[partition] = known;
      if (fresh.count === 0) {
        this.release({ ranges: [fresh.range] });
        continue;
      }
      this.#ranges.push(fresh.range);
      delta[partition]?.push(fresh);
    }
    this.#delta = delta;
    this.#extend(delta);
  }

  #extend(fresh: PartitionedPairs): void {
    for (const [partition, runs] of fresh.entries()) {
      this.#history[partition]?.push(...runs);
      this.#pairs += pairCount(runs);
    }
  }

  /** The pairs of what stays put, where it lies. */
  async #list(relation: StepRelation): Promise<Relation> {
    const { partitionCount } = this.#shape();
    const tasks = relation.adjacency.map((adjacency, partition) =>
      relationTask('listAdjacency', partition, adjacency.edgeCount, { adjacency, partition, partitionCount }),
    );
    const results = await this.#scope.runStage('list', tasks);
    return { runs: results.map((result) => [result.value as PairRun]), ranges: rangesOf(results) };
  }

  #count(exchange: 'join' | 'dedup', written: PartitionedPairs): void {
    for (const runs of written) {
      this.#figures.add(`${exchange}ShuffledTuples`, pairCount(runs));
      this.#figures.add(
        `${exchange}ShuffledBytes`,
        runs.reduce((sum, { range }) => sum + range.length, 0),
      );
    }
  }
}

function task(exportName: string, partition: number, weight: number, args: unknown): TaskSpec {
  return { url: ROUND_TASKS, exportName, args, functions: [], partition, weight };
}

function relationTask(exportName: string, partition: number, weight: number, args: unknown): TaskSpec {
  return { ...task(exportName, partition, weight, args), url: RELATION_TASKS };
}

/** A task for each partition that has pairs. */
function nonEmpty(
  relation: PartitionedPairs,
  taskOf: (runs: readonly PairRun[], partition: number, weight: number) => TaskSpec,
): TaskSpec[] {
  return relation.flatMap((runs, partition) => {
    const weight = pairCount(runs);
    return weight === 0 ? [] : [taskOf(runs, partition, weight)];
  });
}

/** By writer, then by reader → by reader, in the order of writers. */
function transpose(
  written: readonly { readonly runs: readonly PairRun[] }[],
  readerCount: number,
): PairRun[][] {
  return Array.from({ length: readerCount }, (_, reader) =>
    written.flatMap(({ runs }) => {
      const run = runs[reader];
      return run === undefined || run.count === 0 ? [] : [run];
    }),
  );
}

function merge(relations: readonly Relation[], partitionCount: number): PartitionedPairs {
  if (relations.length === 1) return relations[0]?.runs ?? [];
  return Array.from({ length: partitionCount }, (_, partition) =>
    relations.flatMap(({ runs }) => runs[partition] ?? []),
  );
}

function rangesOf(results: readonly TaskResult[]): readonly Range[] {
  return results.flatMap(({ ranges }) => ranges);
}
