/** What an action or a shuffle wants of each partition: the task that ends its pipeline. */
import type { ShippedFunction } from '../plan/shipped-function.js';

/** What ends a pipeline: an exported task of a module, with arguments beside the pipeline. */
export interface Sink {
  readonly name: string;
  readonly url: string;
  readonly exportName: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly functions?: readonly ShippedFunction[];
}

const PIPELINE_TASKS = new URL('./pipeline-tasks.js', import.meta.url).href;

/** A sink of the engine's own. */
export function pipelineSink(
  exportName: 'count' | 'collect' | 'reduce' | 'foreach' | 'countByKey' | 'lookup' | 'writeShuffle',
  args: Readonly<Record<string, unknown>> = {},
  functions: readonly ShippedFunction[] = [],
): Sink {
  return { name: exportName, url: PIPELINE_TASKS, exportName, args, functions };
}
