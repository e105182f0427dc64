/**
 * One cell of the table, in a process of its own, so that its peak of memory is its own: reads a job from the arguments,
 * measures once with tinybench, prints the result as JSON. Time is from edges in the JS heap to the count of pairs.
 */
import { createContext, type FilterKind, type Strategy } from 'rejoin';
import { Bench } from 'tinybench';
import { closureByMapAndSet } from './rival-map-set.js';
import { fileWorkload, workloads } from './workloads.js';

export interface CellJob {
  readonly workload: string;
  readonly set: 'full' | 'quick';
  readonly contender: { readonly rival: true } | { readonly strategy: Strategy; readonly filter: FilterKind };
  readonly threads: number;
}

export interface CellResult {
  readonly pairs: number;
  readonly ms: number;
  readonly peakRssBytes: number;
}

const job = JSON.parse(process.argv[2] ?? '{}') as CellJob;
const workload = workloads[job.set]().find(({ name }) => name === job.workload) ?? fileWorkload(job.workload);
const edges = workload.edges();
const { contender } = job;
let pairs = 0;

const bench = new Bench({ iterations: 1, time: 0, warmup: false, throws: true });
if ('rival' in contender) {
  bench.add('cell', () => {
    pairs = closureByMapAndSet(edges);
  });
  await bench.run();
} else {
  const context = await createContext({ threads: job.threads });
  bench.add('cell', async () => {
    pairs = await context.parallelize(edges).transitiveClosure(contender).count();
  });
  await bench.run();
  await context.close();
}
const result = bench.tasks[0]?.result;
if (result?.state !== 'completed') throw new Error(`the cell ended ${String(result?.state)}`);
const report: CellResult = {
  pairs,
  ms: result.latency.mean,
  peakRssBytes: process.resourceUsage().maxRSS * 1024,
};
console.log(JSON.stringify(report));
