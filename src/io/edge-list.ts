/**
 * Edge lists: text with one pair of ids a line, as graphs are usually stored, in any of its dialects. The first data
 * line of the file decides the separator, for every split alike; the lines themselves are then read split by split,
 * except where fields may be quoted (one split reads them all). `docs/edge-lists.md` describes the format for users.
 */
import type { MemoryViews } from '../memory/memory-views.js';
import { openBytes, type ByteSource, type TextLocation } from './byte-source.js';
import { EdgeCollector, type EdgeBatch, type EdgeListNotes } from './edge-collector.js';
import { isQuoted, type EdgeListSettings } from './edge-list-options.js';
import { fieldScan } from './field-scan.js';
import { lineKind, nextLine } from './line-kind.js';
import { plainRecords } from './plain-records.js';
import { quotedRecords } from './quoted-records.js';
import {
  countNewlines,
  lineRange,
  textChunks,
  UNDECODABLE,
  type LineRange,
  type TextChunk,
  type TextSplit,
} from './text-chunks.js';

export type { EdgeBatch, EdgeListNotes } from './edge-collector.js';
export { edgeListSettings, type EdgeListOptions, type EdgeListSettings } from './edge-list-options.js';

/** A line that is neither blank nor a comment. */
interface DataLine {
  readonly content: string;
  /** Bytes from the start of the text; too small after a data line that is not UTF-8. */
  readonly offset: number;
  /** From 1. */
  readonly line: number;
}

/** Bytes read at once to find the first data line: comments at the head of a file are rarely longer. */
const HEAD_BYTES = 64 * 1024;

/**
 * The pairs of one split of an edge list, in the order of its lines, in fresh batches of about 1,024; returns what is to
 * be told about the lines. All splits together give the pairs of every line once, whatever their number. Ids are text
 * as it stands in the file, or numbers. Reads synchronously: to be called in tasks. About 0.3 µs of one core a line.
 * Hazard: a text id that is kept may keep the chunk of 1 MiB alive that it was cut from (V8 shares it from 13 characters).
 *
 * @throws InputError if the file cannot be read or becomes shorter, if a line is malformed (unless `skipInvalid`) or not
 *   UTF-8; the message names file, line, the line's text, and what was expected.
 */
export function* edgeBatches(
  location: TextLocation,
  settings: EdgeListSettings,
  split: TextSplit,
  views: MemoryViews,
): Generator<EdgeBatch, EdgeListNotes> {
  const source = openBytes(location, views);
  try {
    const { first, sample } = headOf(source, settings);
    const separator =
      settings.separator === 'auto' ? detectSeparator(sample?.content ?? '') : settings.separator;
    const collector = new EdgeCollector(source.name, separator, settings);
    if (isQuoted(separator)) {
      if (split.partition === 0) yield* quotedRecords(source, separator, settings, collector);
    } else {
      if (sample !== undefined) noteColumnsOf(sample, separator, settings, collector);
      const range = lineRange(source, split);
      if (settings.header) {
        const headerAt = first?.offset ?? source.sizeBytes;
        const holdsHeader = headerAt >= range.start && headerAt < range.end;
        yield* plainRecords(source, rangeFrom(headerAt, range), separator, settings, collector, holdsHeader);
      } else {
        yield* plainRecords(source, range, separator, settings, collector, false);
      }
    }
    const rest = collector.takeBatch();
    if (rest.length > 0) yield rest;
    return collector.notes();
  } finally {
    source.close();
  }
}

/** What is left of a range without what lies before `offset`: nothing before a header counts. */
function rangeFrom(offset: number, { start, end }: LineRange): LineRange {
  return { start: Math.min(Math.max(start, offset), end), end };
}

/** The first data line, which is the header if there is one, and the first that can be read, which shows the format. */
function headOf(
  source: ByteSource,
  settings: EdgeListSettings,
): { readonly first: DataLine | undefined; readonly sample: DataLine | undefined } {
  const whole = { start: 0, end: source.sizeBytes };
  let first: DataLine | undefined;
  let linesBefore = 0;
  for (const chunk of textChunks(source, whole, settings.skipInvalid ? 'mark' : 'throw', HEAD_BYTES)) {
    const { text } = chunk;
    for (let at = 0; at < text.length; at = nextLine(text, at)) {
      if (lineKind(text, at, settings.comment) !== 'data') continue;
      const isReadable = !text.startsWith(UNDECODABLE, at);
      // Only for the two lines that matter: to find offset and number takes the whole text before the line.
      if (isReadable || first === undefined) {
        const line = dataLine(chunk, at, linesBefore);
        first ??= line;
        if (isReadable) return { first, sample: line };
      }
    }
    linesBefore += countNewlines(text, text.length);
  }
  return { first, sample: undefined };
}

function dataLine({ text, offset }: TextChunk, at: number, linesBefore: number): DataLine {
  return {
    content: text.slice(at, nextLine(text, at)),
    offset: offset + Buffer.byteLength(text.slice(0, at)),
    line: linesBefore + countNewlines(text, at) + 1,
  };
}

/** A quoted field that goes on in the next line. */
const OPEN_QUOTES = /^"(?:[^"]|"")*$/;

/** A tab, else a comma (or the start of a quoted field that has newlines), else spaces; around the line none counts. */
function detectSeparator(line: string): string {
  const content = line.trim();
  if (content.includes('\t')) return '\t';
  return content.includes(',') || OPEN_QUOTES.test(content) ? ',' : ' ';
}

/** Usually all lines have as many columns as the first: then no split must find the number of one of its own lines. */
function noteColumnsOf(
  head: DataLine,
  separator: string,
  settings: EdgeListSettings,
  collector: EdgeCollector,
): void {
  const scan = fieldScan(separator, settings.columns);
  scan.scan(head.content, 0);
  if (collector.isOverlong(scan.columnCount)) collector.noteExtraColumns(scan.columnCount, head.line);
}
