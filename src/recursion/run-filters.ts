/**
 * The filters of one run: which one goes before which join. Know's is built once; the one of another relation, from both
 * sides of its join, for that join.
 */
import type { ProcedureScope } from '../plan/lineage.js';
import type { TaskResult } from '../plan/task.js';
import type { BuiltFilter, JoinKeyStatistics } from './filter-build.js';
import { pairCount } from './pair-run.js';
import type { RunReport } from './report.js';
import type { PartitionedPairs, StepRelation } from './rounds.js';
import type { RunRecord } from './run-record.js';
import type { OwnedFilter } from './staged-rounds.js';

const FILTER_TASKS = new URL('./filter-build.js', import.meta.url).href;

export class RunFilters {
  readonly #scope: ProcedureScope;
  readonly #falsePositiveRate: number;
  readonly #vertexCount: number;
  readonly #record: RunRecord;
  #kind: RunReport['filter'] = 'none';
  #know: StepRelation | undefined;
  #ofKnow: OwnedFilter | undefined;

  constructor(scope: ProcedureScope, falsePositiveRate: number, vertexCount: number, record: RunRecord) {
    this.#scope = scope;
    this.#falsePositiveRate = falsePositiveRate;
    this.#vertexCount = vertexCount;
    this.#record = record;
  }

  /** `invariant`: the keys of every round, not only those of `left`. */
  async statistics(
    right: StepRelation,
    left: PartitionedPairs,
    invariant: boolean,
  ): Promise<JoinKeyStatistics> {
    const result = await this.#run<JoinKeyStatistics>(
      'joinKeyStatistics',
      'join key statistics',
      right,
      left,
      {
        invariant,
      },
    );
    return result.value;
  }

  /** Decides for the run, and builds the filter of joins with Know. */
  async choose(
    kind: RunReport['filter'],
    know: StepRelation,
    base: PartitionedPairs,
    statistics: JoinKeyStatistics,
  ): Promise<void> {
    this.#kind = kind;
    this.#know = know;
    if (kind === 'none') return;
    const { filter } = await this.#build(know, base, true, statistics);
    // Not the join's to release: it lives as long as the run.
    this.#ofKnow = { filter, ranges: [] };
  }

  async filterFor(left: PartitionedPairs, right: StepRelation): Promise<OwnedFilter | undefined> {
    if (this.#kind === 'none') return undefined;
    if (right === this.#know) return this.#ofKnow;
    return this.#build(right, left, false, await this.statistics(right, left, false));
  }

  async #build(
    right: StepRelation,
    left: PartitionedPairs,
    invariant: boolean,
    statistics: JoinKeyStatistics,
  ): Promise<OwnedFilter> {
    const kind = this.#kind;
    const result = await this.#run<BuiltFilter>('buildFilter', `${kind} filter`, right, left, {
      invariant,
      kind,
      falsePositiveRate: this.#falsePositiveRate,
      statistics,
    });
    this.#record.built(result.value);
    return { filter: result.value.filter, ranges: result.ranges };
  }

  async #run<V>(
    exportName: string,
    name: string,
    right: StepRelation,
    left: PartitionedPairs,
    args: object,
  ): Promise<TaskResult<V>> {
    const weight = right.tupleCount + left.reduce((sum, runs) => sum + pairCount(runs), this.#vertexCount);
    const [result] = await this.#scope.runStage(name, [
      {
        url: FILTER_TASKS,
        exportName,
        args: { know: right.adjacency, base: left, vertexCount: this.#vertexCount, ...args },
        functions: [],
        partition: 0,
        weight,
      },
    ]);
    return result as TaskResult<V>;
  }
}
