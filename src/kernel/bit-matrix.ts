/**
 * Square bit matrices for the direct methods: n rows of `rowWords` words each; bit (x, y) is bit y mod 32 of word ⌊y / 32⌋
 * of row x. Both methods do the same to a row: row i takes over row k, for each bit (i, k) that is set; they differ in
 * the order. Loops are cut into calls, so that a caller can yield in between.
 */
import { bitsSet } from './bits.js';

export interface BitMatrix {
  readonly words: Uint32Array;
  readonly rowWords: number;
  /** Rows and columns. */
  readonly size: number;
}

/** What closing a matrix amounted to. */
export interface DirectCounts {
  /** Bits (i, k) for which row i took over row k. */
  joined: number;
  /** Bits of the rows that were taken over. */
  derived: number;
}

/** Pairs `start`..`end` → bits. */
export function setPairs(matrix: BitMatrix, pairs: Uint32Array, start: number, end: number): void {
  const { words, rowWords } = matrix;
  for (let i = start * 2; i < end * 2; i += 2) {
    const column = pairs[i + 1] as number;
    const at = (pairs[i] as number) * rowWords + (column >>> 5);
    words[at] = (words[at] as number) | (1 << (column & 31));
  }
}

/** The reverse of `setPairs`. */
export function clearPairs(matrix: BitMatrix, pairs: Uint32Array, start: number, end: number): void {
  const { words, rowWords } = matrix;
  for (let i = start * 2; i < end * 2; i += 2) {
    const column = pairs[i + 1] as number;
    const at = (pairs[i] as number) * rowWords + (column >>> 5);
    words[at] = (words[at] as number) & ~(1 << (column & 31));
  }
}

/** Bits set in a row. */
export function countRow({ words, rowWords }: BitMatrix, row: number): number {
  let count = 0;
  for (let at = row * rowWords; at < (row + 1) * rowWords; at++) count += bitsSet(words[at] as number);
  return count;
}

/** Warshall's step for column k, over rows `start`..`end`: row(i) ← row(i) ∪ row(k), where bit (i, k) is set. */
export function takeOverColumn(
  matrix: BitMatrix,
  k: number,
  start: number,
  end: number,
  counts: DirectCounts,
  bitsOfK: number,
): void {
  const { words, rowWords } = matrix;
  const word = k >>> 5;
  const bit = 1 << (k & 31);
  for (let i = start; i < end; i++) {
    if (((words[i * rowWords + word] as number) & bit) === 0) continue;
    counts.joined += 1;
    counts.derived += bitsOfK;
    if (i !== k) takeOver(words, i * rowWords, k * rowWords, rowWords);
  }
}

/**
 * Warren's step for row i: row(i) ← row(i) ∪ row(k), where bit (i, k) is set, for k from `start` up to `end`, bits that the
 * step itself sets included. `bitsOf` gives the bits of a row.
 */
export function takeOverRows(
  matrix: BitMatrix,
  i: number,
  start: number,
  end: number,
  counts: DirectCounts,
  bitsOf: (row: number) => number,
): void {
  const { words, rowWords } = matrix;
  const row = i * rowWords;
  for (let k = start; k < end; k++) {
    const rest = (words[row + (k >>> 5)] as number) >>> (k & 31);
    if (rest === 0) {
      // No bit is left in this word: on to the next.
      k |= 31;
      continue;
    }
    if ((rest & 1) === 0) continue;
    counts.joined += 1;
    counts.derived += bitsOf(k);
    takeOver(words, row, k * rowWords, rowWords);
  }
}

/** Appends the bits of a row as pairs to `out`, from pair `count` on; returns the new count. */
export function listRow(matrix: BitMatrix, row: number, out: Uint32Array, count: number): number {
  const { words, rowWords } = matrix;
  let next = count * 2;
  for (let word = 0; word < rowWords; word++) {
    for (let rest = words[row * rowWords + word] as number; rest !== 0; rest &= rest - 1) {
      out[next] = row;
      out[next + 1] = word * 32 + 31 - Math.clz32(rest & -rest);
      next += 2;
    }
  }
  return next / 2;
}

function takeOver(words: Uint32Array, to: number, from: number, rowWords: number): void {
  for (let word = 0; word < rowWords; word++) {
    words[to + word] = (words[to + word] as number) | (words[from + word] as number);
  }
}
