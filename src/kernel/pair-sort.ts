/**
 * Stable radix sort of u32 pairs, least significant digit first. Sorting by both columns sorts by the second, then by the
 * first. A generator, so that a long sort yields between chunks.
 */

/** Bits of a digit: 2048 counters fit the first-level cache. */
const DIGIT_BITS = 11;
/** Pairs between two yields: about a millisecond. */
const CHUNK = 1 << 17;
/** Below this, insertion sort needs fewer steps than clearing counters. */
const SMALL = 128;

/**
 * Sorts `count` pairs whose elements are below `limit`. Uses `scratch` (as long as `pairs`); the sorted pairs end up in
 * the array that is returned. Cost: 2 passes a column for limits to 4 M.
 */
export function* sortPairs(
  pairs: Uint32Array,
  scratch: Uint32Array,
  count: number,
  limit: number,
  columns: 'first' | 'both',
): Generator<void, Uint32Array> {
  if (count <= SMALL) {
    insertionSort(pairs, count, columns === 'both');
    return pairs;
  }
  let from = pairs;
  let to = scratch;
  const bits = Math.max(1, Math.ceil(Math.log2(Math.max(2, limit))));
  const offsets = new Uint32Array(1 << DIGIT_BITS);
  for (const column of columns === 'both' ? [1, 0] : [0]) {
    for (let shift = 0; shift < bits; shift += DIGIT_BITS) {
      offsets.fill(0);
      for (let start = 0; start < count; start += CHUNK) {
        countDigits(from, start, Math.min(count, start + CHUNK), column, shift, offsets);
        yield;
      }
      let sum = 0;
      for (let digit = 0; digit < offsets.length; digit++) {
        const size = offsets[digit] as number;
        offsets[digit] = sum;
        sum += size;
      }
      for (let start = 0; start < count; start += CHUNK) {
        moveByDigit(from, to, start, Math.min(count, start + CHUNK), column, shift, offsets);
        yield;
      }
      [from, to] = [to, from];
    }
  }
  return from;
}

function countDigits(
  pairs: Uint32Array,
  start: number,
  end: number,
  column: number,
  shift: number,
  counts: Uint32Array,
): void {
  const mask = counts.length - 1;
  for (let i = start * 2 + column; i < end * 2; i += 2) {
    const digit = ((pairs[i] as number) >>> shift) & mask;
    counts[digit] = (counts[digit] as number) + 1;
  }
}

function moveByDigit(
  from: Uint32Array,
  to: Uint32Array,
  start: number,
  end: number,
  column: number,
  shift: number,
  offsets: Uint32Array,
): void {
  const mask = offsets.length - 1;
  for (let i = start * 2; i < end * 2; i += 2) {
    const digit = ((from[i + column] as number) >>> shift) & mask;
    const at = offsets[digit] as number;
    offsets[digit] = at + 1;
    to[at * 2] = from[i] as number;
    to[at * 2 + 1] = from[i + 1] as number;
  }
}

function insertionSort(pairs: Uint32Array, count: number, bySecond: boolean): void {
  for (let i = 1; i < count; i++) {
    const first = pairs[i * 2] as number;
    const second = pairs[i * 2 + 1] as number;
    let at = i - 1;
    while (at >= 0) {
      const other = pairs[at * 2] as number;
      if (other < first || (other === first && (!bySecond || (pairs[at * 2 + 1] as number) <= second))) break;
      pairs[at * 2 + 2] = other;
      pairs[at * 2 + 3] = pairs[at * 2 + 1] as number;
      at -= 1;
    }
    pairs[at * 2 + 2] = first;
    pairs[at * 2 + 3] = second;
  }
}
