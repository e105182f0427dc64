/**
 * Pairs → text: TSV, whose ids have tab, newline, carriage return and backslash escaped, or CSV (RFC 4180, lines ended by
 * `\n`). What is written is read back by `edges` as the same pairs: TSV with `escapes` and `comment: 'none'`, CSV with
 * `separator: 'comma'`.
 */
import { stringify } from 'csv-stringify/sync';

/** Rows of two columns. Values other than text are written as `String` gives them, dates in ISO 8601. */
export type PairBatch = readonly (readonly [unknown, unknown])[];

export type PairFormat = 'tsv' | 'csv';

const SPECIAL = /[\t\n\r\\]/;
const EVERY_SPECIAL = /[\t\n\r\\]/g;
const ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };
/** What a reader could take for a comment, padding, a byte-order mark or a line's end, if it were not quoted. */
const QUOTED = /^[\s#%]|[\r\n]|\s$/;

/** The lines of a batch, each ended by a newline; empty for no rows. */
export function formatTsv(rows: PairBatch): string {
  let text = '';
  for (const [source, target] of rows) text += `${tsvField(source)}\t${tsvField(target)}\n`;
  return text;
}

/** The same as CSV. Ids with separators, quotes or newlines are quoted, quotes inside doubled. */
export function formatCsv(rows: PairBatch): string {
  return stringify(
    rows.map(([source, target]) => [fieldText(source), fieldText(target)]),
    { quoted_match: QUOTED },
  );
}

function tsvField(value: unknown): string {
  const text = fieldText(value);
  return SPECIAL.test(text)
    ? text.replace(EVERY_SPECIAL, (character) => ESCAPES[character] ?? character)
    : text;
}

function fieldText(value: unknown): string {
  if (typeof value === 'string') return value;
  return value instanceof Date ? value.toISOString() : String(value);
}
