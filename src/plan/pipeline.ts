/**
 * How one partition is computed, as plain data: a source of rows and the steps applied to them. A chain of narrow
 * operations is one pipeline, run by one task. `exec/pipeline-run.ts` evaluates it.
 */
import type { Block } from '../column/block.js';
import type { ShippedFunction } from './shipped-function.js';

/** A step with a user's function. */
export type FunctionOp =
  'map' | 'filter' | 'flatMap' | 'mapPartitions' | 'keyBy' | 'mapValues' | 'combineByKey';

/**
 * A step without one. `distinct`: first of equal rows; `groupByKey`: [k, v]… → [k, [v…]]; `joinPairs`:
 * [k, [[v…], [w…]]] → [k, [v, w]] for all combinations; `leftOnly`: cogrouped [row, [[marks], [marks]]] → rows whose
 * right side is empty, as often as they stand on the left; `pairWithNull`: row → [row, null].
 */
export type PlainOp =
  'keys' | 'values' | 'distinct' | 'groupByKey' | 'joinPairs' | 'leftOnly' | 'pairWithNull';

export type Step =
  | { readonly op: FunctionOp; readonly fn: ShippedFunction }
  | { readonly op: PlainOp }
  /** Keeps the partition's rows so far as a cached block of a node. */
  | { readonly op: 'store'; readonly nodeId: number; readonly partition: number };

export type Source =
  | { readonly kind: 'blocks'; readonly blocks: readonly Block[] }
  /** A module's exported `SourceFunction` gives the rows; `rowCount` where it is known without reading. */
  | {
      readonly kind: 'module';
      readonly url: string;
      readonly exportName: string;
      readonly args: unknown;
      readonly rowCount?: number;
      /** Id of the node that is told what the reader returns. */
      readonly noteTo?: number;
      /** Rows expected, roughly: decides whether the task is worth a thread. */
      readonly weight: number;
    }
  /** [k, v] rows of each input → [k, [values of input 0, values of input 1, …]], keys in order of first appearance. */
  | { readonly kind: 'cogroup'; readonly inputs: readonly Pipeline[] };

export interface Pipeline {
  readonly source: Source;
  readonly steps: readonly Step[];
}

/** Which key a shuffle spreads rows by: a pair's first element, the whole row, or none (dealt out in turn). */
export type ShuffleKey = 'first' | 'row' | 'none';
