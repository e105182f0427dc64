/**
 * One action's run: prepares what its node depends on (shuffle outputs, procedures), turns partitions into pipelines, and
 * runs them. What a job reads stays pinned, and what it made for itself is released, when it ends.
 *
 * Stages are cut at shuffles: a pipeline reaches back to the nearest shuffle, procedure or cached block. Only the
 * partitions that the action asks for are run; shuffle outputs and cached blocks that exist are not made again.
 */
import type { Map as ImmutableMap } from 'immutable';
import type { PeakWatch } from '../memory/memory-manager.js';
import { checkObject, checkSignal } from '../options.js';
import { functionsOf, importsOf, locate, weightOf } from './pipeline-facts.js';
import { encodeRows, type Block } from '../column/block.js';
import { StateError } from '../errors.js';
import { rangeKey, type Range } from '../memory/range.js';
import {
  dependenciesOf,
  type Materialized,
  type PlanNode,
  type ProcedureNode,
  type ProcedureScope,
  type ShuffleDependency,
} from '../plan/lineage.js';
import type { Pipeline, Source, Step } from '../plan/pipeline.js';
import type { TaskResult, TaskSpec } from '../plan/task.js';
import type { MapOutput, OwnedBlock } from './block-store.js';
import type { Engine, RunningJob } from './engine.js';
import type { PipelineResult } from './pipeline-run.js';
import { ProcedureRanges } from './procedure-ranges.js';
import { pipelineSink, type Sink } from './sink.js';
import { abortReason } from './stage-runner.js';

export interface JobOptions {
  readonly signal?: AbortSignal | undefined;
}

export class Job implements RunningJob {
  readonly #engine: Engine;
  readonly #abort = new AbortController();
  readonly #abortSlot: number;
  readonly #pinnedBlocks = new Map<number, ImmutableMap<number, OwnedBlock>>();
  readonly #pinnedShuffles = new Set<number>();
  readonly #materialized = new Map<number, Materialized>();
  readonly #kept: Range[] = [];
  /** What stages gave and nobody has released or taken over yet. */
  readonly #results = new Map<string, Range>();
  readonly #inFlight = new Set<Promise<unknown>>();
  #onEnd: () => void = () => undefined;
  #ended = false;

  private constructor(engine: Engine) {
    this.#engine = engine;
    this.#abortSlot = engine.board.take();
  }

  /** Runs `body` with a job of its own; releases all that the job held, whatever happens. */
  static async run<T>(engine: Engine, options: JobOptions, body: (job: Job) => Promise<T>): Promise<T> {
    const job = Job.open(engine, options);
    try {
      return await body(job);
    } finally {
      job.end();
    }
  }

  /** A job that the caller ends itself, when no stage of it runs any more. @throws OptionError, StateError */
  static open(engine: Engine, options: JobOptions): Job {
    checkObject(options, 'the options of an action');
    const { signal } = options;
    checkSignal(signal, 'the action');
    if (signal?.aborted === true) throw abortReason(signal);
    const job = new Job(engine);
    try {
      engine.register(job);
    } catch (error) {
      engine.board.give(job.#abortSlot);
      throw error;
    }
    const onAbort = (): void => {
      job.stop(abortReason(signal));
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    job.#onEnd = () => signal?.removeEventListener('abort', onAbort);
    engine.metrics.add('jobs');
    return job;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Makes everything that the node's pipelines will read: upstream shuffles and procedures, parents first. */
  async prepare(root: PlanNode): Promise<void> {
    const done = new Set<PlanNode>();
    const stack: { readonly node: PlanNode; expanded: boolean }[] = [{ node: root, expanded: false }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const { node } = top;
      if (!top.expanded && !done.has(node) && !this.#isComplete(node)) {
        top.expanded = true;
        // A procedure runs its parents itself, by stages of its own.
        if (node.kind === 'procedure') continue;
        for (const dependency of dependenciesOf(node)) {
          if (dependency.kind === 'shuffle' && this.#shuffleComplete(dependency)) continue;
          stack.push({ node: dependency.parent, expanded: false });
        }
        continue;
      }
      stack.pop();
      if (done.has(node)) continue;
      done.add(node);
      if (!top.expanded) continue;
      if (node.kind === 'procedure') await this.#materialize(node);
      for (const dependency of node.kind === 'procedure' ? [] : dependenciesOf(node)) {
        if (dependency.kind === 'shuffle') await this.#runShuffle(dependency);
      }
    }
  }

  /** How a partition of a prepared node is computed. */
  pipeline(root: PlanNode, rootPartition: number): Pipeline {
    const reversed: Step[] = [];
    let node = root;
    let partition = rootPartition;
    for (;;) {
      const cached = this.#pinnedBlocks.get(node.id)?.get(partition);
      if (cached !== undefined) {
        return { source: { kind: 'blocks', blocks: [cached.block] }, steps: reversed.reverse() };
      }
      if (this.#engine.store.isCached(node.id) && !keepsMaterialized(node)) {
        reversed.push({ op: 'store', nodeId: node.id, partition });
      }
      if (node.kind === 'narrow') {
        reversed.push(node.step);
        node = node.parent;
      } else if (node.kind === 'union') {
        const place = locate(node.parents.toArray(), partition);
        node = place.parent;
        partition = place.partition;
      } else {
        return { source: this.#source(node, partition), steps: reversed.reverse() };
      }
    }
  }

  /** One task a partition; results in the order given. The job holds their ranges until they are released. */
  async runPartitions<V>(
    node: PlanNode,
    partitions: readonly number[],
    sink: Sink,
    mapSteps: readonly Step[] = [],
  ): Promise<readonly TaskResult<V>[]> {
    const tasks = partitions.map((partition): TaskSpec => {
      const base = this.pipeline(node, partition);
      const pipeline = mapSteps.length === 0 ? base : { ...base, steps: [...base.steps, ...mapSteps] };
      return {
        url: sink.url,
        exportName: sink.exportName,
        args: { ...sink.args, pipeline },
        functions: [...functionsOf(pipeline), ...(sink.functions ?? [])],
        imports: importsOf(pipeline),
        partition,
        weight: weightOf(pipeline),
      };
    });
    const results = await this.runStage(`${node.operation}, ${sink.name}`, tasks);
    return results.map((result) => this.#accept<V>(result as TaskResult<PipelineResult<V>>));
  }

  async runStage(name: string, tasks: readonly TaskSpec[]): Promise<readonly TaskResult[]> {
    this.throwIfStopped();
    const { stages } = this.#engine;
    const running = stages.run(name, tasks, { abortSlot: this.#abortSlot, signal: this.#abort.signal });
    this.#inFlight.add(running);
    try {
      const results = await running;
      for (const { ranges } of results) for (const range of ranges) this.#results.set(rangeKey(range), range);
      return results;
    } finally {
      this.#inFlight.delete(running);
    }
  }

  /** To be asked after every wait for someone else: memory that the job read may be another's by now. */
  throwIfStopped(): void {
    if (this.#abort.signal.aborted) throw abortReason(this.#abort.signal);
  }

  async quiet(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.allSettled(this.#inFlight);
  }

  /** Gives a result's ranges back before the job ends, when they go anyway. */
  release(result: { readonly ranges: TaskResult['ranges'] }): void {
    for (const range of result.ranges) if (this.#disown(range)) this.#engine.memory.release(range);
  }

  /** Hands a range to another owner; false if the job did not hold it. */
  #disown(range: Range): boolean {
    return this.#results.delete(rangeKey(range));
  }

  /** Stops what still runs; its promises reject. */
  cancel(): void {
    this.stop(new StateError('the job was cancelled'));
  }

  /** Ends the job: nothing of it may run any more. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    const { store, memory, board } = this.#engine;
    for (const shuffleId of this.#pinnedShuffles) store.unpinShuffle(shuffleId);
    for (const blocks of this.#pinnedBlocks.values()) {
      for (const owned of blocks.values()) memory.release(owned.range);
    }
    for (const range of [...this.#kept, ...this.#results.values()]) memory.release(range);
    this.#results.clear();
    board.give(this.#abortSlot);
    this.#engine.unregister(this);
    this.#onEnd();
  }

  stop(reason: Error): void {
    if (this.#ended) return;
    this.#abort.abort(reason);
    this.#engine.board.raise(this.#abortSlot);
  }

  async #abortedBy<T>(signal: AbortSignal | undefined, body: () => Promise<T>): Promise<T> {
    if (signal === undefined) return body();
    const onAbort = (): void => {
      this.stop(abortReason(signal));
    };
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await body();
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Whether cached blocks (pinned from now on) make the node's parents superfluous. */
  #isComplete(node: PlanNode): boolean {
    if (keepsMaterialized(node)) return this.#materialized.has(node.id);
    if (!this.#pinnedBlocks.has(node.id) && this.#engine.store.isCached(node.id)) {
      this.#pinnedBlocks.set(node.id, this.#engine.store.pinBlocks(node.id));
    }
    return this.#pinnedBlocks.get(node.id)?.size === node.partitionCount;
  }

  #pinShuffle(shuffleId: number): void {
    if (this.#pinnedShuffles.has(shuffleId)) return;
    this.#pinnedShuffles.add(shuffleId);
    this.#engine.store.pinShuffle(shuffleId);
  }

  #shuffleComplete(dependency: ShuffleDependency): boolean {
    this.#pinShuffle(dependency.shuffleId);
    return this.#engine.store.mapOutputs(dependency.shuffleId).size === dependency.parent.partitionCount;
  }

  async #runShuffle(dependency: ShuffleDependency): Promise<void> {
    if (this.#shuffleComplete(dependency)) return;
    const { store, metrics } = this.#engine;
    const { shuffleId, parent, key, partitionCount, mapSteps } = dependency;
    const outputs = store.mapOutputs(shuffleId);
    const missing = partitionsOf(parent).filter((partition) => !outputs.has(partition));
    const sink = pipelineSink('writeShuffle', { key, partitionCount });
    const results = await this.runPartitions<MapOutput>(parent, missing, sink, mapSteps.toArray());
    for (const [i, result] of results.entries()) {
      for (const block of result.value.blocks) metrics.add('shuffleWriteRows', block?.rowCount ?? 0);
      for (const block of result.value.blocks) metrics.add('shuffleWriteBytes', block?.range.length ?? 0);
      if (result.value.range !== undefined) this.#disown(result.value.range);
      store.putMapOutput(shuffleId, missing[i] ?? 0, result.value);
    }
  }

  /** One by one: a recursion of many rounds keeps more ranges than a call takes arguments. */
  #keep(ranges: readonly Range[]): void {
    for (const range of ranges) this.#kept.push(range);
  }

  async #materialize(node: ProcedureNode): Promise<void> {
    if (this.#materialized.has(node.id)) return;
    const { store } = this.#engine;
    const pinned = store.pinMaterialized(node.id);
    if (pinned !== undefined) {
      this.#keep(pinned.ranges);
      this.#materialized.set(node.id, pinned.materialized);
      return;
    }
    const ranges = new ProcedureRanges(this.#engine.memory);
    const peak = this.#engine.memory.watchPeak();
    try {
      const materialized = await node.materialize(this.#scope(ranges, peak));
      this.#materialized.set(node.id, materialized);
      if (keepsMaterialized(node)) store.putMaterialized(node.id, materialized, ranges.kept);
    } finally {
      peak.stop();
      ranges.releaseTemporary();
      this.#keep(ranges.kept);
    }
  }

  #scope(ranges: ProcedureRanges, peak: PeakWatch): ProcedureScope {
    const { memory, settings } = this.#engine;
    return {
      abortedBy: (signal, body) => this.#abortedBy(signal, body),
      threads: settings.threads,
      peakBytes: () => peak.bytes,
      keep: (result) => {
        ranges.keep(result.ranges);
      },
      release: (result) => {
        ranges.release(result.ranges);
      },
      writeRows: (rows) => {
        const encoded = encodeRows(rows);
        const range = memory.allocate(encoded.sizeBytes);
        ranges.add([range]);
        encoded.writeTo(memory.views.bytes(range));
        return { range, rowCount: encoded.rowCount, layout: encoded.layout };
      },
      writeBytes: (bytes) => {
        const range = memory.allocate(bytes.length);
        ranges.add([range]);
        memory.views.bytes(range).set(bytes);
        return range;
      },
      runParent: async (parent, sink) => {
        await this.prepare(parent);
        return this.#handOver(await this.runPartitions(parent, partitionsOf(parent), sink), ranges);
      },
      runStage: async (name, tasks) => this.#handOver(await this.runStage(name, tasks), ranges),
    };
  }

  #source(node: Exclude<PlanNode, { kind: 'narrow' | 'union' }>, partition: number): Source {
    switch (node.kind) {
      case 'shuffled':
        return this.#shuffleSource(node.dependency, partition);
      case 'cogroup':
        return {
          kind: 'cogroup',
          inputs: node.dependencies
            .toArray()
            .map((dependency) =>
              dependency.kind === 'narrow'
                ? this.pipeline(dependency.parent, partition)
                : { source: this.#shuffleSource(dependency, partition), steps: [] },
            ),
        };
      case 'procedure': {
        const materialized = this.#materialized.get(node.id);
        if (materialized === undefined) throw new StateError(`${node.operation} was not prepared`);
        return materialized.source(partition);
      }
    }
  }

  /** Map outputs in the order of map partitions, whichever thread wrote them first. */
  #shuffleSource(dependency: ShuffleDependency, partition: number): Source {
    const outputs = this.#engine.store.mapOutputs(dependency.shuffleId);
    const blocks = partitionsOf(dependency.parent)
      .map((mapPartition) => outputs.get(mapPartition)?.blocks[partition])
      .filter((block): block is Block => block !== undefined);
    return { kind: 'blocks', blocks };
  }

  #handOver(results: readonly TaskResult[], procedure: ProcedureRanges): readonly TaskResult[] {
    for (const { ranges } of results) {
      for (const range of ranges) if (this.#disown(range)) procedure.add([range]);
    }
    return results;
  }

  /** Hands cached blocks to the store and notes to their nodes; what is left is the caller's. */
  #accept<V>(result: TaskResult<PipelineResult<V>>): TaskResult<V> {
    const { store, metrics } = this.#engine;
    const { value, stored, notes } = result.value;
    for (const { nodeId, partition, block, range } of stored) {
      this.#disown(range);
      if (store.putBlock(nodeId, partition, { block, range })) metrics.add('cachedBlocks');
    }
    for (const { nodeId, note } of notes) this.#materialized.get(nodeId)?.onNote?.(note);
    const taken = new Set(stored.map(({ range }) => rangeKey(range)));
    return {
      value,
      ranges: result.ranges.filter((range) => !taken.has(rangeKey(range))),
    };
  }
}

export function partitionsOf(node: PlanNode): readonly number[] {
  return Array.from({ length: node.partitionCount }, (_, partition) => partition);
}

function keepsMaterialized(node: PlanNode): node is ProcedureNode {
  return node.kind === 'procedure' && node.cacheAs === 'materialized';
}
