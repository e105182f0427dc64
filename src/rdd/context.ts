/**
 * The door to datasets: a context owns threads and memory, and must be closed. Two contexts can live side by side.
 */
import { FunctionShipper } from '../exec/function/ship-function.js';
import { Engine } from '../exec/engine.js';
import type { EngineMetrics } from '../exec/metrics.js';
import { StateError } from '../errors.js';
import { contextSettings, type ContextOptions, type ContextSettings } from '../options.js';
import { Lineage, type PlanNode } from '../plan/lineage.js';
import { Rdd } from './rdd.js';
import type { Session } from './session.js';
import {
  edgesNode,
  parallelizeNode,
  rangeNode,
  textFileNode,
  type EdgesOptions,
  type TextBytes,
} from './sources.js';

/** What a context holds and has done. */
export interface ContextMetrics extends EngineMetrics {
  /** Bytes of shared memory held now: cached data, shuffle outputs kept for reuse, running jobs. */
  readonly usedBytes: number;
  readonly peakBytes: number;
  readonly budgetBytes: number;
}

export class Context {
  readonly #session: Session;

  /** @internal Use `createContext`. */
  constructor(settings: ContextSettings) {
    this.#session = { engine: new Engine(settings), lineage: new Lineage(), shipper: new FunctionShipper() };
  }

  /** The options, complete. */
  get settings(): ContextSettings {
    return this.#session.engine.settings;
  }

  /** Rows of the driver as a dataset. The array is copied at the call; rows are encoded when a job reads them. */
  parallelize<K, V>(rows: readonly (readonly [K, V])[], partitions?: number): Rdd<[K, V]>;
  parallelize<T>(rows: readonly T[], partitions?: number): Rdd<T>;
  parallelize<T>(rows: readonly T[], partitions?: number): Rdd<T> {
    return this.#rdd(parallelizeNode(this.#session, rows, partitions));
  }

  /** The whole numbers from `start` to below `end`; with one argument from 0. */
  range(end: number): Rdd<number>;
  range(
    start: number,
    end: number,
    options?: { readonly step?: number; readonly partitions?: number },
  ): Rdd<number>;
  range(
    startOrEnd: number,
    end?: number,
    options: { readonly step?: number; readonly partitions?: number } = {},
  ): Rdd<number> {
    const [first, last] = end === undefined ? [0, startOrEnd] : [startOrEnd, end];
    return this.#rdd(rangeNode(this.#session, first, last, options));
  }

  /** The lines of a UTF-8 text file, without their ends. @throws InputError (at the action) if it cannot be read. */
  textFile(path: string | URL, partitions?: number): Rdd<string> {
    return this.#rdd(textFileNode(this.#session, path, partitions));
  }

  /**
   * The pairs of an edge list (`docs/edge-lists.md`): ids as text, or as numbers with `numeric`.
   * @throws InputError (at the action) for a missing file or a malformed line.
   */
  edges(
    text: string | URL | TextBytes,
    options: EdgesOptions & { readonly numeric: true },
  ): Rdd<[number, number]>;
  edges(
    text: string | URL | TextBytes,
    options?: EdgesOptions & { readonly numeric?: false },
  ): Rdd<[string, string]>;
  edges(
    text: string | URL | TextBytes,
    options: EdgesOptions = {},
  ): Rdd<[number, number]> | Rdd<[string, string]> {
    return this.#rdd<[string, string]>(edgesNode(this.#session, text, options));
  }

  metrics(): ContextMetrics {
    const { memory, metrics } = this.#session.engine;
    const { usedBytes, peakBytes, budgetBytes } = memory;
    return { ...metrics.snapshot(), usedBytes, peakBytes, budgetBytes };
  }

  /** Stops running jobs (their promises reject), ends the threads, releases all memory. Again is harmless. */
  close(): Promise<void> {
    return this.#session.engine.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #rdd<T>(node: PlanNode): Rdd<T> {
    if (this.#session.engine.closed) throw new StateError('the context is closed; create another');
    return new Rdd<T>(this.#session, node);
  }
}

/**
 * A context with threads and memory of its own. Threads start with the first job that needs them, so this returns at once.
 * @throws OptionError
 * @example
 * const context = await createContext({ threads: 2, memory: '1GiB' });
 * const squares = await context.range(4).map((n) => n * n).collect(); // [0, 1, 4, 9]
 * await context.close();
 */
export function createContext(options: ContextOptions = {}): Promise<Context> {
  return Promise.resolve().then(() => new Context(contextSettings(options)));
}
