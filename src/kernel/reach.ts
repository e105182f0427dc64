/**
 * Breadth-first search from one vertex over compressed sparse rows, level by level: how many vertices are first reached by
 * each number of steps. And bottom-k sketches of how many vertices each vertex reaches (Cohen, Size-estimation framework with
 * applications to transitive closure and reachability, JCSS 1997). All functions work on stretches, so that a caller can yield
 * between two calls; none allocates.
 *
 * Hazard: stamps mark what was seen; a caller that runs out of them clears the array and starts at 1 again.
 */

/** Vertex v's targets are `targets[offsets[v] .. offsets[v + 1]]`, distinct. */
export interface SparseRows {
  readonly offsets: Uint32Array;
  readonly targets: Uint32Array;
}

/**
 * Appends to the queue, from `tail` on, the targets of queue[start..end] that do not bear `stamp` yet, and stamps them.
 * Returns the new tail.
 */
export function expand(
  { offsets, targets }: SparseRows,
  queue: Uint32Array,
  start: number,
  end: number,
  tail: number,
  stamps: Uint32Array,
  stamp: number,
): number {
  for (let i = start; i < end; i++) {
    const vertex = queue[i] as number;
    const stop = offsets[vertex + 1] as number;
    for (let edge = offsets[vertex] as number; edge < stop; edge++) {
      const target = targets[edge] as number;
      if (stamps[target] === stamp) continue;
      stamps[target] = stamp;
      queue[tail++] = target;
    }
  }
  return tail;
}

/** Out-degrees of a stretch of vertices. */
export interface DegreeSum {
  sum: number;
  /** Vertices without a target. */
  zeros: number;
}

export function addDegrees(
  { offsets }: SparseRows,
  vertices: Uint32Array,
  start: number,
  end: number,
  into: DegreeSum,
): void {
  for (let i = start; i < end; i++) {
    const vertex = vertices[i] as number;
    const degree = (offsets[vertex + 1] as number) - (offsets[vertex] as number);
    into.sum += degree;
    if (degree === 0) into.zeros += 1;
  }
}

/** Distinct targets of vertices[start..end]: those that did not bear `stamp` yet; they do now. */
export function countTargets(
  { offsets, targets }: SparseRows,
  vertices: Uint32Array,
  start: number,
  end: number,
  stamps: Uint32Array,
  stamp: number,
): number {
  let count = 0;
  for (let i = start; i < end; i++) {
    const vertex = vertices[i] as number;
    const stop = offsets[vertex + 1] as number;
    for (let edge = offsets[vertex] as number; edge < stop; edge++) {
      const target = targets[edge] as number;
      if (stamps[target] === stamp) continue;
      stamps[target] = stamp;
      count += 1;
    }
  }
  return count;
}

/**
 * Adds the vertex of this rank to the sketches of those that reach it: appends to the queue, from `tail` on, the vertices
 * from which one step leads to queue[start..end], unless their sketch is full, and counts the rank in it. A sketch that
 * becomes full notes the rank in `fullAt`. `reverse`: rows of the reversed graph. Returns the new tail.
 *
 * Vertices come in ascending order of rank: whoever reaches a vertex with a full sketch has a full sketch too.
 */
export function sketchBackwards(
  { offsets, targets: sources }: SparseRows,
  queue: Uint32Array,
  start: number,
  end: number,
  tail: number,
  stamps: Uint32Array,
  rank: number,
  sketch: { readonly counts: Uint32Array; readonly fullAt: Uint32Array; readonly size: number },
): number {
  const { counts, fullAt, size } = sketch;
  for (let i = start; i < end; i++) {
    const vertex = queue[i] as number;
    const stop = offsets[vertex + 1] as number;
    for (let edge = offsets[vertex] as number; edge < stop; edge++) {
      const source = sources[edge] as number;
      if (stamps[source] === rank || counts[source] === size) continue;
      stamps[source] = rank;
      const count = (counts[source] as number) + 1;
      counts[source] = count;
      if (count === size) fullAt[source] = rank;
      queue[tail++] = source;
    }
  }
  return tail;
}

/** Adds `weight` to the entry of each of vertices[start..end]. */
export function addWeight(
  vertices: Uint32Array,
  start: number,
  end: number,
  weight: number,
  into: Float64Array,
): void {
  for (let i = start; i < end; i++) {
    const vertex = vertices[i] as number;
    into[vertex] = (into[vertex] as number) + weight;
  }
}
