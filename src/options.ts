/**
 * Options as given → settings complete and frozen: every default and its unit stand here and nowhere else.
 * Wrong options are an `OptionError` that names the option, the value and what is allowed.
 */
import { availableParallelism, totalmem } from 'node:os';
import * as v from 'valibot';
import { OptionError } from './errors.js';
import { didYouMean } from './nearest-name.js';

/** Options of `createContext`. */
export interface ContextOptions {
  /** Worker threads; 0 runs every task inline on the driver. Default: the cores available, at most 8. */
  readonly threads?: number;
  /** Budget for data in shared memory: bytes, or text such as `512MiB` or `2GB`. Default: half the machine's, at most 4 GiB. */
  readonly memory?: number | string;
  /** Partitions of datasets that do not say otherwise. Default: 8, whatever the thread count. */
  readonly partitions?: number;
  /** How often a task is started whose thread gets lost. Default: 4, as in Spark. */
  readonly maxTaskAttempts?: number;
  /** JS heap of each worker thread: bytes or text. A thread that exceeds it is lost and its task retried. Default: Node's. */
  readonly threadHeap?: number | string;
}

export interface ContextSettings {
  readonly threads: number;
  readonly memoryBytes: number;
  readonly partitions: number;
  readonly maxTaskAttempts: number;
  /** Undefined: Node's own limit. */
  readonly threadHeapBytes: number | undefined;
}

/** A constant, so that results do not depend on the machine; a few times the cores of a usual one. */
export const DEFAULT_PARTITIONS = 8;
const DEFAULT_MAX_TASK_ATTEMPTS = 4;
const MAX_DEFAULT_THREADS = 8;
const MAX_THREADS = 256;
/** Bounds the size of a shuffle's bookkeeping: partitions² block references. */
const MAX_PARTITIONS = 4096;
const MAX_DEFAULT_MEMORY_BYTES = 4 * 1024 ** 3;
/** Bytes: one growth step of an arena. */
const MIN_MEMORY_BYTES = 1024 * 1024;

export const STRATEGIES = [
  'naive',
  'semi-naive',
  'look-ahead',
  'smart',
  'minimal',
  'non-linear',
  'warshall',
  'warren',
  'hadoop',
  'haloop',
  'pregel',
  'spark',
  'spark+ibf',
  'auto',
] as const;
/**
 * Evaluation strategy of a recursion: methods of the literature, then what systems do (docs/strategies.md). `auto` chooses,
 * and `explain()` says what and why.
 */
export type Strategy = (typeof STRATEGIES)[number];

export const FILTER_KINDS = ['none', 'bloom', 'intersection', 'exact', 'auto'] as const;
/** What drops tuples that cannot join, before the join exchange. `auto` chooses, and `explain()` says what and why. */
export type FilterKind = (typeof FILTER_KINDS)[number];

/**
 * `left`: Friend ← Friend ⋈ Know, a path grows at its end. `right`: Friend ← Know ⋈ Friend, at its start: the same
 * closure, but other tuples are derived and others can be pruned.
 */
export type Direction = 'left' | 'right';
export const DIRECTIONS = ['left', 'right', 'auto'] as const satisfies readonly (Direction | 'auto')[];

/** Options of `transitiveClosure` that are plain values; `rdd/` adds relations and callbacks. */
export interface ClosureOptions {
  /** Default: `auto`. */
  readonly strategy?: Strategy;
  /** Default: `auto`. */
  readonly filter?: FilterKind;
  /** Default: `auto`. `right` takes Know as its base, without seeds, and a strategy that goes step by step. */
  readonly direction?: Direction | 'auto';
  /** False-positive rate that the final filter is sized for, from 1e-9 to below 1. Default: 0.01. */
  readonly falsePositiveRate?: number;
  /** Adds (v, v) for every vertex (with `from`: for every seed) to the base. Default: false. */
  readonly reflexive?: boolean;
  /** Longest path in steps; part of the question: the answer is complete. 1 is the base. Default: no bound. */
  readonly maxDepth?: number;
  /** Ends the run with a `LimitError` once more pairs are found. Default: no limit. */
  readonly maxPairs?: number;
  /** Partitions of the recursion and of its result. Default: the context's. */
  readonly partitions?: number;
}

export interface ClosureSettings {
  readonly strategy: Strategy;
  readonly filter: FilterKind;
  readonly direction: Direction | 'auto';
  readonly falsePositiveRate: number;
  readonly reflexive: boolean;
  /** Infinity: no bound. */
  readonly maxDepth: number;
  /** Infinity: no limit. */
  readonly maxPairs: number;
  readonly partitions: number;
}

/** Options of `closureStatistics`, its signal aside. */
export interface StatisticsOptions {
  /** The evaluation that they are of. Default: `left`. */
  readonly direction?: Direction;
  /** Of the run to be predicted: duplicates are combined within them. Default: the context's. */
  readonly partitions?: number;
  /** Longest path in steps. Default: no bound. */
  readonly maxDepth?: number;
  /**
   * Sources to draw, from 2; 32 give a few percent. Default: all are searched, and the statistics are exact: vertices times
   * edges steps, about a second for 10⁸.
   */
  readonly sample?: number;
  /** u32, of the draw: the same seed, the same sources. Default: 1. */
  readonly seed?: number;
}

export interface StatisticsSettings {
  readonly direction: Direction;
  readonly partitions: number;
  /** Infinity: no bound. */
  readonly maxDepth: number;
  /** Which sources are searched. */
  readonly sample: 'all' | { readonly count: number; readonly seed: number };
}

/** 1 %: 9.6 bits a key (Bloom 1970). */
export const DEFAULT_FALSE_POSITIVE_RATE = 0.01;

const wholeNumber = (minimum: number, maximum: number) =>
  v.pipe(
    v.number(`a whole number from ${minimum} to ${maximum}`),
    v.integer(`a whole number from ${minimum} to ${maximum}`),
    v.minValue(minimum, `a whole number from ${minimum} to ${maximum}`),
    v.maxValue(maximum, `a whole number from ${minimum} to ${maximum}`),
  );

/** One of `names`, as `expected` in a message that quotes `given`. */
export function oneOf(names: readonly string[], given: unknown): string {
  return `one of ${names.join(', ')}${didYouMean(given, names)}`;
}

const partitionCount = wholeNumber(1, MAX_PARTITIONS);
const limit = wholeNumber(1, Number.MAX_SAFE_INTEGER);

const contextSchema = v.strictObject({
  threads: v.optional(wholeNumber(0, MAX_THREADS)),
  memory: v.optional(v.union([v.number(), v.string()], 'bytes, or text such as 512MiB')),
  partitions: v.optional(partitionCount),
  maxTaskAttempts: v.optional(wholeNumber(1, 100)),
  threadHeap: v.optional(v.union([v.number(), v.string()], 'bytes, or text such as 256MiB')),
});

/** Sources of a sample: more than that is a search from all. */
const MAX_SAMPLE = 2 ** 20;

/** The lowest rate that a split-block filter can be sized for. */
const MIN_FALSE_POSITIVE_RATE = 1e-9;
const rateText = `a number from ${MIN_FALSE_POSITIVE_RATE} to below 1`;
const closureSchema = v.strictObject({
  strategy: v.optional(v.picklist(STRATEGIES, (issue) => oneOf(STRATEGIES, issue.input))),
  filter: v.optional(v.picklist(FILTER_KINDS, (issue) => oneOf(FILTER_KINDS, issue.input))),
  direction: v.optional(v.picklist(DIRECTIONS, (issue) => oneOf(DIRECTIONS, issue.input))),
  falsePositiveRate: v.optional(
    v.pipe(v.number(rateText), v.minValue(MIN_FALSE_POSITIVE_RATE, rateText), v.ltValue(1, rateText)),
  ),
  reflexive: v.optional(v.boolean('true or false')),
  maxDepth: v.optional(limit),
  maxPairs: v.optional(limit),
  partitions: v.optional(partitionCount),
});

const sides = ['left', 'right'] as const satisfies readonly Direction[];
const statisticsSchema = v.strictObject({
  direction: v.optional(v.picklist(sides, (issue) => oneOf(sides, issue.input))),
  partitions: v.optional(partitionCount),
  maxDepth: v.optional(limit),
  sample: v.optional(wholeNumber(2, MAX_SAMPLE)),
  seed: v.optional(wholeNumber(0, 2 ** 32 - 1)),
});

/** @throws OptionError naming the option, the value and what is allowed. */
export function contextSettings(options: ContextOptions = {}): ContextSettings {
  const given = checkOptions(contextSchema, options, 'createContext');
  return Object.freeze({
    threads: given.threads ?? Math.min(availableParallelism(), MAX_DEFAULT_THREADS),
    memoryBytes:
      given.memory === undefined
        ? Math.min(Math.floor(totalmem() / 2), MAX_DEFAULT_MEMORY_BYTES)
        : parseMemory(given.memory, 'memory'),
    partitions: given.partitions ?? DEFAULT_PARTITIONS,
    maxTaskAttempts: given.maxTaskAttempts ?? DEFAULT_MAX_TASK_ATTEMPTS,
    threadHeapBytes: given.threadHeap === undefined ? undefined : parseMemory(given.threadHeap, 'threadHeap'),
  });
}

/** @throws OptionError naming the option, the value and what is allowed. */
export function closureSettings(
  options: ClosureOptions,
  defaultPartitions: number,
  /** As in `checkOptions`. */
  otherNames: readonly string[] = [],
  where = 'transitiveClosure',
): ClosureSettings {
  const given = checkOptions(closureSchema, options, where, otherNames);
  return Object.freeze({
    strategy: given.strategy ?? 'auto',
    filter: given.filter ?? 'auto',
    direction: given.direction ?? 'auto',
    falsePositiveRate: given.falsePositiveRate ?? DEFAULT_FALSE_POSITIVE_RATE,
    reflexive: given.reflexive ?? false,
    maxDepth: given.maxDepth ?? Infinity,
    maxPairs: given.maxPairs ?? Infinity,
    partitions: given.partitions ?? defaultPartitions,
  });
}

/** @throws OptionError naming the option, the value and what is allowed. */
export function statisticsSettings(
  options: StatisticsOptions,
  defaultPartitions: number,
  /** As in `checkOptions`. */
  otherNames: readonly string[],
): StatisticsSettings {
  const given = checkOptions(statisticsSchema, options, 'closureStatistics', otherNames);
  return Object.freeze({
    direction: given.direction ?? 'left',
    partitions: given.partitions ?? defaultPartitions,
    maxDepth: given.maxDepth ?? Infinity,
    sample: given.sample === undefined ? 'all' : { count: given.sample, seed: given.seed ?? 1 },
  });
}

/** A partition count as given to an operation. @throws OptionError */
export function checkPartitions(value: number, where: string): number {
  return checkOptions(v.strictObject({ partitions: partitionCount }), { partitions: value }, where)
    .partitions;
}

const UNIT_BYTES: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  k: 1024,
  kb: 1000,
  kib: 1024,
  m: 1024 ** 2,
  mb: 1e6,
  mib: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1e9,
  gib: 1024 ** 3,
};

/** `'1.5GiB'` → bytes. A bare letter is binary, as in Spark's settings. @throws OptionError */
export function parseMemory(value: number | string, option: string): number {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(String(value));
  const unit = UNIT_BYTES[match?.[2]?.toLowerCase() ?? ''];
  const bytes = match === null || unit === undefined ? NaN : Math.floor(Number(match[1]) * unit);
  if (!(bytes >= MIN_MEMORY_BYTES && Number.isSafeInteger(bytes))) {
    throw new OptionError(
      `${option} is ${JSON.stringify(value)}; expected at least 1 MiB, in bytes or as text such as 512MiB, 2GB, 4g`,
      { option, value: String(value) },
    );
  }
  return bytes;
}

/** @throws OptionError unless it is an object: options given as null, a number, … */
export function checkObject(value: unknown, where: string): void {
  if (typeof value === 'object' && value !== null) return;
  throw new OptionError(`${where}: expected an object, got ${describe(value)}`, { value: describe(value) });
}

/** @throws OptionError unless it is an AbortSignal or undefined */
export function checkSignal(signal: unknown, where: string): void {
  if (signal === undefined || signal instanceof AbortSignal) return;
  throw new OptionError(`${where}: signal is ${describe(signal)}; expected an AbortSignal`, {
    option: 'signal',
  });
}

/**
 * Options that are as `schema` says. `otherNames`: options that the caller has dealt with, named where an unknown one is
 * refused.
 * @throws OptionError naming the option, the value and what is allowed
 */
export function checkOptions<S extends v.GenericSchema & { readonly entries: object }>(
  schema: S,
  given: unknown,
  where: string,
  otherNames: readonly string[] = [],
): v.InferOutput<S> {
  const result = v.safeParse(schema, given);
  if (result.success) return result.output;
  const [issue] = result.issues;
  const [place] = issue.path ?? [];
  if (place === undefined) {
    throw new OptionError(`${where}: expected an object of options, got ${describe(given)}`);
  }
  const option = String(place.key);
  const known = [...Object.keys(schema.entries), ...otherNames];
  if (!known.includes(option)) {
    throw new OptionError(
      `${where}: unknown option ${option}; there are ${known.join(', ')}${didYouMean(option, known)}`,
      { option },
    );
  }
  const value = describe(place.value);
  throw new OptionError(`${where}: ${option} is ${value}; expected ${issue.message}`, { option, value });
}

function describe(value: unknown): string {
  return typeof value === 'string' || Array.isArray(value) ? JSON.stringify(value) : String(value);
}
