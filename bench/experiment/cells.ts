/**
 * Runs the matrix: every method on a workload, in one warm context, with a deadline each. What runs counted is kept as it was
 * reported; a run that was stopped keeps what it had done.
 */
import {
  MemoryBudgetError,
  predict,
  type ClosureStatistics,
  type Context,
  type PartialRunReport,
  type Prediction,
  type Rdd,
  type RunReport,
} from 'rejoin';
import type { Workload } from '../workloads.js';
import { METHODS, methodName, type Method } from './methods.js';

export type CellOutcome =
  | { readonly state: 'done'; readonly report: RunReport; readonly ms: number }
  | { readonly state: 'stopped'; readonly report: RunReport | PartialRunReport }
  /** It does not fit the memory budget. */
  | { readonly state: 'refused'; readonly message: string };

export interface Cell {
  readonly method: Method;
  readonly name: string;
  readonly outcome: CellOutcome;
  /** From exact statistics; null where they do not tell, or where it did not run to its end. */
  readonly predicted: Prediction | null;
}

export interface WorkloadCells {
  readonly workload: string;
  readonly vertices: number;
  readonly edges: number;
  readonly pairs: number | undefined;
  /** Left-linear and right-linear. Undefined: too much work to gather. */
  readonly exact: { readonly left: ClosureStatistics; readonly right: ClosureStatistics } | undefined;
  readonly cells: readonly Cell[];
  /** Of complete runs; two different ones are an error. */
  readonly answers: readonly number[];
}

export interface RunSettings {
  readonly deadlineMs: number;
  /** Runs of a cell; the median counts. A cell that takes longer than a third of the deadline is run once. */
  readonly repeat: number;
}

/** Vertices times edges up to which every source is searched for exact statistics: about half a minute. */
const EXACT_WORK = 3e9;

export async function runWorkload(
  context: Context,
  workload: Workload,
  settings: RunSettings,
  onCell: (name: string) => void,
): Promise<WorkloadCells> {
  const know = context.parallelize(workload.edges()).cache();
  const sample = await know.closureStatistics({ sample: 2 });
  const exact =
    sample.vertices * sample.edges > EXACT_WORK
      ? undefined
      : {
          left: await know.closureStatistics({ direction: 'left' }),
          right: await know.closureStatistics({ direction: 'right' }),
        };
  // Threads start and code is compiled before the first clock runs.
  await know.transitiveClosure({ maxDepth: 3 }).count();
  const cells: Cell[] = [];
  for (const method of METHODS) {
    const name = methodName(method);
    onCell(name);
    const outcome = await runCell(know, method, settings);
    cells.push({ method, name, outcome, predicted: predictionOf(method, outcome, exact) });
  }
  know.unpersist();
  const answers = new Set(
    cells.flatMap(({ outcome }) => (outcome.state === 'done' ? [outcome.report.pairs] : [])),
  );
  if (workload.knownPairs !== undefined) answers.add(workload.knownPairs);
  const [pairs] = answers;
  return {
    workload: workload.name,
    vertices: sample.vertices,
    edges: sample.edges,
    pairs,
    exact,
    cells,
    answers: [...answers],
  };
}

/** One method on loaded edges, to its end or to the deadline. */
export async function runCell(
  know: Rdd<[number, number]>,
  method: Method,
  { deadlineMs, repeat }: RunSettings,
): Promise<CellOutcome> {
  const reports: RunReport[] = [];
  while (reports.length < repeat) {
    const deadline = AbortSignal.timeout(deadlineMs);
    const friend = know.transitiveClosure({ ...method, signal: deadline });
    try {
      await friend.count();
    } catch (error) {
      if (error instanceof MemoryBudgetError) return { state: 'refused', message: error.message };
      if (deadline.aborted) return { state: 'stopped', report: await friend.partialReport() };
      throw error;
    }
    const report = await friend.report();
    reports.push(report);
    if (report.totals.ms > deadlineMs / 3) break;
  }
  const [report] = reports;
  if (report === undefined) throw new Error('a cell is run at least once');
  return { state: 'done', report, ms: median(reports.map(({ totals }) => totals.ms)) };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [below = NaN, above = NaN] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? above : (below + above) / 2;
}

function predictionOf(
  { strategy, direction, filter: asked }: Method,
  outcome: CellOutcome,
  exact: WorkloadCells['exact'],
): Prediction | null {
  // An adaptive filter probes what it finds worth it; the model speaks of filters that probe all.
  if (outcome.state !== 'done' || exact === undefined) return null;
  const { filter } = outcome.report;
  if (asked === 'auto' && filter === 'exact') return null;
  return predict({ strategy, filter }, exact[direction]);
}
