/**
 * Finds two columns of a line without splitting it: positions in the text, no strings. One loop over the characters a
 * line; the text is a flat string of a whole chunk. Quotes are ordinary characters here (see `quoted-records.ts`).
 *
 * Hazard: a scan's positions are overwritten by the next one.
 */
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;

/** Where the columns of one line are. Positions are -1 for a column that the line does not have. */
export interface FieldScan {
  readonly sourceStart: number;
  readonly sourceEnd: number;
  readonly targetStart: number;
  readonly targetEnd: number;
  /** Columns of the line, an empty one after a trailing separator not counted. */
  readonly columnCount: number;
  /** End of the line's content: before its `\r` and `\n`. */
  readonly contentEnd: number;
  /** Start of the next line, or the end of the text. */
  readonly next: number;
  /** Looks at the line that starts at `from` in `text`. */
  scan(text: string, from: number): void;
}

/** A scan for lines with one-character separators, or (`' '`) runs of spaces and tabs. Columns count from 1. */
export function fieldScan(separator: string, columns: readonly [number, number]): FieldScan {
  return separator === ' ' ? new SpacedScan(columns) : new SeparatedScan(separator, columns);
}

abstract class Positions {
  sourceStart = -1;
  sourceEnd = -1;
  targetStart = -1;
  targetEnd = -1;
  columnCount = 0;
  contentEnd = 0;
  next = 0;
  protected readonly sourceColumn: number;
  protected readonly targetColumn: number;

  constructor([source, target]: readonly [number, number]) {
    this.sourceColumn = source;
    this.targetColumn = target;
  }

  protected clear(): void {
    this.sourceStart = -1;
    this.sourceEnd = -1;
    this.targetStart = -1;
    this.targetEnd = -1;
  }

  protected field(column: number, start: number, end: number): void {
    if (column === this.sourceColumn) {
      this.sourceStart = start;
      this.sourceEnd = end;
    } else if (column === this.targetColumn) {
      this.targetStart = start;
      this.targetEnd = end;
    }
  }
}

class SeparatedScan extends Positions implements FieldScan {
  readonly #separator: number;

  constructor(separator: string, columns: readonly [number, number]) {
    super(columns);
    this.#separator = separator.charCodeAt(0);
  }

  scan(text: string, from: number): void {
    this.clear();
    const separator = this.#separator;
    let column = 1;
    let start = from;
    let at = from;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === LF) break;
      if (code !== separator) continue;
      this.field(column, start, at);
      column += 1;
      start = at + 1;
    }
    const end = at > start && text.charCodeAt(at - 1) === CR ? at - 1 : at;
    this.field(column, start, end);
    this.columnCount = start === end ? column - 1 : column;
    this.contentEnd = end;
    this.next = at + 1;
  }
}

class SpacedScan extends Positions implements FieldScan {
  scan(text: string, from: number): void {
    this.clear();
    let column = 0;
    let at = from;
    let lineEnd = -1;
    while (lineEnd < 0) {
      let code = SPACE;
      while (at < text.length && ((code = text.charCodeAt(at)) === SPACE || code === TAB)) at += 1;
      const start = at;
      while (at < text.length && (code = text.charCodeAt(at)) !== SPACE && code !== TAB && code !== LF)
        at += 1;
      if (at === text.length || code === LF) lineEnd = at;
      const end = lineEnd >= 0 && at > start && text.charCodeAt(at - 1) === CR ? at - 1 : at;
      if (end > start) {
        column += 1;
        this.field(column, start, end);
      }
      this.contentEnd = end;
    }
    this.columnCount = column;
    this.next = lineEnd + 1;
  }
}
