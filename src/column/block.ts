/**
 * Rows ↔ columns in memory: `encodeRows` infers the columns and says how many bytes they take, `writeTo` fills them once the
 * caller has that memory, `decodeRows` makes fresh, equal rows of any part. Each column has a loop of its own, without
 * a call per row.
 */
import { StateError } from '../errors.js';
import type { MemoryViews } from '../memory/memory-views.js';
import { bitBytes, freshArray, planColumn, type ColumnPlan } from './column-plan.js';
import { ValueDecoder } from './decoding.js';
import type { Block, ColumnLayout, NumericLayout } from './layout.js';
import { Placement } from './placement.js';
import { readCodes, readUtf8, writeUtf8 } from './text-column.js';

export type { Block, ColumnLayout } from './layout.js';

/** Rows that are about to become a block. Refers to the rows: they must not change before `writeTo`. */
export interface EncodedRows {
  readonly sizeBytes: number;
  readonly rowCount: number;
  readonly layout: ColumnLayout;
  /**
   * Fills `bytes`, at least `sizeBytes` long, shared or not, that start at a multiple of 8 of their buffer.
   * @throws StateError if they do not
   */
  writeTo(bytes: Uint8Array): void;
}

/**
 * Finds out how rows lie best. Numbers, strings, booleans, bigints and arrays of fixed length become typed columns, all else
 * is serialised. Costs one pass over each column, and for text or what is serialised a copy of it.
 * @throws ValueError naming the path of a value that a row cannot hold; see docs/values-and-keys.md
 */
export function encodeRows(rows: readonly unknown[]): EncodedRows {
  const placement = new Placement();
  const plan = planColumn(rows, placement, 'row');
  const { sizeBytes } = placement;
  return {
    sizeBytes,
    rowCount: rows.length,
    layout: plan.layout,
    writeTo(bytes) {
      if (bytes.length < sizeBytes || bytes.byteOffset % 8 !== 0) {
        throw new StateError(
          `a block needs ${sizeBytes} bytes at a multiple of 8, and was given ${bytes.length} at ${bytes.byteOffset}`,
          { sizeBytes, length: bytes.length, offset: bytes.byteOffset },
        );
      }
      writeColumn(plan, bytes);
    },
  };
}

/** Rows `start` to `end` (excluded) of a block, fresh: nothing refers to its memory afterwards. */
export function decodeRows(block: Block, views: MemoryViews, start = 0, end = block.rowCount): unknown[] {
  if (!(start >= 0 && start <= end && end <= block.rowCount)) {
    throw new StateError(`rows ${start} to ${end} are asked for of a block with ${block.rowCount}`, {
      start,
      end,
      rowCount: block.rowCount,
    });
  }
  return start === end ? [] : readColumn(block.layout, views.bytes(block.range), start, end);
}

function writeColumn(plan: ColumnPlan, bytes: Uint8Array): void {
  switch (plan.kind) {
    case 'constant':
      return;
    case 'u32':
    case 'i32':
    case 'f64': {
      const { values } = plan;
      const out = numbers(plan.layout, bytes, 0, values.length);
      for (let i = 0; i < values.length; i++) out[i] = values[i] as number;
      return;
    }
    case 'bigint64': {
      const { values } = plan;
      const out = new BigInt64Array(bytes.buffer, bytes.byteOffset + plan.layout.values, values.length);
      for (let i = 0; i < values.length; i++) out[i] = values[i] as bigint;
      return;
    }
    case 'boolean':
      writeBits(plan.values, bytes.subarray(plan.layout.bits), false);
      return;
    case 'utf8':
      writeUtf8(plan, bytes);
      return;
    case 'code':
      new Uint32Array(bytes.buffer, bytes.byteOffset + plan.layout.codes, plan.codes.length).set(plan.codes);
      writeUtf8(plan.values, bytes);
      return;
    case 'tuple':
      for (const column of plan.columns) writeColumn(column, bytes);
      return;
    case 'nullable':
      writeBits(plan.nullable, bytes.subarray(plan.layout.validity), plan.layout.absent);
      writeColumn(plan.values, bytes);
      return;
    case 'serialized':
      new Uint32Array(bytes.buffer, bytes.byteOffset + plan.layout.offsets, plan.offsets.length).set(
        plan.offsets,
      );
      bytes.set(plan.bytes, plan.layout.bytes);
  }
}

function readColumn(layout: ColumnLayout, bytes: Uint8Array, start: number, end: number): unknown[] {
  const count = end - start;
  const out = freshArray(count);
  switch (layout.kind) {
    case 'constant':
      return out.length === count
        ? out.fill(layout.value)
        : Array.from({ length: count }, () => layout.value);
    case 'u32':
    case 'i32':
    case 'f64': {
      const values = numbers(layout, bytes, start, count);
      for (let i = 0; i < count; i++) out[i] = values[i];
      return out;
    }
    case 'bigint64': {
      const values = new BigInt64Array(bytes.buffer, bytes.byteOffset + layout.values + start * 8, count);
      for (let i = 0; i < count; i++) out[i] = values[i];
      return out;
    }
    case 'boolean': {
      const bits = bytes.subarray(layout.bits);
      for (let i = 0; i < count; i++) out[i] = isSet(bits, start + i);
      return out;
    }
    case 'utf8':
      readUtf8(layout, bytes, start, end, out);
      return out;
    case 'code':
      readCodes(layout, bytes, start, end, out);
      return out;
    case 'tuple':
      readTuples(
        layout.columns.map((column) => readColumn(column, bytes, start, end)),
        count,
        out,
      );
      return out;
    case 'nullable': {
      const values = readColumn(layout.values, bytes, start, end);
      const validity = bytes.subarray(layout.validity);
      for (let i = 0; i < count; i++) if (!isSet(validity, start + i)) values[i] = layout.absent;
      return values;
    }
    case 'serialized': {
      const offsets = new Uint32Array(bytes.buffer, bytes.byteOffset + layout.offsets + start * 4, count);
      const decoder = new ValueDecoder(bytes.subarray(layout.bytes, layout.bytes + layout.sizeBytes));
      for (let i = 0; i < count; i++) {
        decoder.offset = offsets[i] as number;
        out[i] = decoder.read();
      }
      return out;
    }
  }
}

/** Columns → rows. Pairs, which most rows are, have a loop that makes each row in one step. */
function readTuples(columns: readonly (readonly unknown[])[], count: number, out: unknown[]): void {
  const [first, second] = columns;
  if (first !== undefined && second !== undefined && columns.length === 2) {
    for (let i = 0; i < count; i++) out[i] = [first[i], second[i]];
    return;
  }
  for (let i = 0; i < count; i++) {
    const row: unknown[] = [];
    for (const column of columns) row.push(column[i]);
    out[i] = row;
  }
}

function numbers(
  layout: NumericLayout,
  bytes: Uint8Array,
  start: number,
  count: number,
): Uint32Array | Int32Array | Float64Array {
  const offset = bytes.byteOffset + layout.values;
  if (layout.kind === 'u32') return new Uint32Array(bytes.buffer, offset + start * 4, count);
  if (layout.kind === 'i32') return new Int32Array(bytes.buffer, offset + start * 4, count);
  return new Float64Array(bytes.buffer, offset + start * 8, count);
}

/** A bit for each value, 0 where it is `zero`. */
function writeBits(values: readonly unknown[], bits: Uint8Array, zero: unknown): void {
  bits.fill(0, 0, bitBytes(values.length));
  for (let i = 0; i < values.length; i++) {
    if (values[i] !== zero) bits[i >>> 3] = (bits[i >>> 3] as number) | (1 << (i & 7));
  }
}

function isSet(bits: Uint8Array, i: number): boolean {
  return ((bits[i >>> 3] as number) & (1 << (i & 7))) !== 0;
}
