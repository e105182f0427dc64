/**
 * How an edge list is to be read: options as given → settings complete, frozen and plain, so that they travel to tasks.
 * Every default stands here. `docs/edge-lists.md` tells the same to users.
 */
import * as v from 'valibot';
import { OptionError } from '../errors.js';
import { didYouMean } from '../nearest-name.js';
import { checkOptions } from '../options.js';

/** Options of `edges`. */
export interface EdgeListOptions {
  /**
   * What is between two columns: `tab`, `comma`, `space` (runs of spaces and tabs), or one other character such as `;`.
   * Comma and semicolon come with CSV quoting. Default `auto`: what the first data line has, tab before comma before space.
   */
  readonly separator?: string;
  /** The character that starts a comment line, or `none`. Default: `#` and `%`. */
  readonly comment?: string;
  /** The columns of source and target, counted from 1. Default: the first two, with a note if there are more. */
  readonly columns?: readonly [number, number];
  /** Whether the first line that is neither blank nor a comment is skipped. Default: false. */
  readonly header?: boolean;
  /** Whether each pair (x, y) is followed by (y, x). Default: false. */
  readonly undirected?: boolean;
  /** Whether malformed lines are counted and skipped rather than an error. Default: false. */
  readonly skipInvalid?: boolean;
  /** Whether ids are numbers: the rows are `[number, number]`. Default: false, text as it stands. */
  readonly numeric?: boolean;
  /**
   * Whether `\t`, `\n`, `\r` and `\\` inside ids stand for tab, newline, carriage return and backslash, as in TSV that
   * Rejoin writes; not in quoted formats. Default: false, a backslash is a backslash.
   */
  readonly escapes?: boolean;
}

export interface EdgeListSettings {
  /** `auto`, or the character itself; a space stands for runs of spaces and tabs. */
  readonly separator: string;
  /** The characters that start a comment line. */
  readonly comment: string;
  readonly columns: readonly [number, number];
  /** Whether columns beyond the chosen ones are worth a note: nobody has chosen. */
  readonly noteExtraColumns: boolean;
  readonly header: boolean;
  readonly undirected: boolean;
  readonly skipInvalid: boolean;
  readonly numeric: boolean;
  readonly escapes: boolean;
}

const NAMED_SEPARATORS: Readonly<Record<string, string>> = {
  auto: 'auto',
  tab: '\t',
  comma: ',',
  space: ' ',
};
/** Columns beyond this are taken for a mistake. */
const MAX_COLUMN = 1_000_000;
const DEFAULT_COMMENT = '#%';

// A separator that could be part of a quoted field's marks, of a line's end or of half a character would be ambiguous.
const isPlainCharacter = (text: string): boolean =>
  text.length === 1 && !/["\r\n\\\uD800-\uDFFF\uFEFF]/.test(text);

const separatorText =
  'auto, tab, comma, space, or one character other than a quote, a backslash or a line end';
const commentText = 'none, or one character other than a quote, a backslash or a line end';
const columnsText = `two different columns, whole numbers from 1 to ${MAX_COLUMN}, such as [2, 3]`;
const flag = v.optional(v.boolean('true or false'));
const column = v.pipe(
  v.number(columnsText),
  v.integer(columnsText),
  v.minValue(1, columnsText),
  v.maxValue(MAX_COLUMN, columnsText),
);

const schema = v.strictObject({
  separator: v.optional(
    v.pipe(
      v.string(separatorText),
      v.check(
        (given) => Object.hasOwn(NAMED_SEPARATORS, given) || isPlainCharacter(given),
        ({ input }) => separatorText + didYouMean(input, Object.keys(NAMED_SEPARATORS)),
      ),
    ),
  ),
  comment: v.optional(
    v.pipe(
      v.string(commentText),
      v.check((given) => given === 'none' || (isPlainCharacter(given) && !/\s/.test(given)), commentText),
    ),
  ),
  columns: v.optional(
    v.pipe(
      v.strictTuple([column, column], columnsText),
      v.check(([source, target]) => source !== target, columnsText),
    ),
  ),
  header: flag,
  undirected: flag,
  skipInvalid: flag,
  numeric: flag,
  escapes: flag,
});

/** @throws OptionError naming the option, the value and what is allowed. */
export function edgeListSettings(options: EdgeListOptions = {}): EdgeListSettings {
  const given = checkOptions(schema, options, 'edges');
  const separator = NAMED_SEPARATORS[given.separator ?? 'auto'] ?? given.separator ?? 'auto';
  const comment = given.comment === 'none' ? '' : (given.comment ?? DEFAULT_COMMENT);
  const escapes = given.escapes ?? false;
  if (given.comment !== undefined && comment === separator) {
    throw new OptionError(
      `edges: ${JSON.stringify(comment)} cannot be both the comment character and the separator`,
      {
        option: 'comment',
        value: comment,
      },
    );
  }
  if (escapes && isQuoted(separator)) {
    throw new OptionError(
      'edges: escapes does not go with separator comma or ;, whose ids are quoted instead; leave it out',
      { option: 'escapes', value: true },
    );
  }
  return Object.freeze({
    separator,
    comment: comment.replace(separator, ''),
    columns: Object.freeze(given.columns ?? ([1, 2] as [number, number])),
    noteExtraColumns: given.columns === undefined,
    header: given.header ?? false,
    undirected: given.undirected ?? false,
    skipInvalid: given.skipInvalid ?? false,
    numeric: given.numeric ?? false,
    escapes,
  });
}

/** Whether fields may be quoted as in CSV (RFC 4180), and so contain separators and newlines. */
export function isQuoted(separator: string): boolean {
  return separator === ',' || separator === ';';
}
