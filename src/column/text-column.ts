/**
 * Columns of strings. ASCII ones, by far the most, are joined and copied in large pieces, and cut from large pieces when read:
 * a call into the runtime for each string would cost more than all the rest. Where most strings repeat, each is stored once.
 *
 * Hazard: V8 cuts strings of 13 characters or more as references into the piece, so one of them keeps up to 64 KiB alive.
 */
import { toUSVString } from 'node:util';
import { ValueError } from '../errors.js';
import type { LayoutOf, Utf8Layout } from './layout.js';
import type { Placement } from './placement.js';

export interface Utf8Plan {
  readonly kind: 'utf8';
  readonly layout: Utf8Layout;
  readonly strings: readonly string[];
}

interface CodePlan {
  readonly kind: 'code';
  readonly layout: LayoutOf<'code'>;
  readonly codes: Uint32Array;
  readonly values: Utf8Plan;
}

export type TextPlan = Utf8Plan | CodePlan;

/** Bytes of text joined or cut at once. */
const PIECE_BYTES = 1 << 16;
/** Bytes: string offsets are u32. */
const MAX_TEXT_BYTES = 2 ** 32 - 1;
/** Rows that are looked at to tell whether strings repeat. */
const SAMPLE_ROWS = 256;
/** Codes are tried if the sample has each string this often on average, and kept if the whole column has. */
const MIN_REPEATS = 4;

/** Undefined if a string has lone surrogates, which UTF-8 does not know. @throws ValueError beyond 4 GiB of text */
export function planText(strings: readonly string[], placement: Placement): TextPlan | undefined {
  const coded = codesOf(strings);
  if (coded === undefined) return planUtf8(strings, placement);
  const { codes, distinct } = coded;
  const values = planUtf8(distinct, placement);
  if (values === undefined) return undefined;
  const layout = {
    kind: 'code',
    codes: placement.reserve(codes.byteLength),
    count: distinct.length,
    values: values.layout,
  } as const;
  return { kind: 'code', layout, codes, values };
}

export function writeUtf8(plan: Utf8Plan, bytes: Uint8Array): void {
  const { layout, strings } = plan;
  const offsets = new Uint32Array(bytes.buffer, bytes.byteOffset + layout.offsets, strings.length + 1);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { isAscii } = layout;
  let written = 0;
  let first = 0;
  for (let i = 0; i < strings.length; i++) {
    const text = strings[i] as string;
    offsets[i] = written;
    if (isAscii) {
      written += text.length;
      // offsets[first] is where the piece starts.
      if (written - (offsets[first] as number) < PIECE_BYTES && i + 1 < strings.length) continue;
      buffer.write(strings.slice(first, i + 1).join(''), layout.bytes + (offsets[first] as number), 'latin1');
      first = i + 1;
    } else {
      written += buffer.write(text, layout.bytes + written, 'utf8');
    }
  }
  offsets[strings.length] = written;
}

/** Strings `start` to `end` (excluded), written to `out` from index 0 on. */
export function readUtf8(
  layout: Utf8Layout,
  bytes: Uint8Array,
  start: number,
  end: number,
  out: unknown[],
): void {
  const count = end - start;
  const offsets = new Uint32Array(bytes.buffer, bytes.byteOffset + layout.offsets + start * 4, count + 1);
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset + layout.bytes, bytes.byteLength - layout.bytes);
  if (!layout.isAscii) {
    for (let i = 0; i < count; i++) out[i] = buffer.toString('utf8', offsets[i], offsets[i + 1]);
    return;
  }
  for (let first = 0; first < count;) {
    const from = offsets[first] as number;
    let last = first + 1;
    while (last < count && (offsets[last + 1] as number) - from <= PIECE_BYTES) last += 1;
    const piece = buffer.toString('latin1', from, offsets[last]);
    let at = 0;
    for (let i = first; i < last; i++) {
      const next = (offsets[i + 1] as number) - from;
      out[i] = piece.substring(at, next);
      at = next;
    }
    first = last;
  }
}

/** Reads strings by number, each only once. */
export function readCodes(
  layout: LayoutOf<'code'>,
  bytes: Uint8Array,
  start: number,
  end: number,
  out: unknown[],
): void {
  const rowCount = end - start;
  const codes = new Uint32Array(bytes.buffer, bytes.byteOffset + layout.codes + start * 4, rowCount);
  if (layout.count <= rowCount) {
    const strings: unknown[] = [];
    readUtf8(layout.values, bytes, 0, layout.count, strings);
    for (let i = 0; i < rowCount; i++) out[i] = strings[codes[i] as number];
    return;
  }
  const strings = new Map<number, unknown>();
  const one: unknown[] = [];
  for (let i = 0; i < rowCount; i++) {
    const code = codes[i] as number;
    let text = strings.get(code);
    if (text === undefined) {
      readUtf8(layout.values, bytes, code, code + 1, one);
      text = one[0];
      strings.set(code, text);
    }
    out[i] = text;
  }
}

function planUtf8(strings: readonly string[], placement: Placement): Utf8Plan | undefined {
  let sizeBytes = 0;
  let isAscii = true;
  let pieceLength = 0;
  let first = 0;
  for (let i = 0; i < strings.length; i++) {
    pieceLength += (strings[i] as string).length;
    if (pieceLength < PIECE_BYTES && i + 1 < strings.length) continue;
    const piece = strings.slice(first, i + 1);
    if (Buffer.byteLength(piece.join(''), 'utf8') === pieceLength) {
      sizeBytes += pieceLength;
    } else {
      isAscii = false;
      for (const text of piece) {
        const textBytes = Buffer.byteLength(text, 'utf8');
        if (textBytes > text.length && toUSVString(text) !== text) return undefined;
        sizeBytes += textBytes;
      }
    }
    first = i + 1;
    pieceLength = 0;
  }
  if (sizeBytes > MAX_TEXT_BYTES) {
    throw new ValueError(
      `a column of one partition has ${sizeBytes} bytes of text, and 4 GiB is the most; use more partitions`,
      {
        sizeBytes,
      },
    );
  }
  const layout = {
    kind: 'utf8',
    offsets: placement.reserve((strings.length + 1) * 4),
    bytes: placement.reserve(sizeBytes),
    isAscii,
  } as const;
  return { kind: 'utf8', layout, strings };
}

/** Strings numbered by first appearance; undefined if too few repeat. */
function codesOf(strings: readonly string[]): { codes: Uint32Array; distinct: string[] } | undefined {
  const step = Math.max(1, Math.floor(strings.length / SAMPLE_ROWS));
  const sample = new Set<string>();
  let sampled = 0;
  for (let i = 0; i < strings.length; i += step) {
    sample.add(strings[i] as string);
    sampled += 1;
  }
  if (sampled < SAMPLE_ROWS || sample.size * MIN_REPEATS > sampled) return undefined;
  const codes = new Uint32Array(strings.length);
  const codeOf = new Map<string, number>();
  const limit = strings.length / MIN_REPEATS;
  for (let i = 0; i < strings.length; i++) {
    const text = strings[i] as string;
    let code = codeOf.get(text);
    if (code === undefined) {
      code = codeOf.size;
      if (code >= limit) return undefined;
      codeOf.set(text, code);
    }
    codes[i] = code;
  }
  return { codes, distinct: [...codeOf.keys()] };
}
