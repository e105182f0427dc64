/**
 * The tasks that end a pipeline: what an action or a shuffle wants of one partition's rows. Each takes its pipeline and
 * plain arguments, and returns a `PipelineResult`.
 */
import { decodeKey, hashKey, keysEqual } from '../column/key.js';
import { KeyMap } from '../column/key-map.js';
import type { Block } from '../column/block.js';
import { RANGE_ALIGNMENT, subRange } from '../memory/range.js';
import type { Pipeline, ShuffleKey } from '../plan/pipeline.js';
import type { ShippedFunction } from '../plan/shipped-function.js';
import type { MapOutput } from './block-store.js';
import { assertNotPromise, userFunctionError } from './function/user-errors.js';
import { encode, PipelineRun, writeBlock, type PipelineResult } from './pipeline-run.js';
import { pair } from './pipeline-steps.js';
import type { TaskContext } from './task-runner.js';

/** Rows on their way to the driver; each block's range is its own. */
export interface WrittenRows {
  readonly blocks: readonly Block[];
}

interface WithPipeline {
  readonly pipeline: Pipeline;
}

export function* count(
  { pipeline }: WithPipeline,
  context: TaskContext,
): Generator<void, PipelineResult<number>> {
  const run = new PipelineRun(context);
  let rows = 0;
  for (const batch of run.batches(pipeline)) {
    rows += batch.length;
    yield;
  }
  return run.result(rows);
}

/** Rows of one block of `collect`: bounds what a thread and the driver hold as JS values at once. */
const COLLECT_ROWS = 1 << 16;

/** The first `limit` rows (all of them without), as blocks. */
export function* collect(
  { pipeline, limit = Infinity }: WithPipeline & { readonly limit?: number },
  context: TaskContext,
): Generator<void, PipelineResult<WrittenRows>> {
  const run = new PipelineRun(context);
  const blocks: Block[] = [];
  let rows: unknown[] = [];
  let wanted = limit;
  for (const batch of run.batches(pipeline)) {
    for (const row of batch.length > wanted ? batch.slice(0, wanted) : batch) rows.push(row);
    wanted = limit - blocks.length * COLLECT_ROWS - rows.length;
    if (wanted <= 0) break;
    yield;
    while (rows.length >= COLLECT_ROWS) {
      blocks.push(writeBlock(rows.slice(0, COLLECT_ROWS), context).block);
      rows = rows.slice(COLLECT_ROWS);
    }
  }
  blocks.push(writeBlock(rows, context).block);
  return run.result({ blocks });
}

/** Zero rows or one: the fold of all of them, left to right. */
export function* reduce(
  { pipeline, fn }: WithPipeline & { readonly fn: ShippedFunction },
  context: TaskContext,
): Generator<void, PipelineResult<WrittenRows>> {
  const run = new PipelineRun(context);
  const call = context.compiled(fn) as (a: unknown, b: unknown) => unknown;
  let sum: { value: unknown } | undefined;
  for (const batch of run.batches(pipeline)) {
    for (const row of batch) {
      if (sum === undefined) {
        sum = { value: row };
        continue;
      }
      try {
        sum.value = call(sum.value, row);
      } catch (error) {
        throw userFunctionError(error, {
          operation: 'reduce',
          stage: context.stageId,
          partition: context.partition,
        });
      }
      assertNotPromise(sum.value, 'reduce');
    }
    yield;
  }
  return run.result({ blocks: [writeBlock(sum === undefined ? [] : [sum.value], context).block] });
}

export function* foreach(
  { pipeline, fn }: WithPipeline & { readonly fn: ShippedFunction },
  context: TaskContext,
): Generator<void, PipelineResult<null>> {
  const run = new PipelineRun(context);
  const call = context.compiled(fn) as (row: unknown) => unknown;
  for (const batch of run.batches(pipeline)) {
    for (const row of batch) {
      let returned: unknown;
      try {
        returned = call(row);
      } catch (error) {
        throw userFunctionError(error, {
          operation: 'foreach',
          stage: context.stageId,
          partition: context.partition,
        });
      }
      assertNotPromise(returned, 'foreach');
    }
    yield;
  }
  return run.result(null);
}

/** [key, count] rows as a block, keys in order of first appearance. */
export function* countByKey(
  { pipeline }: WithPipeline,
  context: TaskContext,
): Generator<void, PipelineResult<WrittenRows>> {
  const run = new PipelineRun(context);
  const counts = new KeyMap<number>();
  for (const batch of run.batches(pipeline)) {
    for (const row of batch) {
      const [key] = pair(row, 'countByKey');
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    yield;
  }
  return run.result({ blocks: [writeBlock([...counts.entries()], context).block] });
}

/** The values under one key (its canonical bytes), as a block. */
export function* lookup(
  { pipeline, key }: WithPipeline & { readonly key: Uint8Array },
  context: TaskContext,
): Generator<void, PipelineResult<WrittenRows>> {
  const run = new PipelineRun(context);
  const wanted = decodeKey(key);
  const values: unknown[] = [];
  for (const batch of run.batches(pipeline)) {
    for (const row of batch) {
      const [k, value] = pair(row, 'lookup');
      if (keysEqual(k, wanted)) values.push(value);
    }
    yield;
  }
  return run.result({ blocks: [writeBlock(values, context).block] });
}

/** The map side of a shuffle: a block of rows for each reduce partition, in one range. */
export function* writeShuffle(
  args: WithPipeline & { readonly key: ShuffleKey; readonly partitionCount: number },
  context: TaskContext,
): Generator<void, PipelineResult<MapOutput>> {
  const { pipeline, key, partitionCount } = args;
  const run = new PipelineRun(context);
  const buckets: unknown[][] = Array.from({ length: partitionCount }, () => []);
  // Rows without a key are dealt out in turn, each map partition starting at another place.
  let turn = context.partition;
  for (const batch of run.batches(pipeline)) {
    for (const row of batch) {
      let target: number;
      if (key === 'first') target = hashKey(pair(row, 'a shuffle by key')[0]) % partitionCount;
      else if (key === 'row') target = hashKey(row) % partitionCount;
      else target = turn++ % partitionCount;
      (buckets[target] as unknown[]).push(row);
    }
    yield;
  }
  const encoded = buckets.map((rows) => (rows.length === 0 ? undefined : encode(rows, context)));
  const sizes = encoded.map(
    (bucket) => Math.ceil((bucket?.sizeBytes ?? 0) / RANGE_ALIGNMENT) * RANGE_ALIGNMENT,
  );
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (encoded.every((bucket) => bucket === undefined)) {
    return run.result({ blocks: buckets.map(() => undefined), range: undefined });
  }
  // Rows that are all the same constant take no bytes, but a block all the same.
  const range = context.allocator.allocate(total);
  const blocks: (Block | undefined)[] = [];
  let offset = 0;
  for (const [i, bucket] of encoded.entries()) {
    if (bucket === undefined) {
      blocks.push(undefined);
      continue;
    }
    const part = subRange(range, offset, bucket.sizeBytes);
    bucket.writeTo(context.views.bytes(part));
    blocks.push({ range: part, rowCount: bucket.rowCount, layout: bucket.layout });
    offset += sizes[i] ?? 0;
    yield;
  }
  return run.result({ blocks, range });
}
