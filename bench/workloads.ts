/**
 * Generated graphs: deterministic by shape or by seed, vertices numbered from 0, no edge twice unless said. Shapes and
 * closure sizes are those of the literature on recursive queries (BigDatalog, RecStep), so that figures can be compared.
 */
import { randomNumbers } from './random.js';

export type Edge = readonly [number, number];

export interface Workload {
  readonly name: string;
  /** Of the generator; undefined for what has no chance in it. */
  readonly seed: number | undefined;
  /** Size of the closure where a formula gives it. */
  readonly knownPairs: number | undefined;
  /** A fresh array, generated or read at the call. */
  edges(): Edge[];
}

/** (n + 1)² vertices, edges right and down; 2n rounds. Closure: (s(s + 1)/2)² − s² pairs, s = n + 1. */
export function grid(n: number): Workload {
  const side = n + 1;
  return {
    name: `Grid${n}`,
    seed: undefined,
    knownPairs: ((side * (side + 1)) / 2) ** 2 - side ** 2,
    edges() {
      const edges: Edge[] = [];
      for (let vertex = 0; vertex < side * side; vertex++) {
        if (vertex % side < n) edges.push([vertex, vertex + 1]);
        if (vertex < n * side) edges.push([vertex, vertex + side]);
      }
      return edges;
    },
  };
}

/**
 * Each ordered pair of n vertices is an edge with probability p, pairs (v, v) as well. The gaps between edges are drawn,
 * geometrically distributed, so that the cost is the number of edges and not n².
 */
export function gnp(name: string, n: number, p: number, seed: number): Workload {
  return {
    name,
    seed,
    knownPairs: undefined,
    edges() {
      const random = randomNumbers(seed);
      const gap = (): number => 1 + Math.floor(Math.log(1 - random()) / Math.log(1 - p));
      const edges: Edge[] = [];
      for (let at = gap() - 1; at < n * n; at += gap()) edges.push([Math.floor(at / n), at % n]);
      return edges;
    },
  };
}

/**
 * A tree of the given height, edges from parent to child: fan-out uniform in 2..6; between the root and the last level a
 * node is a leaf with probability 0.4. Closure: the sum of the depths.
 */
export function tree(height: number, seed: number): Workload {
  return {
    name: `Tree${height}`,
    seed,
    knownPairs: undefined,
    edges() {
      const random = randomNumbers(seed);
      const edges: Edge[] = [];
      let level = [0];
      let next = 1;
      for (let depth = 0; depth < height; depth++) {
        const children: number[] = [];
        for (const node of level) {
          if (depth > 0 && random() < 0.4) continue;
          for (let i = 2 + Math.floor(random() * 5); i > 0; i--) {
            edges.push([node, next]);
            children.push(next++);
          }
        }
        level = children;
      }
      return edges;
    },
  };
}

/** A path of n vertices: n(n − 1)/2 pairs in n − 1 rounds, the worst case for the cost of a round. */
export function chain(n: number): Workload {
  return {
    name: `Chain${n}`,
    seed: undefined,
    knownPairs: (n * (n - 1)) / 2,
    edges: () => Array.from({ length: n - 1 }, (_, i): Edge => [i, i + 1]),
  };
}

/**
 * A directed graph as the web and social networks have them: in-degrees follow a power law (targets are drawn as ⌊n·u³⌋:
 * the lower its number, the more popular a vertex), and most vertices are *sinks*, without outgoing edges, where filters
 * have much to prune. May hold an edge twice, as files do.
 */
export function powerLaw(
  name: string,
  { vertices, edges: edgeCount, sinkShare }: { vertices: number; edges: number; sinkShare: number },
  seed: number,
): Workload {
  return {
    name,
    seed,
    knownPairs: undefined,
    edges() {
      const random = randomNumbers(seed);
      const sources = Array.from({ length: vertices }, (_, vertex) => vertex).filter(
        () => random() >= sinkShare,
      );
      const edges: Edge[] = [];
      while (sources.length > 0 && edges.length < edgeCount) {
        const source = sources[Math.floor(random() * sources.length)];
        if (source !== undefined) edges.push([source, Math.floor(vertices * random() ** 3)]);
      }
      return edges;
    },
  };
}

/** What `npm run bench` runs by default; `quick` ends within a minute or two. */
export const workloads = {
  full: [
    grid(100),
    gnp('G5K', 5000, 0.001, 5),
    tree(11, 11),
    chain(1000),
    powerLaw('PowerLaw20K', { vertices: 20_000, edges: 40_000, sinkShare: 0.7 }, 20),
  ],
  quick: [
    grid(30),
    gnp('G1K', 1000, 0.004, 1),
    tree(8, 8),
    chain(200),
    powerLaw('PowerLaw5K', { vertices: 5000, edges: 10_000, sinkShare: 0.7 }, 5),
  ],
} as const satisfies Record<string, readonly Workload[]>;

export type WorkloadSet = keyof typeof workloads;
