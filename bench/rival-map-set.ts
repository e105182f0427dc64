/**
 * The rival: the semi-naive closure that a good developer writes in plain JavaScript, on Maps and Sets of numbers. Pairs are
 * kept by source, the frontier in arrays, adjacency in arrays of distinct targets.
 */
import type { Edge } from './workloads.js';

export function closureByMapAndSet(edges: readonly Edge[]): number {
  const know = new Map<number, number[]>();
  const friend = new Map<number, Set<number>>();
  let delta: [number, number[]][] = [];
  for (const [x, y] of edges) {
    const known = friend.get(x);
    if (known === undefined) {
      const targets = [y];
      know.set(x, targets);
      friend.set(x, new Set(targets));
      delta.push([x, targets]);
    } else if (!known.has(y)) {
      known.add(y);
      know.get(x)?.push(y);
    }
  }
  let pairs = 0;
  for (const targets of know.values()) pairs += targets.length;
  while (delta.length > 0) {
    const next: [number, number[]][] = [];
    for (const [x, zs] of delta) {
      const known = friend.get(x);
      if (known === undefined) continue;
      const fresh: number[] = [];
      for (const z of zs) {
        for (const y of know.get(z) ?? []) {
          if (known.has(y)) continue;
          known.add(y);
          fresh.push(y);
        }
      }
      if (fresh.length === 0) continue;
      next.push([x, fresh]);
      pairs += fresh.length;
    }
    delta = next;
  }
  return pairs;
}
