/**
 * What each step of a pipeline does to rows. Row-wise steps turn a batch into a batch; expanding ones may give many rows
 * for one; partition-wide ones read everything before they give anything.
 */
import { inspect } from 'node:util';
import { KeyMap } from '../column/key-map.js';
import { FunctionError, ValueError } from '../errors.js';
import type { FunctionOp, PlainOp } from '../plan/pipeline.js';
import { assertNotPromise } from './function/user-errors.js';

export type Batch = readonly unknown[];
/** A user's function, with what it throws wrapped. */
export type UserFunction = (...args: unknown[]) => unknown;

/** Rows between two yields, and in one pass of fused steps: a few tens of kilobytes. */
export const BATCH_ROWS = 1024;

type RowWiseOp = 'map' | 'filter' | 'keyBy' | 'mapValues' | 'keys' | 'values' | 'pairWithNull' | 'leftOnly';
type Op = FunctionOp | PlainOp;

/** Row-wise: `batch` → a fresh array, in order. */
export const rowWise: Readonly<Record<RowWiseOp, (batch: Batch, fn: UserFunction) => unknown[]>> = {
  map: (batch, fn) =>
    batch.map((row) => {
      const value = fn(row);
      assertNotPromise(value, 'map');
      return value;
    }),
  filter: (batch, fn) =>
    batch.filter((row) => {
      const kept = fn(row);
      assertNotPromise(kept, 'filter');
      return Boolean(kept);
    }),
  keyBy: (batch, fn) =>
    batch.map((row) => {
      const key = fn(row);
      assertNotPromise(key, 'keyBy');
      return [key, row];
    }),
  mapValues: (batch, fn) =>
    batch.map((row) => {
      const [key, value] = pair(row, 'mapValues');
      const mapped = fn(value);
      assertNotPromise(mapped, 'mapValues');
      return [key, mapped];
    }),
  keys: (batch) => batch.map((row) => pair(row, 'keys')[0]),
  values: (batch) => batch.map((row) => pair(row, 'values')[1]),
  pairWithNull: (batch) => batch.map((row) => [row, null]),
  leftOnly: (batch) =>
    batch.flatMap((row) => {
      const [key, [left, right]] = row as [unknown, [unknown[], unknown[]]];
      return right.length > 0 ? [] : left.map(() => key);
    }),
};

/** Expanding: one row → any number, read lazily. */
export const expanding: Readonly<
  Record<'flatMap' | 'joinPairs', (row: unknown, fn: UserFunction) => Iterable<unknown>>
> = {
  flatMap: (row, fn) => asIterable(fn(row), 'flatMap'),
  // join(k, v, w) ← left(k, v), right(k, w)
  *joinPairs(row) {
    const [key, [left, right]] = row as [unknown, [unknown[], unknown[]]];
    for (const v of left) for (const w of right) yield [key, [v, w]];
  },
};

/**
 * Partition-wide: all batches → batches. An empty batch after each one read is a chance to stop, not data. `mapPartitions`
 * has none until the user's function gives a row.
 */
export const partitionWide: Readonly<
  Record<
    'mapPartitions' | 'distinct' | 'groupByKey' | 'combineByKey',
    (batches: Iterable<Batch>, fn: UserFunction) => Iterable<Batch>
  >
> = {
  mapPartitions: (batches, fn) => inBatches(asIterable(fn(rowsOf(batches)), 'mapPartitions')),
  *distinct(batches) {
    const seen = new KeyMap<true>();
    for (const batch of batches) {
      yield batch.filter((row) => {
        if (seen.has(row)) return false;
        seen.set(row, true);
        return true;
      });
    }
  },
  *groupByKey(batches) {
    const groups = new KeyMap<unknown[]>();
    for (const batch of batches) {
      for (const row of batch) {
        const [key, value] = pair(row, 'groupByKey');
        const group = groups.get(key);
        if (group === undefined) groups.set(key, [value]);
        else group.push(value);
      }
      yield [];
    }
    yield* inBatches(groups.entries());
  },
  *combineByKey(batches, fn) {
    const sums = new KeyMap<{ value: unknown }>();
    for (const batch of batches) {
      for (const row of batch) {
        const [key, value] = pair(row, 'reduceByKey');
        const sum = sums.get(key);
        if (sum === undefined) {
          sums.set(key, { value });
          continue;
        }
        sum.value = fn(sum.value, value);
        assertNotPromise(sum.value, 'reduceByKey');
      }
      yield [];
    }
    yield* inBatches(valuesOf(sums));
  },
};

/** Rows in batches of `BATCH_ROWS`; the last may be shorter. */
export function* inBatches(rows: Iterable<unknown>): Generator<Batch> {
  let batch: unknown[] = [];
  for (const row of rows) {
    if (batch.push(row) < BATCH_ROWS) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

function* valuesOf(sums: KeyMap<{ value: unknown }>): Generator<[unknown, unknown]> {
  for (const [key, { value }] of sums.entries()) yield [key, value];
}

export function isRowWise(op: Op): op is RowWiseOp {
  return Object.hasOwn(rowWise, op);
}

export function isExpanding(op: Op): op is keyof typeof expanding {
  return Object.hasOwn(expanding, op);
}

export function isPartitionWide(op: Op): op is keyof typeof partitionWide {
  return Object.hasOwn(partitionWide, op);
}

/** The row as [key, value]. @throws ValueError if it is not an array of two. */
export function pair(row: unknown, operation: string): readonly [unknown, unknown] {
  if (Array.isArray(row) && row.length === 2) return row as [unknown, unknown];
  throw new ValueError(
    `${operation} needs rows of the form [key, value]; got ${shorten(row)}. Make pairs with map or keyBy first`,
  );
}

function* rowsOf(batches: Iterable<Batch>): Generator {
  for (const batch of batches) yield* batch;
}

function asIterable(value: unknown, operation: string): Iterable<unknown> {
  assertNotPromise(value, operation);
  if (typeof value === 'object' && value !== null && Symbol.iterator in value)
    return value as Iterable<unknown>;
  throw new FunctionError(
    `the function given to ${operation} must return an array or another iterable; it returned ${shorten(value)}`,
    { operation },
  );
}

function shorten(value: unknown): string {
  const text = inspect(value, { breakLength: Infinity, depth: 2 });
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
