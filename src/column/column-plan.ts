/**
 * Infers the columns of rows and where each will lie, before any memory is taken. One pass over the values of a column finds
 * out what they are; a column that is not uniform is serialised. Rows that are arrays of one length are split into columns,
 * level by level, so that `[key, [v, w]]` becomes three.
 */
import { ValueError } from '../errors.js';
import { ValueEncoder } from './encoding.js';
import type { ConstantValue, LayoutOf, NumericKind, NumericLayout } from './layout.js';
import type { Placement } from './placement.js';
import { planText, type TextPlan } from './text-column.js';

/** A column's layout, and what is to be written there. */
export type ColumnPlan =
  | {
      readonly kind: NumericKind;
      readonly layout: NumericLayout;
      readonly values: readonly number[];
    }
  | {
      readonly kind: 'bigint64';
      readonly layout: LayoutOf<'bigint64'>;
      readonly values: readonly bigint[];
    }
  | {
      readonly kind: 'boolean';
      readonly layout: LayoutOf<'boolean'>;
      readonly values: readonly unknown[];
    }
  | { readonly kind: 'constant'; readonly layout: LayoutOf<'constant'> }
  | TextPlan
  | {
      readonly kind: 'tuple';
      readonly layout: LayoutOf<'tuple'>;
      readonly columns: readonly ColumnPlan[];
    }
  | {
      readonly kind: 'nullable';
      readonly layout: LayoutOf<'nullable'>;
      readonly nullable: readonly unknown[];
      readonly values: ColumnPlan;
    }
  | {
      readonly kind: 'serialized';
      readonly layout: LayoutOf<'serialized'>;
      readonly offsets: Uint32Array;
      readonly bytes: Uint8Array;
    };

/** Columns that a row of arrays is split into, per level; wider rows would have layouts larger than their data. */
const MAX_TUPLE_COLUMNS = 16;
const MAX_TUPLE_LEVELS = 6;
/** A layout is sent with every message: longer strings stay out of it. */
const MAX_CONSTANT_CHARACTERS = 256;

// What values of a column are, as bits, so that a pass can collect them.
const HAS_NUMBER = 1;
const HAS_STRING = 2;
const HAS_BOOLEAN = 4;
const HAS_BIGINT = 8;
const HAS_ARRAY = 16;
const HAS_NULL = 32;
const HAS_UNDEFINED = 64;
const HAS_OTHER = 128;

/** @param path what messages call a value of the column. @throws ValueError naming the path of a value that cannot be stored */
export function planColumn(
  values: readonly unknown[],
  placement: Placement,
  path: string,
  level = 0,
): ColumnPlan {
  if (isConstant(values)) return { kind: 'constant', layout: { kind: 'constant', value: values[0] } };
  const kinds = kindsOf(values);
  switch (kinds) {
    case HAS_NUMBER:
      return planNumbers(values as readonly number[], placement);
    case HAS_STRING:
      return planText(values as readonly string[], placement) ?? planSerialized(values, placement, path);
    case HAS_BOOLEAN:
      return {
        kind: 'boolean',
        layout: { kind: 'boolean', bits: placement.reserve(bitBytes(values.length)) },
        values,
      };
    case HAS_BIGINT:
      return planBigints(values as readonly bigint[], placement, path);
    case HAS_ARRAY:
      return planTuple(values as readonly (readonly unknown[])[], placement, path, level);
    case HAS_NUMBER | HAS_NULL:
    case HAS_NUMBER | HAS_UNDEFINED:
      return planNullable(values, 0, placement, path);
    case HAS_STRING | HAS_NULL:
    case HAS_STRING | HAS_UNDEFINED:
      return planNullable(values, '', placement, path);
    case HAS_BOOLEAN | HAS_NULL:
    case HAS_BOOLEAN | HAS_UNDEFINED:
      return planNullable(values, false, placement, path);
    case HAS_BIGINT | HAS_NULL:
    case HAS_BIGINT | HAS_UNDEFINED:
      return planNullable(values, 0n, placement, path);
    default:
      return planSerialized(values, placement, path);
  }
}

/** Bytes that hold a bit for each row. */
export function bitBytes(rowCount: number): number {
  return Math.ceil(rowCount / 8);
}

function kindsOf(values: readonly unknown[]): number {
  let kinds = 0;
  for (let i = 0; i < values.length && (kinds & HAS_OTHER) === 0; i++) {
    const value = values[i];
    switch (typeof value) {
      case 'number':
        kinds |= HAS_NUMBER;
        break;
      case 'string':
        kinds |= HAS_STRING;
        break;
      case 'boolean':
        kinds |= HAS_BOOLEAN;
        break;
      case 'bigint':
        kinds |= HAS_BIGINT;
        break;
      case 'undefined':
        kinds |= HAS_UNDEFINED;
        break;
      case 'function':
      case 'symbol':
        kinds |= HAS_OTHER;
        break;
      case 'object':
        if (value === null) kinds |= HAS_NULL;
        else
          kinds |=
            Array.isArray(value) && Object.getPrototypeOf(value) === Array.prototype ? HAS_ARRAY : HAS_OTHER;
    }
  }
  return kinds;
}

function isConstant(values: readonly unknown[]): values is readonly [ConstantValue, ...ConstantValue[]] {
  const [first] = values;
  if (
    values.length === 0 ||
    typeof first === 'bigint' ||
    typeof first === 'function' ||
    typeof first === 'symbol'
  )
    return false;
  if (typeof first === 'object' && first !== null) return false;
  if (typeof first === 'string' && first.length > MAX_CONSTANT_CHARACTERS) return false;
  for (let i = 1; i < values.length; i++) if (!Object.is(values[i], first)) return false;
  return true;
}

function planBigints(values: readonly bigint[], placement: Placement, path: string): ColumnPlan {
  for (const value of values) {
    if (BigInt.asIntN(64, value) !== value) return planSerialized(values, placement, path);
  }
  return {
    kind: 'bigint64',
    layout: { kind: 'bigint64', values: placement.reserve(values.length * 8) },
    values,
  };
}

function planNumbers(values: readonly number[], placement: Placement): ColumnPlan {
  let fitsU32 = true;
  let fitsI32 = true;
  for (let i = 0; i < values.length && (fitsU32 || fitsI32); i++) {
    const value = values[i] as number;
    if (value >>> 0 !== value) fitsU32 = false;
    if ((value | 0) !== value) fitsI32 = false;
    if (value === 0 && 1 / value < 0) {
      fitsU32 = false;
      fitsI32 = false;
    }
  }
  const kind = fitsU32 ? 'u32' : fitsI32 ? 'i32' : 'f64';
  const offset = placement.reserve(values.length * (kind === 'f64' ? 8 : 4));
  return { kind, layout: { kind, values: offset }, values };
}

function planTuple(
  rows: readonly (readonly unknown[])[],
  placement: Placement,
  path: string,
  level: number,
): ColumnPlan {
  const arity = rows[0]?.length ?? 0;
  if (arity > MAX_TUPLE_COLUMNS || level >= MAX_TUPLE_LEVELS || !rows.every((row) => row.length === arity)) {
    return planSerialized(rows, placement, path);
  }
  const elements: unknown[][] = [];
  for (let column = 0; column < arity; column++) {
    const values = freshArray(rows.length);
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as readonly unknown[];
      const value = row[column];
      if (value === undefined && !(column in row)) return planSerialized(rows, placement, path);
      values[i] = value;
    }
    elements.push(values);
  }
  const columns = elements.map((values, i) => planColumn(values, placement, `${path}[${i}]`, level + 1));
  return { kind: 'tuple', layout: { kind: 'tuple', columns: columns.map(({ layout }) => layout) }, columns };
}

/** `filler` stands for the absent values, so that row i is element i of the values. */
function planNullable(
  nullable: readonly unknown[],
  filler: unknown,
  placement: Placement,
  path: string,
): ColumnPlan {
  const absent = nullable.includes(null) ? null : undefined;
  const filled = nullable.map((value) => (value === absent ? filler : value));
  const start = placement.sizeBytes;
  const validity = placement.reserve(bitBytes(nullable.length));
  const values = planColumn(filled, placement, path);
  if (values.kind === 'serialized') {
    // Absent values need no bits beside the encoding, which knows them.
    placement.sizeBytes = start;
    return planSerialized(nullable, placement, path);
  }
  return {
    kind: 'nullable',
    layout: { kind: 'nullable', absent, validity, values: values.layout },
    nullable,
    values,
  };
}

function planSerialized(rows: readonly unknown[], placement: Placement, path: string): ColumnPlan {
  const encoder = new ValueEncoder();
  const { writer } = encoder;
  const offsets = new Uint32Array(rows.length);
  for (let i = 0; i < rows.length; i++) {
    offsets[i] = writer.length;
    try {
      encoder.write(rows[i], path);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      throw new ValueError(error.message, { ...error.details, row: i });
    }
  }
  const sizeBytes = writer.length;
  const layout = {
    kind: 'serialized',
    offsets: placement.reserve(rows.length * 4),
    bytes: placement.reserve(sizeBytes),
    sizeBytes,
  } as const;
  return { kind: 'serialized', layout, offsets, bytes: writer.written() };
}

/** V8 makes longer arrays of a given length into hash tables. */
const MAX_PREALLOCATED = 2 ** 25;

/** An array to be filled from its first element to its last. */
export function freshArray(length: number): unknown[] {
  return length < MAX_PREALLOCATED ? new Array<unknown>(length) : [];
}
