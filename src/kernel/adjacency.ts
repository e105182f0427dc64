/**
 * One partition of Know as compressed sparse rows: the sources z with z mod `stride` = this partition, row ⌊z / stride⌋;
 * row r's targets are `targets[offsets[r] .. offsets[r + 1]]`, ascending and distinct.
 */
export interface Adjacency {
  readonly offsets: Uint32Array;
  readonly targets: Uint32Array;
  readonly stride: number;
}

/**
 * Fills `offsets` (rowCount + 1) and `targets` from pairs sorted by both columns; duplicates are dropped. Returns the
 * number of distinct pairs.
 */
export function fillAdjacency(
  sorted: Uint32Array,
  count: number,
  stride: number,
  offsets: Uint32Array,
  targets: Uint32Array,
): number {
  offsets.fill(0);
  let distinct = 0;
  for (let i = 0; i < count; i++) {
    const source = sorted[i * 2] as number;
    const target = sorted[i * 2 + 1] as number;
    if (i > 0 && sorted[i * 2 - 2] === source && sorted[i * 2 - 1] === target) continue;
    targets[distinct++] = target;
    offsets[Math.floor(source / stride) + 1] = distinct;
  }
  for (let row = 1; row < offsets.length; row++) {
    if ((offsets[row] as number) === 0) offsets[row] = offsets[row - 1] as number;
  }
  return distinct;
}
