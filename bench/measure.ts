/**
 * All contenders on one workload. Each run is a process of its own (bench/cell.ts); the contenders take turns, so that a
 * noisy minute hurts all alike, and each is compared with the rival of the same turn. A contender that exceeds the deadline
 * or fails is not run again.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CellJob, CellResult, Contender } from './cell.js';

const contenders: Readonly<Record<string, Contender>> = {
  'Map and Set, plain JS': { engine: 'map-set' },
  naive: { engine: 'rejoin', strategy: 'naive', filter: 'none' },
  'semi-naive': { engine: 'rejoin', strategy: 'semi-naive', filter: 'none' },
  'semi-naive + bloom': { engine: 'rejoin', strategy: 'semi-naive', filter: 'bloom' },
  'semi-naive + intersection': { engine: 'rejoin', strategy: 'semi-naive', filter: 'intersection' },
  'semi-naive + exact': { engine: 'rejoin', strategy: 'semi-naive', filter: 'exact' },
};
const RIVAL = 'Map and Set, plain JS';

export interface MeasureSettings {
  readonly repeat: number;
  /** For a whole run: process start and reading or generating the edges as well. */
  readonly deadlineSeconds: number;
  /** Told what runs next. */
  readonly onRun: (contender: string, turn: number) => void;
}

/** What one contender did on one workload. */
type Outcome =
  | {
      readonly state: 'done';
      readonly pairs: number;
      readonly medianMs: number;
      /** In the order of the turns. */
      readonly runsMs: readonly number[];
      /** The most of all runs. */
      readonly peakRssBytes: number;
      /** The rival's time over this one's, median over the turns; undefined where the rival did not end. */
      readonly timesRival: number | undefined;
    }
  | { readonly state: 'stopped' }
  | { readonly state: 'failed'; readonly message: string };

export interface Row {
  readonly contender: string;
  readonly outcome: Outcome;
}

export function measure(job: Omit<CellJob, 'contender'>, settings: MeasureSettings): Row[] {
  const runs = new Map<string, CellResult[]>(Object.keys(contenders).map((name) => [name, []]));
  const ended = new Map<string, Outcome>();
  for (let turn = 1; turn <= settings.repeat; turn++) {
    for (const [name, contender] of Object.entries(contenders)) {
      if (ended.has(name)) continue;
      settings.onRun(name, turn);
      const run = runCell({ ...job, contender }, settings.deadlineSeconds);
      if ('state' in run) ended.set(name, run);
      else runs.get(name)?.push(run);
    }
  }
  const rivalRuns = ended.has(RIVAL) ? [] : (runs.get(RIVAL) ?? []);
  return [...runs].map(([contender, own]) => ({
    contender,
    outcome: ended.get(contender) ?? summary(own, rivalRuns),
  }));
}

function summary(runs: readonly CellResult[], rivalRuns: readonly CellResult[]): Outcome {
  const answers = new Set(runs.map(({ pairs }) => pairs));
  const [pairs] = answers;
  if (pairs === undefined || answers.size > 1) {
    return { state: 'failed', message: `its runs give different answers: ${[...answers].join(', ')}` };
  }
  const runsMs = runs.map(({ ms }) => ms);
  const ratios = rivalRuns.flatMap(({ ms }, turn) => {
    const own = runsMs[turn];
    return own === undefined ? [] : [ms / own];
  });
  return {
    state: 'done',
    pairs,
    medianMs: median(runsMs),
    runsMs,
    peakRssBytes: Math.max(...runs.map(({ peakRssBytes }) => peakRssBytes)),
    timesRival: ratios.length === 0 ? undefined : median(ratios),
  };
}

function runCell(job: CellJob, deadlineSeconds: number): CellResult | Outcome {
  const cell = fileURLToPath(new URL('./cell.js', import.meta.url));
  const { status, signal, stdout, stderr, error } = spawnSync(process.execPath, [cell, JSON.stringify(job)], {
    encoding: 'utf8',
    timeout: deadlineSeconds * 1000,
    killSignal: 'SIGKILL',
  });
  if (error !== undefined && 'code' in error && error.code === 'ETIMEDOUT') return { state: 'stopped' };
  if (error !== undefined) return { state: 'failed', message: error.message };
  if (status !== 0)
    return { state: 'failed', message: stderr.trim() || `ended by ${String(signal ?? status)}` };
  return JSON.parse(stdout) as CellResult;
}

/** Of at least one value. */
function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? NaN;
  return (lower + upper) / 2;
}
