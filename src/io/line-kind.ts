/** What a line of an edge list is, by its first characters: data, or one of the two kinds of line that are skipped. */
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;

export type LineKind = 'data' | 'blank' | 'comment';

/**
 * The kind of the line at `from`. Spaces and tabs at its start do not count: a line of nothing else is blank, and a
 * comment may be indented.
 *
 * @param comment the characters that start a comment; none if empty.
 */
export function lineKind(text: string, from: number, comment: string): LineKind {
  let at = from;
  let code = SPACE;
  while (at < text.length && ((code = text.charCodeAt(at)) === SPACE || code === TAB)) at += 1;
  if (at === text.length || code === LF) return 'blank';
  if (code === CR && (at + 1 === text.length || text.charCodeAt(at + 1) === LF)) return 'blank';
  for (let i = 0; i < comment.length; i++) if (comment.charCodeAt(i) === code) return 'comment';
  return 'data';
}

/** The start of the line after the one at `from`, or the end of the text. */
export function nextLine(text: string, from: number): number {
  const found = text.indexOf('\n', from);
  return found < 0 ? text.length : found + 1;
}
