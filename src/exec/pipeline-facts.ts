/** What a job must know of pipelines to make tasks of them: plain questions about plain data. */
import { StateError } from '../errors.js';
import type { PlanNode } from '../plan/lineage.js';
import type { Pipeline } from '../plan/pipeline.js';
import type { ShippedFunction } from '../plan/shipped-function.js';

/** The parent of a union, and its partition, that a partition of the union is. */
export function locate(
  parents: readonly PlanNode[],
  partition: number,
): { parent: PlanNode; partition: number } {
  let rest = partition;
  for (const parent of parents) {
    if (rest < parent.partitionCount) return { parent, partition: rest };
    rest -= parent.partitionCount;
  }
  throw new StateError(`there is no partition ${partition}`);
}

/** Users' functions that a pipeline calls. */
export function functionsOf(pipeline: Pipeline): readonly ShippedFunction[] {
  const own = pipeline.steps.flatMap((step) => ('fn' in step ? [step.fn] : []));
  return pipeline.source.kind === 'cogroup' ? [...pipeline.source.inputs.flatMap(functionsOf), ...own] : own;
}

/** Modules that a pipeline's sources are read by. */
export function importsOf(pipeline: Pipeline): readonly string[] {
  const { source } = pipeline;
  if (source.kind === 'module') return [source.url];
  return source.kind === 'cogroup' ? source.inputs.flatMap(importsOf) : [];
}

/** Rows that a pipeline reads, roughly. */
export function weightOf(pipeline: Pipeline): number {
  const { source } = pipeline;
  if (source.kind === 'blocks') return source.blocks.reduce((sum, block) => sum + block.rowCount, 0);
  return source.kind === 'module'
    ? source.weight
    : source.inputs.reduce((sum, input) => sum + weightOf(input), 0);
}
