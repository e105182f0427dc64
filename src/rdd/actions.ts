/**
 * Actions: each opens a job, runs what partitions it needs, and gives a value to the driver. Rows come back as blocks in
 * shared memory and are decoded here.
 */
import { decodeRows, type Block } from '../column/block.js';
import { encodeKey, hashKey } from '../column/key.js';
import { KeyMap } from '../column/key-map.js';
import { StateError } from '../errors.js';
import type { Engine } from '../exec/engine.js';
import { Job, partitionsOf } from '../exec/job.js';
import { pipelineSink, type Sink } from '../exec/sink.js';
import type { WrittenRows } from '../exec/pipeline-tasks.js';
import type { PlanNode } from '../plan/lineage.js';
import type { ShippedFunction } from '../plan/shipped-function.js';
import type { TaskResult } from '../plan/task.js';

export interface ActionOptions {
  /** Ends the action: it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Number of rows; partitions whose size is known are not read. */
export function countRows(engine: Engine, node: PlanNode, options: ActionOptions): Promise<number> {
  return Job.run(engine, options, async (job) => {
    await job.prepare(node);
    let rows = 0;
    const unknown: number[] = [];
    for (const partition of partitionsOf(node)) {
      const { source, steps } = job.pipeline(node, partition);
      const known =
        steps.length > 0
          ? undefined
          : source.kind === 'blocks'
            ? source.blocks.reduce((sum, block) => sum + block.rowCount, 0)
            : source.kind === 'module'
              ? source.rowCount
              : undefined;
      if (known === undefined) unknown.push(partition);
      else rows += known;
    }
    const results = await job.runPartitions<number>(node, unknown, pipelineSink('count'));
    return results.reduce((sum, result) => sum + result.value, rows);
  });
}

export async function collectRows(
  engine: Engine,
  node: PlanNode,
  options: ActionOptions,
): Promise<unknown[]> {
  const rows: unknown[] = [];
  await Job.run(engine, options, async (job) => {
    await job.prepare(node);
    const results = await job.runPartitions<WrittenRows>(node, partitionsOf(node), pipelineSink('collect'));
    for (const result of results) for (const row of take(engine, job, result)) rows.push(row);
  });
  return rows;
}

/** The first rows in partition order: reads one partition, then four times as many each time, as Spark does. */
export function takeRows(
  engine: Engine,
  node: PlanNode,
  limit: number,
  options: ActionOptions,
): Promise<unknown[]> {
  return Job.run(engine, options, async (job) => {
    const rows: unknown[] = [];
    if (limit === 0) return rows;
    await job.prepare(node);
    for (
      let next = 0, width = 1;
      next < node.partitionCount && rows.length < limit;
      next += width, width *= 4
    ) {
      const partitions = partitionsOf(node).slice(next, next + width);
      const sink = pipelineSink('collect', { limit: limit - rows.length });
      const results = await job.runPartitions<WrittenRows>(node, partitions, sink);
      for (const result of results) {
        for (const row of take(engine, job, result)) if (rows.length < limit) rows.push(row);
      }
    }
    return rows;
  });
}

/** @throws StateError without a row */
export function firstRow<T>(rows: readonly T[]): T {
  if (rows.length === 0)
    throw new StateError('first: the dataset is empty; take(1) gives an empty array instead');
  return rows[0] as T;
}

/** Arrays of up to 65,536 rows, in order, computed a partition at a time as they are asked for. */
export async function* rowBatches(
  engine: Engine,
  node: PlanNode,
  options: ActionOptions,
): AsyncGenerator<unknown[], void, void> {
  const job = Job.open(engine, options);
  let ahead: Promise<TaskResult<WrittenRows> | undefined> | undefined;
  try {
    await job.prepare(node);
    const read = async (partition: number): Promise<TaskResult<WrittenRows> | undefined> =>
      (await job.runPartitions<WrittenRows>(node, [partition], pipelineSink('collect')))[0];
    for (const partition of partitionsOf(node)) {
      const result: TaskResult<WrittenRows> | undefined = await (ahead ?? read(partition));
      // The next partition is computed while the caller works on this one.
      ahead = partition + 1 < node.partitionCount ? read(partition + 1) : undefined;
      // Whether it fails is told when it is its turn.
      ahead?.catch(() => undefined);
      if (result === undefined) continue;
      try {
        for (const block of result.value.blocks) {
          job.throwIfStopped();
          if (block.rowCount > 0) yield decodeRows(block, engine.memory.views);
        }
      } finally {
        job.release(result);
      }
    }
  } finally {
    // Whoever leaves early does not wait for the partition ahead to be computed.
    job.cancel();
    const unread = await ahead?.catch(() => undefined);
    if (unread !== undefined) job.release(unread);
    job.end();
  }
}

/** The fold of all rows, left to right; partials are folded on a thread as well. @throws StateError without rows */
export function reduceRows(
  engine: Engine,
  node: PlanNode,
  fn: ShippedFunction,
  options: ActionOptions,
): Promise<unknown> {
  return Job.run(engine, options, async (job) => {
    await job.prepare(node);
    const sink = pipelineSink('reduce', { fn }, [fn]);
    const partials = await job.runPartitions<WrittenRows>(node, partitionsOf(node), sink);
    const blocks = partials.flatMap((result): readonly Block[] => result.value.blocks);
    const [total] = await job.runStage('reduce, partials', [
      {
        url: sink.url,
        exportName: sink.exportName,
        args: { fn, pipeline: { source: { kind: 'blocks', blocks }, steps: [] } },
        functions: [fn],
        partition: 0,
        weight: blocks.length,
      },
    ]);
    for (const result of partials) job.release(result);
    if (total === undefined) throw new StateError('reduce gave no result');
    const { value: written } = total.value as { readonly value: WrittenRows };
    const rows = take(engine, job, { value: written, ranges: total.ranges });
    if (rows.length === 0) {
      throw new StateError(
        'reduce of an empty dataset has no value; check count() first, or union a zero row',
      );
    }
    return rows[0];
  });
}

export async function foreachRow(
  engine: Engine,
  node: PlanNode,
  fn: ShippedFunction,
  options: ActionOptions,
): Promise<void> {
  await run(engine, node, pipelineSink('foreach', { fn }, [fn]), options);
}

export async function countRowsByKey(
  engine: Engine,
  node: PlanNode,
  options: ActionOptions,
): Promise<Map<unknown, number>> {
  const counts = new KeyMap<number>();
  for (const row of (await run(engine, node, pipelineSink('countByKey'), options)).flat()) {
    const [key, count] = row as [unknown, number];
    counts.set(key, (counts.get(key) ?? 0) + count);
  }
  return new Map(counts.entries());
}

/** Values of a key; with a partitioner only its partition is read. */
export async function lookupKey(
  engine: Engine,
  node: PlanNode,
  key: unknown,
  options: ActionOptions,
): Promise<unknown[]> {
  const sink = pipelineSink('lookup', { key: encodeKey(key) });
  const partitions =
    node.partitioner === undefined ? partitionsOf(node) : [hashKey(key) % node.partitioner.partitionCount];
  return (await run(engine, node, sink, options, partitions)).flat();
}

async function run(
  engine: Engine,
  node: PlanNode,
  sink: Sink,
  options: ActionOptions,
  partitions = partitionsOf(node),
): Promise<unknown[][]> {
  return Job.run(engine, options, async (job) => {
    await job.prepare(node);
    const results = await job.runPartitions<WrittenRows | null>(node, partitions, sink);
    return results.map((result) =>
      result.value === null ? [] : take(engine, job, { value: result.value, ranges: result.ranges }),
    );
  });
}

/** Decodes a result's blocks and releases them. */
function take(engine: Engine, job: Job, result: TaskResult<WrittenRows>): unknown[] {
  const rows = result.value.blocks.map((block) => decodeRows(block, engine.memory.views));
  job.release(result);
  return rows.length === 1 ? (rows[0] ?? []) : rows.flat();
}
