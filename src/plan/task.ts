/**
 * A task as data: a module's exported generator function with plain arguments. The engine's own work (writing a shuffle, a
 * round of closure) and chains of user functions are the same thing.
 */
import type { Range } from '../memory/range.js';
import type { ShippedFunction } from './shipped-function.js';

export interface TaskSpec {
  readonly url: string;
  readonly exportName: string;
  /** Structured-clonable; blocks by reference. */
  readonly args: unknown;
  readonly functions: readonly ShippedFunction[];
  /** Modules that the task calls by URL (sources of pipelines): loaded before it starts. */
  readonly imports?: readonly string[];
  readonly partition: number;
  /** Tuples to be worked on, roughly: a stage of little weight and no user functions runs inline on the driver. */
  readonly weight: number;
  /**
   * Arguments for another attempt after a lost thread, where the first may have left its inputs half changed
   * (state that is updated in place). Default: the same arguments.
   */
  readonly retryArgs?: () => unknown;
}

/** What a task gave. Whoever ran the stage owns `ranges`: all that the task allocated and did not release. */
export interface TaskResult<R = unknown> {
  readonly value: R;
  readonly ranges: readonly Range[];
}
