/**
 * Pairs from lines whose fields may be quoted as in CSV (RFC 4180). A quoted field may contain newlines, so that a line
 * cannot tell whether it starts a record: such a text is read whole, by one task. Lines without a quote, nearly all, are
 * read as plain ones; for the others the record's lines are gathered first, and csv-parse takes them apart.
 *
 * Hazard: a quote that is never closed would swallow the rest of the text; a record is given up beyond a length, and at
 * the end of the text. It is then the fault of its first line, and reading goes on at its second.
 */
import { CsvError, parse } from 'csv-parse/sync';
import type { ByteSource } from './byte-source.js';
import type { EdgeBatch, EdgeCollector } from './edge-collector.js';
import type { EdgeListSettings } from './edge-list-options.js';
import { fieldScan } from './field-scan.js';
import { lineKind } from './line-kind.js';
import { textChunks, UNDECODABLE } from './text-chunks.js';

/** Characters of a record that spans lines; longer ones are taken for an unclosed quote. */
const MAX_RECORD_LENGTH = 1024 * 1024;
const QUOTE = 0x22;

/** The lines of a record; not closed if a quoted field in it has no end. */
interface GatheredRecord {
  readonly lines: readonly string[];
  readonly isClosed: boolean;
}

/** Collects the pairs of the whole text; yields each full batch. The first record is skipped if it is a header. */
export function* quotedRecords(
  source: ByteSource,
  separator: string,
  settings: EdgeListSettings,
  collector: EdgeCollector,
): Generator<EdgeBatch, undefined> {
  const lines = new PhysicalLines(source, settings);
  const scan = fieldScan(separator, settings.columns);
  let skipNext = settings.header;
  for (let line = lines.next(); line !== undefined; line = lines.next()) {
    if (lineKind(line, 0, settings.comment) !== 'data') continue;
    const number = lines.number;
    let fields: Fields;
    if (line.includes('"')) {
      fields = quotedFields(line, lines, separator, settings.columns);
    } else {
      scan.scan(line, 0);
      fields = {
        source: scan.sourceStart < 0 ? undefined : line.slice(scan.sourceStart, scan.sourceEnd),
        target: scan.targetStart < 0 ? undefined : line.slice(scan.targetStart, scan.targetEnd),
        columnCount: scan.columnCount,
      };
    }
    if (skipNext) {
      skipNext = false;
      continue;
    }
    addFields(line, number, fields, collector);
    if (collector.isFull) yield collector.takeBatch();
  }
  return undefined;
}

/** The two columns of a record that are used (undefined: it does not have them), or why it is no record. */
type Fields =
  | { readonly source: string | undefined; readonly target: string | undefined; readonly columnCount: number }
  | { readonly fault: string };

function addFields(line: string, number: number, fields: Fields, collector: EdgeCollector): void {
  if ('fault' in fields) {
    collector.malformed(line, fields.fault, () => number);
    return;
  }
  const { source, target, columnCount } = fields;
  if (source === undefined || target === undefined || !collector.add(source, target)) {
    collector.malformed(line, collector.reason(line, source, target, columnCount), () => number);
  } else if (collector.isOverlong(columnCount)) {
    collector.noteExtraColumns(columnCount, number);
  }
}

/** The fields of the record that starts with `first`; takes its further lines from `lines`, unless it is faulty. */
function quotedFields(
  first: string,
  lines: PhysicalLines,
  separator: string,
  [sourceColumn, targetColumn]: readonly [number, number],
): Fields {
  const record = gather(first, lines, separator);
  const parsed = record.isClosed ? parseRecord(record.lines, separator) : UNCLOSED;
  if (typeof parsed === 'string') {
    lines.putBack(record.lines.slice(1));
    return { fault: parsed };
  }
  const columnCount = parsed[parsed.length - 1] === '' ? parsed.length - 1 : parsed.length;
  return { source: parsed[sourceColumn - 1], target: parsed[targetColumn - 1], columnCount };
}

const UNCLOSED = `a quoted field is not closed by a quote (")`;

function gather(first: string, lines: PhysicalLines, separator: string): GatheredRecord {
  const gathered = [first];
  let length = first.length;
  let isOpen = endsInQuotes(first, separator, false);
  while (isOpen) {
    const line = length > MAX_RECORD_LENGTH ? undefined : lines.next();
    if (line === undefined) return { lines: gathered, isClosed: false };
    gathered.push(line);
    length += line.length + 1;
    isOpen = endsInQuotes(line, separator, true);
  }
  return { lines: gathered, isClosed: true };
}

/** Whether a quoted field is open at the end of a line, given whether one is at its start. */
function endsInQuotes(line: string, separator: string, openAtStart: boolean): boolean {
  let isOpen = openAtStart;
  let isFieldStart = !openAtStart;
  for (let at = 0; at < line.length; at++) {
    const isQuote = line.charCodeAt(at) === QUOTE;
    if (isOpen) {
      if (!isQuote) continue;
      if (line.charCodeAt(at + 1) === QUOTE) at += 1;
      else isOpen = false;
    } else {
      if (isQuote && isFieldStart) isOpen = true;
      isFieldStart = line[at] === separator;
    }
  }
  return isOpen;
}

/** The fields of one record, or what is wrong with its quotes. */
function parseRecord(lines: readonly string[], separator: string): readonly string[] | string {
  if (lines.includes(UNDECODABLE)) return 'a quoted field goes on in a line that is not UTF-8';
  const record = lines.join('\n');
  const text = record.endsWith('\r') ? record.slice(0, -1) : record;
  try {
    const [fields = []] = parse(text, { delimiter: separator, record_delimiter: '\n' });
    return fields;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return (
      'a quote (") is inside a field that does not start with one, or after its closing quote; ' +
      'a field that contains quotes is written "in ""quotes"""'
    );
  }
}

/** The lines of the whole text, in order, numbered from 1, without their `\n`. Lines can be put back. */
class PhysicalLines {
  readonly #chunks: Generator<{ readonly text: string }, undefined>;
  #text = '';
  #at = 0;
  #returned: string[] = [];
  #number = 0;

  constructor(source: ByteSource, settings: EdgeListSettings) {
    const whole = { start: 0, end: source.sizeBytes };
    this.#chunks = textChunks(source, whole, settings.skipInvalid ? 'mark' : 'throw');
  }

  /** The number of the line that `next` gave last. */
  get number(): number {
    return this.#number;
  }

  next(): string | undefined {
    const line = this.#returned.pop() ?? this.#read();
    if (line !== undefined) this.#number += 1;
    return line;
  }

  /** Makes the last lines that `next` gave be given again. */
  putBack(lines: readonly string[]): void {
    for (let i = lines.length - 1; i >= 0; i--) {
      const line = lines[i];
      if (line !== undefined) this.#returned.push(line);
    }
    this.#number -= lines.length;
  }

  #read(): string | undefined {
    if (this.#at >= this.#text.length) {
      const chunk = this.#chunks.next();
      if (chunk.done === true) return undefined;
      this.#text = chunk.value.text;
      this.#at = 0;
    }
    const found = this.#text.indexOf('\n', this.#at);
    const end = found < 0 ? this.#text.length : found;
    const line = this.#text.slice(this.#at, end);
    this.#at = end + 1;
    return line;
  }
}
