/** Small graphs of the kinds that the literature measures on, and some that are hard to sample. */
import { chain, gnp, grid, powerLaw, tree } from '../../bench/workloads.js';

type Edge = [number, number];

/** Two dense groups, one far larger, joined by one edge; and a fan of long tails. */
function uneven(): Edge[] {
  const edges: Edge[] = [];
  for (let i = 0; i < 12; i++) for (let j = 0; j < 12; j += 3) edges.push([i, (i + j + 1) % 12]);
  for (let i = 0; i < 150; i++)
    for (let j = 0; j < 4; j++) edges.push([100 + i, 100 + ((i * 7 + j * 31) % 150)]);
  edges.push([3, 100]);
  for (let tail = 0; tail < 6; tail++)
    for (let i = 0; i < 30; i++) edges.push([i === 0 ? 7 : 300 + tail * 40 + i, 300 + tail * 40 + i + 1]);
  return edges;
}

export const WORKLOADS: readonly (readonly [name: string, edges: Edge[]])[] = [
  grid(12),
  gnp('G300', 300, 0.01, 3),
  tree(6, 6),
  chain(80),
  powerLaw('PowerLaw600', { vertices: 600, edges: 1300, sinkShare: 0.7 }, 6),
]
  .map(({ name, edges }) => [name, edges().map(([x, y]): Edge => [x, y])] as const)
  .concat([['Uneven', uneven()]]);
