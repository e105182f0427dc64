/**
 * What users hold: a lazy, partitioned dataset. Transformations return at once and only add to the lineage; actions return
 * promises and run it. Names and semantics are Spark's. Rows are whatever `docs/values-and-keys.md` allows; functions run
 * on the worker threads and are shipped as `docs/functions.md` says.
 */
import type { AnyFunction, Environment, Shippable } from '../exec/function/module-function.js';
import { OptionError } from '../errors.js';
import { checkObject, checkPartitions } from '../options.js';
import { explainNode } from '../plan/explain.js';
import type { PlanNode } from '../plan/lineage.js';
import { hashPartitioner, partitionersEqual, type Partitioner } from '../plan/partitioner.js';
import type { FunctionOp, Step } from '../plan/pipeline.js';
import type { ShippedFunction } from '../plan/shipped-function.js';
import type { PartialRunReport, RunReport } from '../recursion/report.js';
import type { ClosureStatistics } from '../recursion/cost-model/statistics.js';
import * as actions from './actions.js';
import type { ActionOptions } from './actions.js';
import { gatherClosureStatistics, type ClosureStatisticsOptions } from './closure-statistics.js';
import { closureNode, type Recursion, type RecursionOptions } from './closure-node.js';
import type { Session } from './session.js';

/** For operations on pairs: other rows are a compile-time error that names what is missing. */
type Pairs<T> = T extends readonly [unknown, unknown] ? unknown : NeedsPairs;
interface NeedsPairs {
  readonly 'rows must be pairs: [key, value]': never;
}
/** Any row; makes the compiler infer [key, value] for a function that returns an array of two. */
type Row = [unknown, unknown] | NonNullable<unknown> | null | undefined;
/** The key and the value of rows that are pairs. */
type KeyOf<T> = T extends readonly [infer K, unknown] ? K : never;
type ValueOf<T> = T extends readonly [unknown, infer V] ? V : never;

/** Options of `transitiveClosure`. */
export interface TransitiveClosureOptions<K> extends RecursionOptions<K> {
  /** The relation to start from instead of Know: Friend(x, y) ← base(x, y). */
  readonly base?: Rdd<[K, K]> | undefined;
}

export class Rdd<T> {
  /** @internal */
  readonly session: Session;
  /** @internal */
  readonly node: PlanNode;

  /** @internal Datasets come from a context or from other datasets. */
  constructor(session: Session, node: PlanNode) {
    this.session = session;
    this.node = node;
  }

  /** How many partitions the dataset has. */
  get partitionCount(): number {
    return this.node.partitionCount;
  }

  /** How keys are spread over partitions, where that is known. */
  get partitioner(): Partitioner | undefined {
    return this.node.partitioner;
  }

  // Narrow transformations: partition by partition, no shuffle.

  /** One row for each row. Drops the partitioner. */
  map<U extends Row>(fn: Shippable<(row: T) => U>, environment?: Environment): Rdd<U> {
    return this.#narrow('map', fn, environment, false);
  }

  /** Any number of rows for each row: `fn` returns an iterable, read lazily. Drops the partitioner. */
  flatMap<U extends Row>(fn: Shippable<(row: T) => Iterable<U>>, environment?: Environment): Rdd<U> {
    return this.#narrow('flatMap', fn, environment, false);
  }

  /** The rows for which `fn` gives something truthy. Keeps the partitioner. */
  filter(fn: Shippable<(row: T) => unknown>, environment?: Environment): Rdd<T> {
    return this.#narrow('filter', fn, environment, true);
  }

  /** One call for each partition: an iterable of its rows → an iterable of rows. Drops the partitioner. */
  mapPartitions<U extends Row>(
    fn: Shippable<(rows: Iterable<T>) => Iterable<U>>,
    environment?: Environment,
  ): Rdd<U> {
    return this.#narrow('mapPartitions', fn, environment, false);
  }

  /** row → [fn(row), row]. */
  keyBy<K>(fn: Shippable<(row: T) => K>, environment?: Environment): Rdd<[K, T]> {
    return this.#narrow('keyBy', fn, environment, false);
  }

  /** [k, v] → [k, fn(v)]. Keeps the partitioner. */
  mapValues<U>(
    this: Rdd<T> & Pairs<T>,
    fn: Shippable<(value: ValueOf<T>) => U>,
    environment?: Environment,
  ): Rdd<[KeyOf<T>, U]> {
    return this.#narrow('mapValues', fn, environment, true);
  }

  /** The first elements of pairs. */
  keys(this: Rdd<T> & Pairs<T>): Rdd<KeyOf<T>> {
    return this.#step({ op: 'keys' }, 'keys', false);
  }

  /** The second elements of pairs. */
  values(this: Rdd<T> & Pairs<T>): Rdd<ValueOf<T>> {
    return this.#step({ op: 'values' }, 'values', false);
  }

  /** All rows of both, duplicates kept: this dataset's partitions, then the other's. */
  union(other: Rdd<T>): Rdd<T> {
    return this.#derive(this.session.lineage.union([this.node, this.#own(other, 'union')]));
  }

  // Wide transformations: rows go to other partitions over a shuffle.

  /** Each distinct row once; rows are compared by value (`docs/values-and-keys.md`). */
  distinct(partitions?: number): Rdd<T> {
    const combine: Step = { op: 'distinct' };
    const spread = this.session.lineage.shuffled(this.node, 'distinct', {
      key: 'row',
      partitionCount: this.#partitions(partitions, 'distinct'),
      mapSteps: [combine],
    });
    return this.#derive<T>(spread).#step(combine, 'distinct', false, 'of each partition');
  }

  /** The same rows dealt out evenly over `partitions` partitions, in the same order on every run. */
  repartition(partitions: number): Rdd<T> {
    const partitionCount = checkPartitions(partitions, 'repartition');
    return this.#derive(
      this.session.lineage.shuffled(this.node, 'repartition', { key: 'none', partitionCount }),
    );
  }

  /** Pairs spread by key. Already so spread: the dataset itself. */
  partitionBy(this: Rdd<T> & Pairs<T>, partitioner: number | Partitioner): Rdd<T> {
    return this.#spread(
      typeof partitioner === 'number' ? partitioner : partitioner.partitionCount,
      'partitionBy',
    );
  }

  /** [k, v], [k, w], … → [k, fn(fn(v, w), …)]; combined before the shuffle as well. `fn` must be associative. */
  reduceByKey(
    this: Rdd<T> & Pairs<T>,
    fn: Shippable<(a: ValueOf<T>, b: ValueOf<T>) => ValueOf<T>>,
    environment?: Environment,
    partitions?: number,
  ): Rdd<[KeyOf<T>, ValueOf<T>]> {
    const step: Step = { op: 'combineByKey', fn: this.#ship(fn, environment, 'reduceByKey') };
    return this.#spread(partitions, 'reduceByKey', [step]).#step(step, 'reduceByKey', true);
  }

  /** [k, v], [k, w], … → [k, [v, w, …]]; not combined before the shuffle, as in Spark: prefer `reduceByKey`. */
  groupByKey(this: Rdd<T> & Pairs<T>, partitions?: number): Rdd<[KeyOf<T>, ValueOf<T>[]]> {
    return this.#spread(partitions, 'groupByKey').#step({ op: 'groupByKey' }, 'groupByKey', true);
  }

  /** [k, v] and [k, w] → [k, [[v…], [w…]]] for each key of either. Equally partitioned datasets are not shuffled. */
  cogroup<W>(
    this: Rdd<T> & Pairs<T>,
    other: Rdd<[KeyOf<T>, W]>,
    partitions?: number,
  ): Rdd<[KeyOf<T>, [ValueOf<T>[], W[]]]> {
    return this.#cogroup(this.#own(other, 'cogroup'), 'cogroup', partitions);
  }

  /** [k, v] and [k, w] → [k, [v, w]] for all combinations. Equally partitioned datasets are not shuffled. */
  join<W>(
    this: Rdd<T> & Pairs<T>,
    other: Rdd<[KeyOf<T>, W]>,
    partitions?: number,
  ): Rdd<[KeyOf<T>, [ValueOf<T>, W]]> {
    return this.#cogroup(this.#own(other, 'join'), 'join', partitions).#step(
      { op: 'joinPairs' },
      'join',
      true,
    );
  }

  /** The rows, duplicates kept, that are not in the other dataset; compared by value. */
  subtract(other: Rdd<T>, partitions?: number): Rdd<T> {
    const marked = this.#step({ op: 'pairWithNull' }, 'subtract', false, 'rows as keys');
    const others = this.#derive(this.#own(other, 'subtract')).#step(
      { op: 'pairWithNull' },
      'subtract',
      false,
      'rows as keys',
    );
    return marked
      .#cogroup<T>(others.node, 'cogroup', partitions)
      .#step({ op: 'leftOnly' }, 'subtract', false);
  }

  /**
   * All (x, y) with a path of one or more pairs from x to y:
   * Friend(x, y) ← Know(x, y); Friend(x, y) ← Friend(x, z) ⋈ Know(z, y). (x, x) is in it exactly when x lies on a cycle.
   * Distinct rows, ordered by partition, then by first appearance of x, then of y, in the input.
   * @throws OptionError
   */
  transitiveClosure(
    this: Rdd<T> & Pairs<T>,
    options: TransitiveClosureOptions<KeyOf<T>> = {},
  ): RecursiveRdd<KeyOf<T> | ValueOf<T>> {
    checkObject(options, 'transitiveClosure');
    const { base, ...rest } = options;
    const baseNode = base === undefined ? undefined : this.#own(base, 'transitiveClosure: base');
    const { node, recursion } = closureNode(this.session, this.node, baseNode, rest);
    return new RecursiveRdd<KeyOf<T> | ValueOf<T>>(this.session, node, recursion);
  }

  // Storage.

  /** Keeps each partition in shared memory once an action has computed it. Returns this dataset. */
  cache(): this {
    this.session.engine.store.cache(this.node.id);
    return this;
  }

  /** Forgets what `cache` kept; running jobs are not disturbed. Returns this dataset. */
  unpersist(): this {
    this.session.engine.store.unpersist(this.node.id);
    return this;
  }

  // Actions.

  /**
   * Statistics of the transitive closure of these pairs, for `predict`: exact, by a search from every source, or with `sample`
   * estimated from a few. Does not keep the closure. Rejects with an `OptionError`.
   */
  async closureStatistics(
    this: Rdd<T> & Pairs<T>,
    options: ClosureStatisticsOptions = {},
  ): Promise<ClosureStatistics> {
    checkObject(options, 'closureStatistics');
    return gatherClosureStatistics(this.session, this.node, options);
  }

  /** All rows, in partition order. */
  async collect(options: ActionOptions = {}): Promise<T[]> {
    return (await actions.collectRows(this.session.engine, this.node, options)) as T[];
  }

  /** How many rows there are; recursive results and cached partitions are not decoded for it. */
  count(options: ActionOptions = {}): Promise<number> {
    return actions.countRows(this.session.engine, this.node, options);
  }

  /** The first `limit` rows in partition order; computes no more partitions than it needs. */
  async take(limit: number, options: ActionOptions = {}): Promise<T[]> {
    if (!Number.isSafeInteger(limit) || limit < 0) {
      throw new OptionError(`take: expected a whole number of rows, got ${String(limit)}`, {
        option: 'limit',
      });
    }
    return (await actions.takeRows(this.session.engine, this.node, limit, options)) as T[];
  }

  /** The first row. @throws StateError if there is none. */
  async first(options: ActionOptions = {}): Promise<T> {
    return actions.firstRow(await this.take(1, options));
  }

  /** fn(fn(row, row), …) over all rows in partition order. `fn` must be associative. @throws StateError without rows. */
  async reduce(
    fn: Shippable<(a: T, b: T) => T>,
    environment?: Environment,
    options: ActionOptions = {},
  ): Promise<T> {
    const shipped = this.#ship(fn, environment, 'reduce');
    return (await actions.reduceRows(this.session.engine, this.node, shipped, options)) as T;
  }

  /** Calls `fn` with each row, on the worker threads, for its effects there. */
  async foreach(
    fn: Shippable<(row: T) => unknown>,
    environment?: Environment,
    options: ActionOptions = {},
  ): Promise<void> {
    await actions.foreachRow(this.session.engine, this.node, this.#ship(fn, environment, 'foreach'), options);
  }

  /** How often each key occurs; keys in order of first appearance, compared by value. */
  async countByKey(this: Rdd<T> & Pairs<T>, options: ActionOptions = {}): Promise<Map<KeyOf<T>, number>> {
    return (await actions.countRowsByKey(this.session.engine, this.node, options)) as Map<KeyOf<T>, number>;
  }

  /** The values under a key; with a known partitioner only one partition is computed. */
  async lookup(this: Rdd<T> & Pairs<T>, key: KeyOf<T>, options: ActionOptions = {}): Promise<ValueOf<T>[]> {
    return (await actions.lookupKey(this.session.engine, this.node, key, options)) as ValueOf<T>[];
  }

  /** Arrays of rows in order, a partition at a time; the next is computed while the caller works on one. */
  async *batches(options: ActionOptions = {}): AsyncGenerator<T[], void, void> {
    for await (const rows of actions.rowBatches(this.session.engine, this.node, options)) yield rows as T[];
  }

  /** The rows in order, holding a few partitions at a time. Leaving the loop early releases everything. */
  async *toLocalIterator(options: ActionOptions = {}): AsyncGenerator<T, void, void> {
    for await (const rows of this.batches(options)) yield* rows;
  }

  /** The rows in order: `for await (const row of rdd)`. */
  [Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    return this.toLocalIterator();
  }

  /** Lineage, stages and exchanges as text. */
  explain(): string {
    return explainNode(this.node, (nodeId) => this.session.engine.store.isCached(nodeId));
  }

  #derive<U>(node: PlanNode): Rdd<U> {
    return new Rdd<U>(this.session, node);
  }

  #step<U>(step: Step, operation: string, keepsPartitioner: boolean, detail = ''): Rdd<U> {
    return this.#derive(
      this.session.lineage.narrow(this.node, operation, step, { keepsPartitioner, detail }),
    );
  }

  #narrow<U>(
    op: FunctionOp,
    fn: unknown,
    environment: Environment | undefined,
    keepsPartitioner: boolean,
  ): Rdd<U> {
    const shipped = this.#ship(fn as Shippable<AnyFunction>, environment, op);
    const detail = shipped.kind === 'module' ? `${shipped.exportName} of ${shipped.url}` : '';
    return this.#step({ op, fn: shipped }, op, keepsPartitioner, detail);
  }

  #ship(
    fn: Shippable<AnyFunction>,
    environment: Environment | undefined,
    operation: string,
  ): ShippedFunction {
    return this.session.shipper.ship(fn, environment, operation);
  }

  #partitions(given: number | undefined, where: string): number {
    return given === undefined
      ? Math.min(this.node.partitionCount, this.session.engine.settings.partitions)
      : checkPartitions(given, where);
  }

  /** Shuffled by key, unless it is already spread so. */
  #spread(partitions: number | undefined, operation: string, mapSteps: readonly Step[] = []): Rdd<T> {
    const partitionCount =
      partitions === undefined && this.partitioner !== undefined
        ? this.partitioner.partitionCount
        : this.#partitions(partitions, operation);
    if (partitionersEqual(this.partitioner, hashPartitioner(partitionCount))) return this.#derive(this.node);
    return this.#derive(
      this.session.lineage.shuffled(this.node, operation, { key: 'first', partitionCount, mapSteps }),
    );
  }

  /** Without a count given: as the larger partitioner at hand, else as many as the larger parent, at most the default. */
  #cogroup<U>(other: PlanNode, operation: string, partitions: number | undefined): Rdd<U> {
    const known = [this.node.partitioner, other.partitioner].filter(
      (partitioner) => partitioner !== undefined,
    );
    const partitionCount =
      partitions !== undefined
        ? checkPartitions(partitions, operation)
        : known.length > 0
          ? Math.max(...known.map((partitioner) => partitioner.partitionCount))
          : Math.min(
              Math.max(this.node.partitionCount, other.partitionCount),
              this.session.engine.settings.partitions,
            );
    const partitioner = hashPartitioner(partitionCount);
    return this.#derive(this.session.lineage.cogroup([this.node, other], 'cogroup', partitioner));
  }

  /** The node of another dataset of the same context. */
  #own(other: unknown, operation: string): PlanNode {
    if (!(other instanceof Rdd)) throw new OptionError(`${operation}: expected a dataset`, { operation });
    if (other.session === this.session) return other.node;
    throw new OptionError(`${operation}: both datasets must come from the same context`, { operation });
  }
}

/** The result of a recursion: a dataset like any other, which can also say how it was computed. */
export class RecursiveRdd<K> extends Rdd<[K, K]> {
  readonly #recursion: Recursion;

  /** @internal */
  constructor(session: Session, node: PlanNode, recursion: Recursion) {
    super(session, node);
    this.#recursion = recursion;
  }

  /** Figures of the latest finished run, round by round and in total. Rejects with a `StateError` if none has finished. */
  report(): Promise<RunReport> {
    return Promise.resolve().then(() => this.#recursion.report());
  }

  /**
   * Figures of the latest run as far as it has come: also while it goes on, or after it was stopped. `complete` tells the
   * two apart. Rejects with a `StateError` if none was started.
   */
  partialReport(): Promise<RunReport | PartialRunReport> {
    return Promise.resolve().then(() => this.#recursion.partialReport());
  }
}
