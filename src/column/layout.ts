/**
 * How the rows of one partition lie in memory, as plain data that can be posted to a thread. Offsets are bytes from the
 * start of the block's range and aligned to the element; the range itself starts at a multiple of 8. Numbers are in the
 * machine's order, since a block never leaves it.
 */
import type { Range } from '../memory/range.js';

/** One partition's rows: plain data; whoever holds `range` owns the bytes. */
export interface Block {
  readonly range: Range;
  readonly rowCount: number;
  readonly layout: ColumnLayout;
}

/** Numbers: whole ones of 32 bits, without or with sign, or any. */
export type NumericKind = 'u32' | 'i32' | 'f64';

/** What every row of a `constant` column is. */
export type ConstantValue = string | number | boolean | null | undefined;

export type ColumnLayout =
  | NumericLayout
  /** i64, one a row. */
  | { readonly kind: 'bigint64'; readonly values: number }
  /** One bit a row, the lowest of each byte first. */
  | { readonly kind: 'boolean'; readonly bits: number }
  | { readonly kind: 'constant'; readonly value: ConstantValue }
  | Utf8Layout
  /** Strings of which most repeat: u32 numbers of the strings in `values`, which has `count` of them, each once. */
  | { readonly kind: 'code'; readonly codes: number; readonly count: number; readonly values: Utf8Layout }
  /** Rows that are arrays of as many elements as there are columns. */
  | { readonly kind: 'tuple'; readonly columns: readonly ColumnLayout[] }
  /** A bit a row: 0 where the row is `absent`, whatever stands in `values` there. */
  | {
      readonly kind: 'nullable';
      readonly absent: null | undefined;
      readonly validity: number;
      readonly values: ColumnLayout;
    }
  /** Anything else: encoded values (`encoding.ts`). `offsets`: u32, where each row starts, from `bytes`. */
  | {
      readonly kind: 'serialized';
      readonly offsets: number;
      readonly bytes: number;
      readonly sizeBytes: number;
    };

/** The layout of one kind of column. */
export type LayoutOf<Kind extends ColumnLayout['kind']> = Extract<ColumnLayout, { readonly kind: Kind }>;

export interface NumericLayout {
  readonly kind: NumericKind;
  /** u32, i32 or f64, one a row. */
  readonly values: number;
}

export interface Utf8Layout {
  readonly kind: 'utf8';
  /** u32, one more than there are strings: where each starts and the last ends, from `bytes`. */
  readonly offsets: number;
  readonly bytes: number;
  /** All characters are ASCII: bytes are characters. */
  readonly isAscii: boolean;
}
