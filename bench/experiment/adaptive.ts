/**
 * `filter: 'auto'` against `none`, in pairs of runs that take turns, beside a control: `none` against itself. A difference that
 * the control shows too says nothing.
 */
import type { Context, FilterKind, Rdd } from 'rejoin';
import type { Workload } from '../workloads.js';
import { median } from './cells.js';

interface Ratios {
  /** Time of the first over time of the second, one for each pair, ascending. */
  readonly all: readonly number[];
  readonly median: number;
}

export interface AdaptiveResult {
  readonly workload: string;
  /** Share of tuples that could be pruned. */
  readonly provableShare: number;
  /** Share of tuples that `auto` probed. */
  readonly probedShare: number;
  readonly control: Ratios;
  readonly auto: Ratios;
  readonly exact: Ratios;
}

/** Pairs of runs, each way. */
export const PAIRED_RUNS = 12;

export async function compareAdaptive(context: Context, workload: Workload): Promise<AdaptiveResult> {
  const know = context.parallelize(workload.edges()).cache();
  const run = runner(know);
  // Warm.
  for (const filter of ['none', 'auto', 'exact'] as const) await run(filter);
  const control: number[] = [];
  const auto: number[] = [];
  const exact: number[] = [];
  for (let turn = 0; turn < PAIRED_RUNS; turn++) {
    control.push(await paired(run, 'none', 'none', turn));
    auto.push(await paired(run, 'none', 'auto', turn));
    exact.push(await paired(run, 'none', 'exact', turn));
  }
  const { totals, pairs } = (await run('auto')).report;
  const pruned = (await run('exact')).report.totals.pruned;
  know.unpersist();
  return {
    workload: workload.name,
    provableShare: pairs === 0 ? 0 : pruned / pairs,
    probedShare: totals.delta === 0 ? 0 : totals.tested / totals.delta,
    control: ratios(control),
    auto: ratios(auto),
    exact: ratios(exact),
  };
}

type Run = ReturnType<typeof runner>;

function runner(know: Rdd<[number, number]>) {
  return async (filter: FilterKind) => {
    const friend = know.transitiveClosure({ strategy: 'semi-naive', direction: 'left', filter });
    const started = performance.now();
    await friend.count();
    return { ms: performance.now() - started, report: await friend.report() };
  };
}

/** Which of the two comes first changes with the turn. */
async function paired(run: Run, one: FilterKind, other: FilterKind, turn: number): Promise<number> {
  if (turn % 2 === 0) {
    const first = await run(one);
    return first.ms / (await run(other)).ms;
  }
  const second = await run(other);
  return (await run(one)).ms / second.ms;
}

function ratios(values: readonly number[]): Ratios {
  return { all: [...values].sort((a, b) => a - b), median: median(values) };
}
