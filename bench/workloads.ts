/** Seeded graphs of known shape, and edge lists of files. Vertices are numbers. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

export type Edge = readonly [number, number];

export interface Workload {
  readonly name: string;
  /** Of the generator; none for what has no chance in it. */
  readonly seed: number | undefined;
  /** Size of the closure where a formula gives it. */
  readonly knownPairs: number | undefined;
  edges(): Edge[];
}

/** mulberry32 (Tommy Ettinger, public domain): 32 bits of state, uniform in [0, 1). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** (n + 1)² vertices, edges right and down; 2n rounds. */
function grid(n: number): Workload {
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

/** Each ordered pair of n vertices is an edge with probability p. Gaps between edges are geometric. */
function gnp(name: string, n: number, p: number, seed: number): Workload {
  return {
    name,
    seed,
    knownPairs: undefined,
    edges() {
      const random = randomNumbers(seed);
      const edges: Edge[] = [];
      const step = (): number => 1 + Math.floor(Math.log(1 - random()) / Math.log(1 - p));
      for (let at = step() - 1; at < n * n; at += step()) edges.push([Math.floor(at / n), at % n]);
      return edges;
    },
  };
}

/** A tree of the given height: fan-out uniform in 2..6; below the last level a node is a leaf with probability 0.4. */
function tree(height: number, seed: number): Workload {
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

/** A path of n vertices; n − 1 rounds: the worst case for the cost of a round. */
function chain(n: number): Workload {
  return {
    name: `Chain${n}`,
    seed: undefined,
    knownPairs: (n * (n - 1)) / 2,
    edges: () => Array.from({ length: n - 1 }, (_, i): Edge => [i, i + 1]),
  };
}

/** The first two columns of a file of numbers, separated by tabs or spaces; other lines are skipped. */
export function fileWorkload(path: string): Workload {
  return {
    name: basename(path),
    seed: undefined,
    knownPairs: undefined,
    edges: () =>
      readFileSync(path, 'utf8')
        .split(/\r?\n/)
        .map((line) => line.trim().split(/\s+/).map(Number))
        .flatMap(([source = NaN, target = NaN]): Edge[] =>
          Number.isNaN(source) || Number.isNaN(target) ? [] : [[source, target]],
        ),
  };
}

/** What `npm run bench` runs by default; `quick` ends within a minute. */
export const workloads = {
  full: () => [grid(100), gnp('G5K', 5000, 0.001, 5), tree(11, 11), chain(1000)],
  quick: () => [grid(30), gnp('G1K', 1000, 0.004, 1), tree(8, 8), chain(200)],
} as const;
