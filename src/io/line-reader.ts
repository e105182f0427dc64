/**
 * The lines of a text, in batches: what `textFile` gives. A line ends at `\n` or `\r\n`, which is not part of it; the
 * last line needs no end (a lone `\r` there is dropped too), and a newline at the very end starts no further line.
 */
import type { MemoryViews } from '../memory/memory-views.js';
import { openBytes, type TextLocation } from './byte-source.js';
import { lineRange, textChunks, type TextSplit } from './text-chunks.js';

/** Lines yielded at once: as many as rows in a batch of the engine. */
const BATCH_LINES = 1024;

/**
 * The lines that start in one split of a text, in order, in fresh arrays of at most 1,024. All splits of a text
 * together give every line once. Reads synchronously: to be called in tasks.
 *
 * @throws InputError if the file cannot be read, gets shorter meanwhile, or a line is not UTF-8 (with its number).
 */
export function* textLines(
  location: TextLocation,
  split: TextSplit,
  views: MemoryViews,
): Generator<string[], undefined> {
  const source = openBytes(location, views);
  try {
    let batch: string[] = [];
    for (const { text } of textChunks(source, lineRange(source, split), 'throw')) {
      for (let start = 0; start < text.length;) {
        const found = text.indexOf('\n', start);
        const end = found < 0 ? text.length : found;
        batch.push(text.slice(start, end > start && text[end - 1] === '\r' ? end - 1 : end));
        start = end + 1;
        if (batch.length === BATCH_LINES) {
          yield batch;
          batch = [];
        }
      }
    }
    if (batch.length > 0) yield batch;
    return undefined;
  } finally {
    source.close();
  }
}
