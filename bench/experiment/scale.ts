/** Time against size: a few methods on graphs of one shape that grow. */
import type { Context } from 'rejoin';
import { chain, grid, powerLaw, type Workload } from '../workloads.js';
import { runCell, type RunSettings } from './cells.js';
import { methodName, type Method } from './methods.js';

export interface ScalePoint {
  readonly family: string;
  readonly workload: string;
  readonly method: string;
  readonly pairs: number;
  readonly ms: number;
}

const left = { direction: 'left' } as const;
const METHODS: readonly Method[] = [
  { strategy: 'naive', filter: 'none', ...left },
  { strategy: 'semi-naive', filter: 'none', ...left },
  { strategy: 'semi-naive', filter: 'exact', ...left },
  { strategy: 'smart', filter: 'none', ...left },
  { strategy: 'non-linear', filter: 'none', ...left },
  { strategy: 'hadoop', filter: 'auto', ...left },
  { strategy: 'warren', filter: 'auto', ...left },
];

const FAMILIES: Readonly<Record<'full' | 'quick', readonly (readonly [string, readonly Workload[]])[]>> = {
  full: [
    ['Grid', [10, 20, 40, 60, 80].map((n) => grid(n))],
    ['Chain', [50, 100, 200, 400, 800].map((n) => chain(n))],
    ['Power law, 70 % sinks', [2000, 4000, 8000, 16_000, 32_000].map(sinks)],
  ],
  quick: [
    ['Grid', [5, 10, 20].map((n) => grid(n))],
    ['Chain', [25, 50, 100].map((n) => chain(n))],
    ['Power law, 70 % sinks', [500, 1000, 2000].map(sinks)],
  ],
};

function sinks(vertices: number): Workload {
  return powerLaw(`PowerLaw${vertices}`, { vertices, edges: vertices * 2, sinkShare: 0.7 }, vertices);
}

/** Cells that are stopped are left out, and so are larger ones of their method. */
export async function runScale(
  context: Context,
  set: 'full' | 'quick',
  settings: RunSettings,
  onCell: (name: string) => void,
): Promise<ScalePoint[]> {
  const points: ScalePoint[] = [];
  for (const [family, workloads] of FAMILIES[set]) {
    const stopped = new Set<Method>();
    for (const workload of workloads) {
      const know = context.parallelize(workload.edges()).cache();
      await know.count();
      for (const method of METHODS) {
        if (stopped.has(method)) continue;
        onCell(`${workload.name}, ${methodName(method)}`);
        const outcome = await runCell(know, method, settings);
        if (outcome.state !== 'done') {
          stopped.add(method);
          continue;
        }
        points.push({
          family,
          workload: workload.name,
          method: methodName(method),
          pairs: outcome.report.pairs,
          ms: outcome.ms,
        });
      }
      know.unpersist();
    }
  }
  return points;
}
