/**
 * Lineage: the immutable graph of datasets. A node answers three questions: which partitions, which parents, and how one
 * partition is computed from them. Nodes hold no data; `exec/` runs them.
 *
 *   narrow      one parent, one step, partition by partition
 *   union       partitions of all parents one after another
 *   shuffled    one parent, spread anew by key
 *   cogroup     several parents grouped by key, each either in place (equal partitioner) or over a shuffle
 *   procedure   prepared by the driver (a source, a recursion), then read partition by partition
 */
import { List } from 'immutable';
import type { Block } from '../column/block.js';
import type { Range } from '../memory/range.js';
import { hashPartitioner, partitionersEqual, type Partitioner } from './partitioner.js';
import type { ShuffleKey, Source, Step } from './pipeline.js';
import type { TaskResult, TaskSpec } from './task.js';

export interface ShuffleDependency {
  readonly kind: 'shuffle';
  readonly shuffleId: number;
  readonly parent: PlanNode;
  readonly key: ShuffleKey;
  readonly partitionCount: number;
  /** Steps run on the map side before rows are written: combining. */
  readonly mapSteps: List<Step>;
}

interface NarrowDependency {
  readonly kind: 'narrow';
  readonly parent: PlanNode;
}

export type Dependency = NarrowDependency | ShuffleDependency;

interface NodeBase {
  readonly id: number;
  /** The operation as the user called it. */
  readonly operation: string;
  /** What `explain()` adds to it. */
  readonly detail: string;
  readonly partitionCount: number;
  readonly partitioner: Partitioner | undefined;
}

export interface NarrowNode extends NodeBase {
  readonly kind: 'narrow';
  readonly parent: PlanNode;
  readonly step: Step;
}

export interface UnionNode extends NodeBase {
  readonly kind: 'union';
  readonly parents: List<PlanNode>;
}

export interface ShuffledNode extends NodeBase {
  readonly kind: 'shuffled';
  readonly dependency: ShuffleDependency;
}

export interface CogroupNode extends NodeBase {
  readonly kind: 'cogroup';
  readonly dependencies: List<Dependency>;
}

export interface ProcedureNode extends NodeBase {
  readonly kind: 'procedure';
  readonly parents: List<PlanNode>;
  /** Whether `cache()` keeps what `materialize` made (a recursion) or the rows that are read from it (a file). */
  readonly cacheAs: 'materialized' | 'rows';
  /** Run on the driver at most once per job. */
  materialize(scope: ProcedureScope): Promise<Materialized>;
  /** Lines for `explain()`: the procedure's own stages and exchanges. */
  describe(): readonly string[];
}

export type PlanNode = NarrowNode | UnionNode | ShuffledNode | CogroupNode | ProcedureNode;

/** What a procedure prepared. Its ranges were `keep`-ed and live as long as it does. */
export interface Materialized {
  source(partition: number): Source;
  /** Told on the driver what the reader of a source returned, once for each task that read it to the end. */
  onNote?(note: unknown): void;
}

/** What a procedure may use of the job that it runs in. */
export interface ProcedureScope {
  /** Runs `body`; the signal ends it, and with it the job. */
  abortedBy<T>(signal: AbortSignal | undefined, body: () => Promise<T>): Promise<T>;
  readonly threads: number;
  /** Most bytes held at once since the job began. */
  readonly peakBytes: () => number;
  /** Makes ranges of a stage's results part of what is materialised. All others go when the procedure ends. */
  keep(result: { readonly ranges: TaskResult['ranges'] }): void;
  /** Releases ranges of a stage's results now. */
  release(result: { readonly ranges: TaskResult['ranges'] }): void;
  /** Rows given on the driver, encoded into a block that goes when the procedure ends, unless kept. */
  writeRows(rows: readonly unknown[]): Block;
  /** The same for plain bytes. */
  writeBytes(bytes: Uint8Array): Range;
  /** One task a partition of a parent: its rows go into the sink, a module's export with plain arguments. */
  runParent(
    parent: PlanNode,
    sink: {
      readonly name: string;
      readonly url: string;
      readonly exportName: string;
      readonly args: Readonly<Record<string, unknown>>;
    },
  ): Promise<readonly TaskResult[]>;
  /** One stage of tasks; results in the order of tasks. Rejects with the first failure, everything released. */
  runStage(name: string, tasks: readonly TaskSpec[]): Promise<readonly TaskResult[]>;
}

/** Gives nodes and shuffles of one context their ids, in the order of calls. */
export class Lineage {
  #nextNodeId = 0;
  #nextShuffleId = 0;

  narrow(
    parent: PlanNode,
    operation: string,
    step: Step,
    options: { readonly keepsPartitioner: boolean; readonly detail?: string },
  ): NarrowNode {
    return Object.freeze({
      kind: 'narrow',
      id: this.#nextNodeId++,
      operation,
      detail: options.detail ?? '',
      partitionCount: parent.partitionCount,
      partitioner: options.keepsPartitioner ? parent.partitioner : undefined,
      parent,
      step,
    });
  }

  union(parents: readonly PlanNode[]): UnionNode {
    return Object.freeze({
      kind: 'union',
      id: this.#nextNodeId++,
      operation: 'union',
      detail: '',
      partitionCount: parents.reduce((sum, parent) => sum + parent.partitionCount, 0),
      partitioner: undefined,
      parents: List(parents),
    });
  }

  shuffled(
    parent: PlanNode,
    operation: string,
    options: {
      readonly key: ShuffleKey;
      readonly partitionCount: number;
      readonly mapSteps?: readonly Step[];
    },
  ): ShuffledNode {
    const { key, partitionCount, mapSteps = [] } = options;
    return Object.freeze({
      kind: 'shuffled',
      id: this.#nextNodeId++,
      operation,
      detail: '',
      partitionCount,
      partitioner: key === 'first' ? hashPartitioner(partitionCount) : undefined,
      dependency: this.#shuffle(parent, key, partitionCount, mapSteps),
    });
  }

  /** Parents that already have the partitioner are read in place; the others are shuffled. */
  cogroup(parents: readonly PlanNode[], operation: string, partitioner: Partitioner): CogroupNode {
    return Object.freeze({
      kind: 'cogroup',
      id: this.#nextNodeId++,
      operation,
      detail: '',
      partitionCount: partitioner.partitionCount,
      partitioner,
      dependencies: List(
        parents.map((parent) =>
          partitionersEqual(parent.partitioner, partitioner)
            ? ({ kind: 'narrow', parent } as const)
            : this.#shuffle(parent, 'first', partitioner.partitionCount, []),
        ),
      ),
    });
  }

  procedure(
    operation: string,
    options: Pick<ProcedureNode, 'partitionCount' | 'cacheAs' | 'materialize' | 'detail'> & {
      readonly parents?: readonly PlanNode[];
      readonly describe?: () => readonly string[];
    },
  ): ProcedureNode {
    return Object.freeze({
      kind: 'procedure',
      id: this.#nextNodeId++,
      operation,
      detail: options.detail,
      partitionCount: options.partitionCount,
      partitioner: undefined,
      parents: List(options.parents ?? []),
      cacheAs: options.cacheAs,
      materialize: options.materialize,
      describe: options.describe ?? (() => []),
    });
  }

  #shuffle(
    parent: PlanNode,
    key: ShuffleKey,
    partitionCount: number,
    mapSteps: readonly Step[],
  ): ShuffleDependency {
    return Object.freeze({
      kind: 'shuffle',
      shuffleId: this.#nextShuffleId++,
      parent,
      key,
      partitionCount,
      mapSteps: List(mapSteps),
    });
  }
}

/** A node's dependencies, in order. A procedure reads its parents by stages of its own. */
export function dependenciesOf(node: PlanNode): List<Dependency> {
  switch (node.kind) {
    case 'narrow':
      return List.of<Dependency>({ kind: 'narrow', parent: node.parent });
    case 'union':
    case 'procedure':
      return node.parents.map((parent): Dependency => ({ kind: 'narrow', parent }));
    case 'shuffled':
      return List.of<Dependency>(node.dependency);
    case 'cogroup':
      return node.dependencies;
  }
}
