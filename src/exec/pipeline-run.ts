/**
 * Evaluates a pipeline on the thread it is called on, batch by batch. Runs of row-wise steps are fused: a batch goes
 * through all of them before the next one is read, so a long chain of narrow operations is one loop, not a stack of
 * iterators.
 */
import { decodeRows, encodeRows, type Block, type EncodedRows } from '../column/block.js';
import { KeyMap } from '../column/key-map.js';
import { RejoinError, StateError } from '../errors.js';
import type { Range } from '../memory/range.js';
import type { FunctionOp, Pipeline, PlainOp, Source, Step } from '../plan/pipeline.js';
import type { ShippedFunction } from '../plan/shipped-function.js';
import { userFunctionError } from './function/user-errors.js';
import {
  BATCH_ROWS,
  expanding,
  inBatches,
  isExpanding,
  isPartitionWide,
  isRowWise,
  pair,
  partitionWide,
  rowWise,
  type Batch,
  type UserFunction,
} from './pipeline-steps.js';
import type { TaskContext } from './task-runner.js';

/** A module's reader of a source: yields batches; what it returns, if anything, is a note for the driver. */
type SourceFunction = (args: never, context: TaskContext) => Generator<Batch, unknown>;

export interface StoredBlock {
  readonly nodeId: number;
  readonly partition: number;
  readonly block: Block;
  readonly range: Range;
}

/** What a pipeline task returns: the sink's value, and what was kept or found on the way. */
export interface PipelineResult<V = unknown> {
  readonly value: V;
  readonly stored: readonly StoredBlock[];
  readonly notes: readonly { readonly nodeId: number; readonly note: unknown }[];
}

type WorkStep = { readonly op: FunctionOp; readonly fn: ShippedFunction } | { readonly op: PlainOp };

/** One evaluation: create it in a task, read `batches`, return `result(value)`. */
export class PipelineRun {
  readonly #context: TaskContext;
  readonly #stored: StoredBlock[] = [];
  readonly #notes: { nodeId: number; note: unknown }[] = [];

  constructor(context: TaskContext) {
    this.#context = context;
  }

  result<V>(value: V): PipelineResult<V> {
    return { value, stored: this.#stored, notes: this.#notes };
  }

  /** The pipeline's rows, in order, a few at a time. */
  batches(pipeline: Pipeline): Iterable<Batch> {
    let batches = this.#read(pipeline.source);
    for (let i = 0; i < pipeline.steps.length;) {
      const step = pipeline.steps[i] as Step;
      if (step.op === 'store') {
        batches = this.#store(batches, step.nodeId, step.partition);
        i += 1;
        continue;
      }
      const fused: WorkStep[] = [];
      for (let next = pipeline.steps[i]; next !== undefined && next.op !== 'store' && isRowWise(next.op);) {
        fused.push(next);
        i += 1;
        next = pipeline.steps[i];
      }
      if (fused.length > 0) {
        batches = this.#rowWise(batches, fused);
      } else {
        batches = this.#wide(batches, step);
        i += 1;
      }
    }
    return batches;
  }

  *#read(source: Source): Generator<Batch> {
    switch (source.kind) {
      case 'blocks':
        for (const block of source.blocks) {
          for (let start = 0; start < block.rowCount; start += BATCH_ROWS) {
            yield decodeRows(block, this.#context.views, start, Math.min(block.rowCount, start + BATCH_ROWS));
          }
        }
        return;
      case 'module': {
        const read = this.#context.imported(source.url, source.exportName) as SourceFunction;
        const note = yield* read(source.args as never, this.#context);
        if (note !== undefined && source.noteTo !== undefined)
          this.#notes.push({ nodeId: source.noteTo, note });
        return;
      }
      case 'cogroup':
        yield* this.#cogroup(source.inputs);
    }
  }

  *#cogroup(inputs: readonly Pipeline[]): Generator<Batch> {
    const groups = new KeyMap<unknown[][]>();
    for (const [i, input] of inputs.entries()) {
      for (const batch of this.batches(input)) {
        for (const row of batch) {
          const [key, value] = pair(row, 'cogroup');
          let lists = groups.get(key);
          if (lists === undefined) {
            lists = inputs.map(() => []);
            groups.set(key, lists);
          }
          lists[i]?.push(value);
        }
        // An empty batch is a chance to stop, not data.
        yield [];
      }
    }
    yield* inBatches(groups.entries());
  }

  *#rowWise(batches: Iterable<Batch>, steps: readonly WorkStep[]): Generator<Batch> {
    const passes = steps.map((step) => ({
      apply: rowWise[step.op as keyof typeof rowWise],
      fn: this.#fnOf(step),
    }));
    for (const batch of batches) {
      let rows = batch;
      for (const { apply, fn } of passes) rows = apply(rows, fn);
      yield rows;
    }
  }

  *#wide(batches: Iterable<Batch>, step: WorkStep): Generator<Batch> {
    const fn = this.#fnOf(step);
    if (isPartitionWide(step.op)) {
      yield* guarded(partitionWide[step.op](batches, fn), this.#guard(step));
      return;
    }
    if (!isExpanding(step.op)) throw new StateError(`unknown step ${step.op}`);
    const expand = expanding[step.op];
    let out: unknown[] = [];
    for (const batch of batches) {
      for (const row of batch) {
        for (const value of guarded(expand(row, fn), this.#guard(step))) {
          if (out.push(value) < BATCH_ROWS) continue;
          yield out;
          out = [];
        }
      }
      // Whatever came out of one batch is passed on: a take(1) need not wait for a full one.
      yield out;
      out = [];
    }
  }

  /** The partition's rows, kept as a cached block on the way. */
  *#store(batches: Iterable<Batch>, nodeId: number, partition: number): Generator<Batch> {
    const rows: unknown[] = [];
    for (const batch of batches) {
      for (const row of batch) rows.push(row);
      yield [];
    }
    const written = writeBlock(rows, this.#context);
    this.#stored.push({ nodeId, partition, ...written });
    for (let start = 0; start < rows.length; start += BATCH_ROWS) yield rows.slice(start, start + BATCH_ROWS);
  }

  /** The step's function; what it throws is wrapped with its place. */
  #fnOf(step: WorkStep): UserFunction {
    if (!('fn' in step)) return () => undefined;
    const fn = this.#context.compiled(step.fn) as UserFunction;
    const wrap = this.#guard(step);
    return (...args) => {
      try {
        return fn(...args);
      } catch (error) {
        throw wrap(error);
      }
    };
  }

  #guard(step: WorkStep): (error: unknown) => unknown {
    const operation = 'fn' in step ? step.fn.operation : step.op;
    const { stageId, partition } = this.#context;
    return (error) =>
      error instanceof RejoinError
        ? error
        : userFunctionError(error, { operation, stage: stageId, partition });
  }
}

/** `encodeRows`, where reading a row may run a user's code: getters, proxies. */
export function encode(rows: readonly unknown[], { stageId, partition }: TaskContext): EncodedRows {
  try {
    return encodeRows(rows);
  } catch (error) {
    if (error instanceof RejoinError) throw error;
    throw userFunctionError(error, { operation: 'reading a row', stage: stageId, partition });
  }
}

/** Encodes rows into a range of their own. */
export function writeBlock(rows: readonly unknown[], context: TaskContext): { block: Block; range: Range } {
  const encoded = encode(rows, context);
  const range = context.allocator.allocate(encoded.sizeBytes);
  encoded.writeTo(context.views.bytes(range));
  return { block: { range, rowCount: encoded.rowCount, layout: encoded.layout }, range };
}

/** An iterable that a user's code may be behind: whatever it throws, wherever, is wrapped. */
function* guarded<R>(rows: Iterable<R>, wrap: (error: unknown) => unknown): Generator<R> {
  try {
    yield* rows;
  } catch (error) {
    throw wrap(error);
  }
}
