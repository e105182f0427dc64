/**
 * Pairs of u32 lie interleaved in memory: element 2i is the first, 2i + 1 the second. All kernels here work on ranges of
 * pairs, so that a caller can yield between two calls; none allocates.
 */

/** Bytes of a pair. */
export const PAIR_BYTES = 8;

/** Counts, into `counts`, the pairs from `start` to `end` whose element `column` (0 or 1) falls to each bucket mod `counts.length`. */
export function countByBucket(
  pairs: Uint32Array,
  start: number,
  end: number,
  column: 0 | 1,
  counts: Uint32Array,
): void {
  const buckets = counts.length;
  for (let i = start * 2 + column; i < end * 2; i += 2) {
    const bucket = (pairs[i] as number) % buckets;
    counts[bucket] = (counts[bucket] as number) + 1;
  }
}

/**
 * Appends the pairs from `start` to `end` to their buckets in `out`: bucket b is written from pair `cursors[b]` on, which
 * moves. Order within a bucket is kept.
 */
export function scatterByBucket(
  pairs: Uint32Array,
  start: number,
  end: number,
  column: 0 | 1,
  cursors: Uint32Array,
  out: Uint32Array,
): void {
  const buckets = cursors.length;
  for (let i = start * 2; i < end * 2; i += 2) {
    const first = pairs[i] as number;
    const second = pairs[i + 1] as number;
    const bucket = (column === 0 ? first : second) % buckets;
    const at = cursors[bucket] as number;
    out[at * 2] = first;
    out[at * 2 + 1] = second;
    cursors[bucket] = at + 1;
  }
}

/** Counts → where each bucket starts (exclusive prefix sums, in pairs). */
export function bucketStarts(counts: Uint32Array): Uint32Array {
  const starts = new Uint32Array(counts.length);
  let sum = 0;
  for (let b = 0; b < counts.length; b++) {
    starts[b] = sum;
    sum += counts[b] as number;
  }
  return starts;
}

/** (x, y) becomes (y, x), in place, from pair `start` to `end`. */
export function swapPairs(pairs: Uint32Array, start: number, end: number): void {
  for (let i = start * 2; i < end * 2; i += 2) {
    const first = pairs[i] as number;
    pairs[i] = pairs[i + 1] as number;
    pairs[i + 1] = first;
  }
}
