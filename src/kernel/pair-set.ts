/**
 * Sets of pairs (row, column) of u32, for duplicate elimination: an open-addressing hash table while few pairs are known,
 * a bit matrix once that is no larger. Both insert a run of pairs and write out those that were not there before.
 *
 * Hazard: a column of 2³² − 1 marks an empty slot; dictionary ids stay below.
 */

/** Marks an empty slot: what both of its words are filled with. */
export const EMPTY = 0xffffffff;

/** Words of a bit matrix. */
export function matrixWords(rowCount: number, columnCount: number): number {
  return rowCount * Math.ceil(columnCount / 32);
}

/** murmur3's 32-bit finalizer over both elements (constants: Appleby, public domain). */
function mixPair(row: number, column: number): number {
  let h = Math.imul(row, 0x9e3779b1) ^ column;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/**
 * Inserts pairs `start`..`end` of `input` (first, second), row = ⌊first / stride⌋, and appends the new ones, as they
 * came, to `fresh` from pair `freshCount` on. Returns the new `freshCount`. `table` holds a power of two of slots, two
 * words each, filled with `EMPTY` words, and must have room: callers keep it at most 70 % full.
 */
export function insertHash(
  table: Uint32Array,
  input: Uint32Array,
  start: number,
  end: number,
  stride: number,
  fresh: Uint32Array,
  freshCount: number,
): number {
  const mask = table.length / 2 - 1;
  let count = freshCount;
  for (let i = start * 2; i < end * 2; i += 2) {
    const first = input[i] as number;
    const column = input[i + 1] as number;
    const row = Math.floor(first / stride);
    let slot = mixPair(row, column) & mask;
    for (;;) {
      const known = table[slot * 2 + 1] as number;
      if (known === EMPTY) {
        table[slot * 2] = row;
        table[slot * 2 + 1] = column;
        fresh[count * 2] = first;
        fresh[count * 2 + 1] = column;
        count += 1;
        break;
      }
      if (known === column && table[slot * 2] === row) break;
      slot = (slot + 1) & mask;
    }
  }
  return count;
}

/** The same into a bit matrix of `rowWords` words a row. */
export function insertMatrix(
  matrix: Uint32Array,
  rowWords: number,
  input: Uint32Array,
  start: number,
  end: number,
  stride: number,
  fresh: Uint32Array,
  freshCount: number,
): number {
  let count = freshCount;
  let previous = EMPTY;
  let rowStart = 0;
  for (let i = start * 2; i < end * 2; i += 2) {
    const first = input[i] as number;
    const column = input[i + 1] as number;
    if (first !== previous) {
      previous = first;
      rowStart = Math.floor(first / stride) * rowWords;
    }
    const word = rowStart + (column >>> 5);
    const bits = matrix[word] as number;
    const bit = 1 << (column & 31);
    if ((bits & bit) !== 0) continue;
    matrix[word] = bits | bit;
    fresh[count * 2] = first;
    fresh[count * 2 + 1] = column;
    count += 1;
  }
  return count;
}

/** Moves slots `start`..`end` of a table into a larger one. */
export function rehash(from: Uint32Array, start: number, end: number, to: Uint32Array): void {
  const mask = to.length / 2 - 1;
  for (let i = start * 2; i < end * 2; i += 2) {
    const column = from[i + 1] as number;
    if (column === EMPTY) continue;
    const row = from[i] as number;
    let slot = mixPair(row, column) & mask;
    while (to[slot * 2 + 1] !== EMPTY) slot = (slot + 1) & mask;
    to[slot * 2] = row;
    to[slot * 2 + 1] = column;
  }
}

/** Moves slots `start`..`end` of a table into a bit matrix. */
export function spread(
  from: Uint32Array,
  start: number,
  end: number,
  matrix: Uint32Array,
  rowWords: number,
): void {
  for (let i = start * 2; i < end * 2; i += 2) {
    const column = from[i + 1] as number;
    if (column === EMPTY) continue;
    const word = (from[i] as number) * rowWords + (column >>> 5);
    matrix[word] = (matrix[word] as number) | (1 << (column & 31));
  }
}
