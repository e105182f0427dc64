/**
 * Pairs from lines whose columns are separated by one character, or by runs of spaces and tabs, without quoting: a record
 * is a line, so that any split of the text can be read on its own. The hot loop of reading: nothing is allocated for a
 * line but its two ids and the pair.
 */
import type { ByteSource } from './byte-source.js';
import type { EdgeBatch, EdgeCollector } from './edge-collector.js';
import type { EdgeListSettings } from './edge-list-options.js';
import { fieldScan, type FieldScan } from './field-scan.js';
import { lineKind, nextLine } from './line-kind.js';
import { countNewlines, lineNumber, textChunks, type LineRange, type TextChunk } from './text-chunks.js';

/**
 * Collects the pairs of the lines in `range`; yields each full batch.
 * @param skipFirst whether the first data line of the range is the header.
 */
export function* plainRecords(
  source: ByteSource,
  range: LineRange,
  separator: string,
  settings: EdgeListSettings,
  collector: EdgeCollector,
  skipFirst: boolean,
): Generator<EdgeBatch, undefined> {
  const lines = new PlainLines(source, separator, settings, collector, skipFirst);
  for (const chunk of textChunks(source, range, settings.skipInvalid ? 'mark' : 'throw')) {
    for (let at = 0; at < chunk.text.length;) {
      at = lines.read(chunk, at);
      if (collector.isFull) yield collector.takeBatch();
    }
  }
  return undefined;
}

class PlainLines {
  readonly #source: ByteSource;
  readonly #separator: string;
  readonly #comment: string;
  readonly #scan: FieldScan;
  readonly #collector: EdgeCollector;
  #skipNext: boolean;

  constructor(
    source: ByteSource,
    separator: string,
    settings: EdgeListSettings,
    collector: EdgeCollector,
    skipFirst: boolean,
  ) {
    this.#source = source;
    this.#separator = separator;
    this.#comment = settings.comment;
    this.#scan = fieldScan(separator, settings.columns);
    this.#collector = collector;
    this.#skipNext = skipFirst;
  }

  /** Reads lines from `from` on until the batch is full or the chunk ends; returns where it stopped. */
  read(chunk: TextChunk, from: number): number {
    const { text } = chunk;
    const scan = this.#scan;
    const collector = this.#collector;
    let at = from;
    while (at < text.length && !collector.isFull) {
      const kind = lineKind(text, at, this.#comment);
      if (kind === 'comment' || (kind === 'blank' && !this.#isPairOfSpaces(text, at))) {
        at = nextLine(text, at);
        continue;
      }
      if (this.#skipNext) {
        this.#skipNext = false;
        at = nextLine(text, at);
        continue;
      }
      scan.scan(text, at);
      const added =
        scan.sourceStart >= 0 &&
        scan.targetStart >= 0 &&
        collector.add(
          text.slice(scan.sourceStart, scan.sourceEnd),
          text.slice(scan.targetStart, scan.targetEnd),
        );
      if (!added) this.#malformed(chunk, at);
      else if (collector.isOverlong(scan.columnCount)) {
        collector.noteExtraColumns(scan.columnCount, this.#lineNumber(chunk, at));
      }
      at = scan.next;
    }
    return at;
  }

  /** Between tabs, spaces are ids like any other: such a line is blank only if it has no two of them. */
  #isPairOfSpaces(text: string, at: number): boolean {
    if (this.#separator !== '\t') return false;
    this.#scan.scan(text, at);
    return this.#scan.sourceEnd > this.#scan.sourceStart && this.#scan.targetEnd > this.#scan.targetStart;
  }

  /** The line at `at`, which was scanned last, gives no pair. */
  #malformed(chunk: TextChunk, at: number): void {
    const { text } = chunk;
    const { sourceStart, sourceEnd, targetStart, targetEnd, columnCount, contentEnd } = this.#scan;
    const content = text.slice(at, contentEnd);
    const source = sourceStart < 0 ? undefined : text.slice(sourceStart, sourceEnd);
    const target = targetStart < 0 ? undefined : text.slice(targetStart, targetEnd);
    const reason = this.#collector.reason(content, source, target, columnCount);
    this.#collector.malformed(content, reason, () => this.#lineNumber(chunk, at));
  }

  #lineNumber(chunk: TextChunk, at: number): number {
    return lineNumber(this.#source, chunk.offset) + countNewlines(chunk.text, at);
  }
}
