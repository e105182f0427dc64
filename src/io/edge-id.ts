/**
 * Ids of vertices from the text of a column: the text itself, the text with escapes resolved, or a number. What is not
 * an id gives `undefined`, and `whyNoId` the reason: reasons are text, which nobody needs for the lines that are right.
 */
import type { EdgeListSettings } from './edge-list-options.js';

/** Text ids are never empty; numbers are finite, at most 2⁵³ − 1 in size, and never −0. */
export type EdgeId = string | number;

const ZERO = 0x30;
/** As many digits are always below 2⁵³. */
const MAX_SHORT_DIGITS = 15;

type IdRules = Pick<EdgeListSettings, 'numeric' | 'escapes'>;

/** Decimal, with an optional fraction and exponent; no plus sign, hexadecimal, digit separators or bare points. */
const DECIMAL = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const ESCAPE = /\\[tnr\\]/g;
const ESCAPED: Readonly<Record<string, string>> = {
  '\\t': '\t',
  '\\n': '\n',
  '\\r': '\r',
  '\\\\': '\\',
};

/** The id that a column's text stands for; undefined if it is none. */
export function edgeId(text: string, rules: IdRules): EdgeId | undefined {
  if (text === '') return undefined;
  if (rules.numeric) return decimal(text);
  return rules.escapes && text.includes('\\') ? unescapeId(text) : text;
}

/** Why `edgeId` gave undefined for column `column`, for a message. */
export function whyNoId(text: string, column: number, rules: IdRules): string {
  if (text === '') return `column ${column} is empty; expected an id`;
  if (rules.numeric) {
    return (
      `column ${column} is ${JSON.stringify(text)}; expected a decimal number such as 42, -7 or 2.5e3, ` +
      'at most 2^53 - 1 in size (without the option numeric, ids are any text)'
    );
  }
  return `column ${column} has a backslash that is not part of \\t, \\n, \\r or \\\\`;
}

/**
 * Beyond 2⁵³ − 1 neighbouring whole numbers become equal: two vertices would silently become one.
 * Spaces around are allowed, as in files whose columns are padded.
 */
function decimal(text: string): number | undefined {
  return shortInteger(text) ?? anyDecimal(text);
}

/** What nearly all numeric ids are, without the cost of a pattern. */
function shortInteger(text: string): number | undefined {
  if (text.length > MAX_SHORT_DIGITS) return undefined;
  let value = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return value;
}

function anyDecimal(text: string): number | undefined {
  const digits = text.trim();
  if (!DECIMAL.test(digits)) return undefined;
  const value = Number(digits);
  // −0 + 0 is 0.
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value + 0 : undefined;
}

function unescapeId(text: string): string | undefined {
  // A backslash that is left once all escapes are taken out belongs to none.
  if (text.replace(ESCAPE, '').includes('\\')) return undefined;
  return text.replace(ESCAPE, (escape) => ESCAPED[escape] ?? escape);
}
