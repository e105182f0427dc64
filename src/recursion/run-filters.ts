/**
 * The filters of one run: which one goes before which join. Know's is built once; the one of another relation, from both
 * sides of its join, for that join.
 */
import type { ProcedureScope } from '../plan/lineage.js';
import type { TaskResult } from '../plan/task.js';
import type { BuiltFilter, FilterRef, JoinKeyStatistics } from './filter-build.js';
import { FilterSwitch } from './filter-switch.js';
import { pairCount } from './pair-run.js';
import type { Plan } from './planner.js';
import type { RunReport } from './report.js';
import type { PartitionedPairs, StepRelation } from './rounds.js';
import type { RunRecord } from './run-record.js';
import type { JoinFilter } from './staged-rounds.js';

const FILTER_TASKS = new URL('./filter-build.js', import.meta.url).href;

export class RunFilters {
  readonly #scope: ProcedureScope;
  readonly #falsePositiveRate: number;
  readonly #vertexCount: number;
  readonly #record: RunRecord;
  #kind: RunReport['filter'] = 'none';
  #know: StepRelation | undefined;
  #ofKnow: FilterRef | undefined;
  #switch: FilterSwitch | undefined;

  constructor(scope: ProcedureScope, falsePositiveRate: number, vertexCount: number, record: RunRecord) {
    this.#scope = scope;
    this.#falsePositiveRate = falsePositiveRate;
    this.#vertexCount = vertexCount;
    this.#record = record;
  }

  /** Decides for the run, and builds the filter of joins with Know. */
  async choose(
    plan: Plan,
    know: StepRelation,
    base: PartitionedPairs,
    statistics: JoinKeyStatistics,
  ): Promise<void> {
    this.#kind = plan.filter;
    this.#know = know;
    if (plan.filter === 'none') return;
    // Not a join's to release: it lives as long as the run.
    this.#ofKnow = (await this.#build(know, base, true, statistics)).value.filter;
    if (plan.prunableShare === undefined) return;
    this.#switch = new FilterSwitch(plan.prunableShare);
    this.#record.switches(this.#switch.notes);
  }

  async filterFor(
    round: number,
    left: PartitionedPairs,
    right: StepRelation,
  ): Promise<JoinFilter | undefined> {
    if (this.#kind === 'none') return undefined;
    if (right !== this.#know || this.#ofKnow === undefined) {
      const { value, ranges } = await this.#build(right, left, false, await this.#keysOf(right, left));
      return { filter: value.filter, probing: 'all', ranges, observe: () => undefined };
    }
    const tupleCount = left.reduce((sum, runs) => sum + pairCount(runs), 0);
    return {
      filter: this.#ofKnow,
      probing: this.#switch?.next(tupleCount) ?? 'all',
      ranges: [],
      observe: (counts) => this.#switch?.observe(round, counts),
    };
  }

  async #keysOf(right: StepRelation, left: PartitionedPairs): Promise<JoinKeyStatistics> {
    const args = { invariant: false };
    const { value } = await this.#run<JoinKeyStatistics>(
      'joinKeyStatistics',
      'join key statistics',
      right,
      left,
      args,
    );
    return value;
  }

  async #build(
    right: StepRelation,
    left: PartitionedPairs,
    invariant: boolean,
    statistics: JoinKeyStatistics,
  ): Promise<TaskResult<BuiltFilter>> {
    const kind = this.#kind;
    const result = await this.#run<BuiltFilter>('buildFilter', `${kind} filter`, right, left, {
      invariant,
      kind,
      falsePositiveRate: this.#falsePositiveRate,
      statistics,
    });
    this.#record.built(result.value);
    return result;
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
