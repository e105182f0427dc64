/**
 * The part of a text that one task reads, as decoded strings of whole lines. A split owns the lines that *start* in its
 * share of the bytes, so that its bounds are line starts which every split finds for itself: each line is read exactly
 * once for any number of splits. Bytes are cut at newlines only, which never are inside a UTF-8 sequence.
 *
 * Hazard: a line may be longer than a chunk; its pieces are joined once, when its end is found.
 */
import { constants, isAscii, isUtf8 } from 'node:buffer';
import { InputError } from '../errors.js';
import type { ByteSource } from './byte-source.js';

/** Which share of a text: partition `partition` of `partitionCount`. */
export interface TextSplit {
  readonly partition: number;
  readonly partitionCount: number;
}

/** Whole lines, each but possibly the last of the text ended by `\n`; a `\r` before it is still there. */
export interface TextChunk {
  readonly text: string;
  /** Where it starts in the text, in bytes. */
  readonly offset: number;
}

/** A range of bytes that starts and ends at line starts (or at the end of the text). */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/** Bytes read at once: large enough that system calls do not show, small enough for the cache. */
const CHUNK_BYTES = 1024 * 1024;
/** Bytes read at once while looking for the end of a line. */
const PROBE_BYTES = 4096;
const LF = 0x0a;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;
/** Stands for a line that is not UTF-8: a lone surrogate, which no UTF-8 text decodes to. */
export const UNDECODABLE = '\uD800';

/** The lines of a split, as a range of bytes. Reads a few kilobytes, or to the end of a long line. */
export function lineRange(source: ByteSource, { partition, partitionCount }: TextSplit): LineRange {
  const { sizeBytes } = source;
  const start = lineStart(source, Math.floor((sizeBytes / partitionCount) * partition));
  const nominalEnd =
    partition + 1 === partitionCount ? sizeBytes : Math.floor((sizeBytes / partitionCount) * (partition + 1));
  // A line longer than the share covers it: nothing starts here, and its end need not be looked for twice.
  return start >= nominalEnd ? { start, end: start } : { start, end: lineStart(source, nominalEnd) };
}

/** The first line start at or after `offset`. */
function lineStart(source: ByteSource, offset: number): number {
  if (offset === 0 || offset === source.sizeBytes) return offset;
  let from = offset - 1;
  let step = PROBE_BYTES;
  while (from < source.sizeBytes) {
    const bytes = source.read(from, Math.min(step, source.sizeBytes - from));
    const found = bytes.indexOf(LF);
    if (found >= 0) return from + found + 1;
    from += bytes.length;
    step = Math.min(step * 4, CHUNK_BYTES);
  }
  return source.sizeBytes;
}

/**
 * The lines in `range`, decoded. A byte-order mark at the start of the text is left out.
 *
 * @param undecodable what becomes of a line that is not UTF-8: an `InputError` (`'throw'`), or the line `UNDECODABLE`
 *   in its place (`'mark'`).
 */
export function* textChunks(
  source: ByteSource,
  range: LineRange,
  undecodable: 'throw' | 'mark',
  chunkBytes: number = CHUNK_BYTES,
): Generator<TextChunk, undefined> {
  let pieces: Buffer[] = [];
  let offset = range.start + (range.start === 0 ? markLength(source) : 0);
  for (let from = offset; from < range.end;) {
    const bytes = source.read(from, Math.min(chunkBytes, range.end - from));
    from += bytes.length;
    const cut = from === range.end ? bytes.length : bytes.lastIndexOf(LF) + 1;
    if (cut === 0) {
      pieces.push(bytes);
      continue;
    }
    const lines =
      pieces.length === 0 ? bytes.subarray(0, cut) : Buffer.concat([...pieces, bytes.subarray(0, cut)]);
    pieces = cut === bytes.length ? [] : [bytes.subarray(cut)];
    yield { text: decode(source, lines, offset, undecodable), offset };
    offset += lines.length;
  }
  return undefined;
}

function markLength(source: ByteSource): number {
  const head = source.read(0, Math.min(BYTE_ORDER_MARK.length, source.sizeBytes));
  return BYTE_ORDER_MARK.every((byte, i) => head[i] === byte) ? BYTE_ORDER_MARK.length : 0;
}

function decode(source: ByteSource, lines: Buffer, offset: number, undecodable: 'throw' | 'mark'): string {
  if (lines.length > constants.MAX_STRING_LENGTH) {
    const line = lineNumber(source, offset);
    throw new InputError(
      `${source.name}:${line}: a line of more than ${constants.MAX_STRING_LENGTH} bytes; is this a text file?`,
      { file: source.name, line },
    );
  }
  // ASCII needs no decoder, and becomes a string of one byte a character: three times as fast.
  if (isAscii(lines)) return lines.toString('latin1');
  return tryDecode(lines) ?? decodeLines(source, lines, offset, undecodable);
}

/** Line by line, to find those that are not UTF-8. */
function decodeLines(
  source: ByteSource,
  lines: Buffer,
  offset: number,
  undecodable: 'throw' | 'mark',
): string {
  const decoded: string[] = [];
  for (let start = 0; start < lines.length;) {
    const found = lines.indexOf(LF, start);
    const end = found < 0 ? lines.length : found + 1;
    const line = tryDecode(lines.subarray(start, end));
    if (line === undefined && undecodable === 'throw') throw undecodableError(source, offset + start);
    decoded.push(line ?? (found < 0 ? UNDECODABLE : `${UNDECODABLE}\n`));
    start = end;
  }
  return decoded.join('');
}

/** A check first, since a decoder that throws costs a hundred times as much where many lines are not UTF-8. */
function tryDecode(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
}

function undecodableError(source: ByteSource, offset: number): InputError {
  const line = lineNumber(source, offset);
  return new InputError(
    `${source.name}:${line}: this line is not UTF-8${likelyFormat(source)}; convert the file to UTF-8`,
    { file: source.name, line },
  );
}

/** What a text that is not UTF-8 seems to be, by its first bytes. */
function likelyFormat(source: ByteSource): string {
  const [first, second] = source.read(0, Math.min(2, source.sizeBytes));
  if (first === 0x1f && second === 0x8b) return ' (the file is compressed with gzip: unpack it)';
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
    return ' (the file is UTF-16)';
  return '';
}

/** The number, from 1, of the line that starts at byte `offset`: counts the newlines before it, so only for messages. */
export function lineNumber(source: ByteSource, offset: number): number {
  let line = 1;
  for (let from = 0; from < offset;) {
    const bytes = source.read(from, Math.min(CHUNK_BYTES, offset - from));
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) line += 1;
    from += bytes.length;
  }
  return line;
}

/** Newlines in `text` before `end`. */
export function countNewlines(text: string, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
