/**
 * The join of a delta with one partition of Know, duplicates combined: friend(x, y) ← delta(x, z), know(z, y).
 *
 * The delta comes sorted by x, so that equal candidates are neighbours in time: for each x a stamp per y says whether
 * (x, y) was given already. Candidates go to buckets by x. Two passes, count then write, touch no memory but the output.
 */
import type { Adjacency } from './adjacency.js';

/** What a delta's join amounts to before duplicates are combined. */
export interface JoinSize {
  /** Tuples that the join derives. */
  readonly derived: number;
  /** Delta tuples without a partner. */
  readonly unmatched: number;
}

/** Adds up pairs `start`..`end`. */
export function joinSize(delta: Uint32Array, start: number, end: number, know: Adjacency): JoinSize {
  const { offsets, stride } = know;
  let derived = 0;
  let unmatched = 0;
  for (let i = start * 2 + 1; i < end * 2; i += 2) {
    const row = Math.floor((delta[i] as number) / stride);
    const degree = (offsets[row + 1] as number) - (offsets[row] as number);
    derived += degree;
    if (degree === 0) unmatched += 1;
  }
  return { derived, unmatched };
}

/** State that goes on from one chunk of a pass to the next. */
export interface StampState {
  /** The x at hand, or -1. */
  source: number;
  /** Its stamp: 0 is none; a fresh one for each x of each pass. */
  stamp: number;
}

/** First pass over pairs `start`..`end`: adds the combined candidates to `counts`, by bucket x mod `counts.length`. */
export function countCandidates(
  delta: Uint32Array,
  start: number,
  end: number,
  know: Adjacency,
  stamps: Uint32Array,
  state: StampState,
  counts: Float64Array,
): void {
  const { offsets, targets, stride } = know;
  const buckets = counts.length;
  let { source, stamp } = state;
  let bucket = source < 0 ? 0 : source % buckets;
  for (let i = start * 2; i < end * 2; i += 2) {
    const x = delta[i] as number;
    if (x !== source) {
      source = x;
      stamp += 1;
      bucket = x % buckets;
    }
    const row = Math.floor((delta[i + 1] as number) / stride);
    const last = offsets[row + 1] as number;
    let found = 0;
    for (let edge = offsets[row] as number; edge < last; edge++) {
      const y = targets[edge] as number;
      if (stamps[y] === stamp) continue;
      stamps[y] = stamp;
      found += 1;
    }
    counts[bucket] = (counts[bucket] as number) + found;
  }
  state.source = source;
  state.stamp = stamp;
}

/** Second pass: writes the candidates that the first one counted; bucket b from pair `cursors[b]` on, which moves. */
export function writeCandidates(
  delta: Uint32Array,
  start: number,
  end: number,
  know: Adjacency,
  stamps: Uint32Array,
  state: StampState,
  cursors: Float64Array,
  out: Uint32Array,
): void {
  const { offsets, targets, stride } = know;
  const buckets = cursors.length;
  let { source, stamp } = state;
  for (let i = start * 2; i < end * 2; i += 2) {
    const x = delta[i] as number;
    if (x !== source) {
      source = x;
      stamp += 1;
    }
    const bucket = x % buckets;
    const row = Math.floor((delta[i + 1] as number) / stride);
    const last = offsets[row + 1] as number;
    let at = (cursors[bucket] as number) * 2;
    for (let edge = offsets[row] as number; edge < last; edge++) {
      const y = targets[edge] as number;
      if (stamps[y] === stamp) continue;
      stamps[y] = stamp;
      out[at] = x;
      out[at + 1] = y;
      at += 2;
    }
    cursors[bucket] = at / 2;
  }
  state.source = source;
  state.stamp = stamp;
}

/** Writes all candidates of pairs `start`..`end`, duplicates included, from pair `at` of `out` on; returns the end. */
export function writeDerived(
  delta: Uint32Array,
  start: number,
  end: number,
  know: Adjacency,
  out: Uint32Array,
  at: number,
): number {
  const { offsets, targets, stride } = know;
  let next = at * 2;
  for (let i = start * 2; i < end * 2; i += 2) {
    const row = Math.floor((delta[i + 1] as number) / stride);
    const last = offsets[row + 1] as number;
    for (let edge = offsets[row] as number; edge < last; edge++) {
      out[next] = delta[i] as number;
      out[next + 1] = targets[edge] as number;
      next += 2;
    }
  }
  return next / 2;
}
