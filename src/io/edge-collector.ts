/**
 * Collects the pairs of one split of an edge list into batches, and what is to be told about its lines: the first with
 * more columns than are used, and those that are malformed. A malformed line is an error that names file and line, or is
 * counted. Line numbers come as functions, since counting lines means to read the text again.
 */
import { InputError } from '../errors.js';
import { edgeId, whyNoId, type EdgeId } from './edge-id.js';
import { isQuoted, type EdgeListSettings } from './edge-list-options.js';
import { UNDECODABLE } from './text-chunks.js';

/** Pairs (source, target): `[string, string]`, or `[number, number]` for numeric lists. */
export type EdgeBatch = [EdgeId, EdgeId][];

/** What is to be told about a split, besides its pairs. Line numbers count from 1. */
export interface EdgeListNotes {
  /** Malformed lines that were skipped. */
  readonly skipped: number;
  readonly firstSkippedLine: number | undefined;
  /** A line with more columns than the two that were used, if no columns were chosen; the first known to this split. */
  readonly extraColumns: { readonly line: number; readonly columns: number } | undefined;
}

/** Pairs in a batch, about: as many as rows in a batch of the engine. */
const BATCH_PAIRS = 1024;
/** Characters of a malformed line that a message quotes. */
const QUOTED_CHARACTERS = 80;

const SEPARATOR_NAMES: Readonly<Record<string, string>> = { '\t': 'tabs', ',': 'commas', ' ': 'spaces' };

export class EdgeCollector {
  readonly #name: string;
  readonly #separator: string;
  readonly #settings: EdgeListSettings;
  #batch: EdgeBatch = [];
  #skipped = 0;
  #firstSkippedLine: number | undefined;
  #extraColumns: EdgeListNotes['extraColumns'];

  /** @param separator the one in use, after detection. */
  constructor(name: string, separator: string, settings: EdgeListSettings) {
    this.#name = name;
    this.#separator = separator;
    // Quoting leaves no need of escapes: where commas were detected, a backslash is a backslash.
    this.#settings = isQuoted(separator) ? { ...settings, escapes: false } : settings;
  }

  get isFull(): boolean {
    return this.#batch.length >= BATCH_PAIRS;
  }

  /** What was collected since the last call. */
  takeBatch(): EdgeBatch {
    const batch = this.#batch;
    this.#batch = [];
    return batch;
  }

  notes(): EdgeListNotes {
    return {
      skipped: this.#skipped,
      firstSkippedLine: this.#firstSkippedLine,
      extraColumns: this.#extraColumns,
    };
  }

  /** The pair of two columns; false if one of them is no id: the line is malformed. */
  add(source: string, target: string): boolean {
    const from = edgeId(source, this.#settings);
    if (from === undefined) return false;
    const to = edgeId(target, this.#settings);
    if (to === undefined) return false;
    this.#batch.push([from, to]);
    if (this.#settings.undirected) this.#batch.push([to, from]);
    return true;
  }

  /** Whether a line with so many columns is the first that deserves a note. */
  isOverlong(columnCount: number): boolean {
    return columnCount > 2 && this.#extraColumns === undefined && this.#settings.noteExtraColumns;
  }

  noteExtraColumns(columns: number, line: number): void {
    this.#extraColumns ??= { line, columns };
  }

  /**
   * Counts a malformed line, or fails for it.
   * @throws InputError unless malformed lines are skipped.
   */
  malformed(content: string, reason: string, line: () => number): void {
    if (this.#settings.skipInvalid) {
      this.#skipped += 1;
      this.#firstSkippedLine ??= line();
      return;
    }
    const number = line();
    throw new InputError(
      `${this.#name}:${number}: ${reason}; the line is ${excerpt(content)}; ` +
        'correct it, or skip such lines (option skipInvalid, --skip-invalid)',
      { file: this.#name, line: number },
    );
  }

  /** Why a line with these columns (undefined: the line does not have it) gives no pair. */
  reason(
    content: string,
    source: string | undefined,
    target: string | undefined,
    columnCount: number,
  ): string {
    if (content === UNDECODABLE) return 'the line is not UTF-8';
    const { columns } = this.#settings;
    if (source === undefined || target === undefined) {
      const separators = SEPARATOR_NAMES[this.#separator] ?? JSON.stringify(this.#separator);
      return `expected at least ${Math.max(...columns)} columns separated by ${separators}, found ${columnCount}`;
    }
    return edgeId(source, this.#settings) === undefined
      ? whyNoId(source, columns[0], this.#settings)
      : whyNoId(target, columns[1], this.#settings);
  }
}

function excerpt(content: string): string {
  const characters = content.slice(0, QUOTED_CHARACTERS);
  return content.length > QUOTED_CHARACTERS ? `${JSON.stringify(characters)}…` : JSON.stringify(characters);
}
