/**
 * One cell of the table, in a process of its own, so that its peak of memory is its own and nothing is warm: takes a job
 * as JSON from the arguments, measures one run with tinybench and prints its result as JSON. Measured is the way from edges
 * in the JS heap to the number of pairs, all of them kept: for the engine with start of threads, encoding and partitioning.
 */
import { createContext, type FilterKind, type Strategy } from 'rejoin';
import { Bench } from 'tinybench';
import { fileWorkload, type Columns } from './edge-file.js';
import { closureByMapAndSet } from './rival-map-set.js';
import { workloads, type Workload, type WorkloadSet } from './workloads.js';

export type Contender =
  | { readonly engine: 'map-set' }
  | { readonly engine: 'rejoin'; readonly strategy: Strategy; readonly filter: FilterKind };

export type WorkloadSource =
  { readonly set: WorkloadSet; readonly name: string } | { readonly path: string; readonly columns: Columns };

export interface CellJob {
  readonly source: WorkloadSource;
  readonly contender: Contender;
  readonly threads: number;
  /** Budget for shared memory, such as `4GiB`. */
  readonly memory: string;
}

export interface CellResult {
  readonly pairs: number;
  readonly ms: number;
  /** Of the whole process: the runtime, the edges as JS arrays and the generator are in it. */
  readonly peakRssBytes: number;
}

/** Throws for a name that the set does not have. */
function workloadOf(source: WorkloadSource): Workload {
  if ('path' in source) return fileWorkload(source.path, source.columns);
  const found = workloads[source.set].find(({ name }) => name === source.name);
  if (found === undefined) throw new Error(`there is no workload ${source.name} in the set ${source.set}`);
  return found;
}

/** Runs the job in this process. */
async function measure({ source, contender, threads, memory }: CellJob): Promise<CellResult> {
  const edges = workloadOf(source).edges();
  let pairs = 0;
  const bench = new Bench({ iterations: 1, time: 0, warmup: false, throws: true });
  // Told whether it is asynchronous, tinybench does not call the function an extra time to find out.
  if (contender.engine === 'map-set') {
    bench.add('cell', () => void (pairs = closureByMapAndSet(edges)), { async: false });
    await bench.run();
  } else {
    const { strategy, filter } = contender;
    await using context = await createContext({ threads, memory });
    const run = async (): Promise<void> => {
      pairs = await context
        .parallelize(edges)
        .transitiveClosure({ strategy, filter, direction: 'left' })
        .count();
    };
    bench.add('cell', run, { async: true });
    await bench.run();
  }
  const result = bench.tasks[0]?.result;
  if (result?.state !== 'completed') throw new Error(`the measurement ended as ${String(result?.state)}`);
  return { pairs, ms: result.latency.mean, peakRssBytes: process.resourceUsage().maxRSS * 1024 };
}

const [, , jobText] = process.argv;
if (jobText === undefined) throw new Error('expected a job as JSON; cells are started by main.js');
console.log(JSON.stringify(await measure(JSON.parse(jobText) as CellJob)));
