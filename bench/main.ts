/**
 * `npm run bench`: naive, semi-naive, and semi-naive with each filter, against the plain-JS rival, on generated graphs and
 * any files given. Every cell runs in a process of its own; rounds of all contenders alternate, so that a noisy minute
 * hurts all alike; medians and their ratios are printed and recorded.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import type { CellJob, CellResult } from './cell.js';
import { fileWorkload, workloads, type Workload } from './workloads.js';

const contenders: Readonly<Record<string, CellJob['contender']>> = {
  'Map/Set, plain JS': { rival: true },
  naive: { strategy: 'naive', filter: 'none' },
  'semi-naive': { strategy: 'semi-naive', filter: 'none' },
  'semi-naive + bloom': { strategy: 'semi-naive', filter: 'bloom' },
  'semi-naive + intersection': { strategy: 'semi-naive', filter: 'intersection' },
  'semi-naive + exact': { strategy: 'semi-naive', filter: 'exact' },
};
const RIVAL = 'Map/Set, plain JS';

interface Row {
  readonly contender: string;
  readonly pairs: number | undefined;
  /** Undefined: stopped at the deadline. */
  readonly medianMs: number | undefined;
  readonly runsMs: readonly number[];
  readonly peakRssBytes: number | undefined;
  /** The rival's median time over this one's. */
  readonly speedup: number | undefined;
}

const { values: options, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    deadline: { type: 'string', default: '60' },
    repeat: { type: 'string', default: '3' },
    threads: { type: 'string', default: '2' },
    only: { type: 'string', multiple: true, default: [] },
  },
});
const deadlineSeconds = positive('deadline', options.deadline);
const repeat = positive('repeat', options.repeat);
const threads = positive('threads', options.threads);
const set = options.quick ? 'quick' : 'full';
const chosen = [...workloads[set](), ...files.map((file) => fileWorkload(resolve(file)))].filter(
  ({ name }) => options.only.length === 0 || options.only.includes(name),
);
const results: {
  readonly workload: string;
  readonly seed: number | undefined;
  readonly rows: readonly Row[];
}[] = [];

for (const workload of chosen) {
  const rows = measure(workload);
  results.push({ workload: workload.name, seed: workload.seed, rows });
  print(workload, rows);
}
record();

function measure(workload: Workload): Row[] {
  const path = files.find((file) => fileWorkload(resolve(file)).name === workload.name);
  const runs = new Map<string, CellResult[]>();
  const stopped = new Set<string>();
  for (let i = 0; i < repeat; i++) {
    for (const [name, contender] of Object.entries(contenders)) {
      if (stopped.has(name)) continue;
      const job: CellJob = {
        workload: path === undefined ? workload.name : resolve(path),
        set,
        contender,
        threads,
      };
      const result = runCell(job);
      if (result === undefined) stopped.add(name);
      else runs.set(name, [...(runs.get(name) ?? []), result]);
    }
  }
  const rivalMs = stopped.has(RIVAL) ? undefined : median((runs.get(RIVAL) ?? []).map(({ ms }) => ms));
  return Object.keys(contenders).map((contender): Row => {
    const cells = stopped.has(contender) ? [] : (runs.get(contender) ?? []);
    const medianMs = median(cells.map(({ ms }) => ms));
    return {
      contender,
      pairs: cells[0]?.pairs,
      medianMs,
      runsMs: cells.map(({ ms }) => ms),
      peakRssBytes:
        cells.length === 0 ? undefined : Math.max(...cells.map(({ peakRssBytes }) => peakRssBytes)),
      speedup: medianMs === undefined || rivalMs === undefined ? undefined : rivalMs / medianMs,
    };
  });
}

/** Undefined: stopped at the deadline. */
function runCell(job: CellJob): CellResult | undefined {
  const cell = fileURLToPath(new URL('./cell.js', import.meta.url));
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [cell, JSON.stringify(job)], {
    encoding: 'utf8',
    timeout: deadlineSeconds * 1000,
    killSignal: 'SIGKILL',
  });
  if (error !== undefined && 'code' in error && error.code === 'ETIMEDOUT') return undefined;
  if (status !== 0) throw new Error(`a cell failed: ${JSON.stringify(job)}\n${stderr}`);
  return JSON.parse(stdout) as CellResult;
}

function print(workload: Workload, rows: readonly Row[]): void {
  const answers = new Set(rows.flatMap(({ pairs }) => (pairs === undefined ? [] : [pairs])));
  if (workload.knownPairs !== undefined) answers.add(workload.knownPairs);
  if (answers.size > 1) throw new Error(`${workload.name}: the answers differ: ${[...answers].join(', ')}`);
  const table = new Table({
    head: [workload.name, 'median s', 'times the rival', 'peak RSS MiB'],
    style: { head: [] },
  });
  for (const { contender, medianMs, speedup, peakRssBytes } of rows) {
    table.push([
      contender,
      medianMs === undefined ? `stopped at ${deadlineSeconds} s` : (medianMs / 1000).toFixed(2),
      speedup === undefined ? '' : speedup.toFixed(2),
      peakRssBytes === undefined ? '' : (peakRssBytes / 2 ** 20).toFixed(0),
    ]);
  }
  const [pairs] = answers;
  console.log(
    `${workload.name}: ${pairs === undefined ? 'no answer' : `${pairs.toLocaleString('en')} pairs`}, the same from every contender that ended`,
  );
  console.log(table.toString());
}

function record(): void {
  const folder = join('bench', 'results');
  mkdirSync(folder, { recursive: true });
  const date = new Date().toISOString();
  const file = join(folder, `${date.replace(/[:.]/g, '-')}.json`);
  const machine = {
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    memoryBytes: totalmem(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
  };
  writeFileSync(
    file,
    JSON.stringify(
      { date, commit: commit(), machine, set, threads, repeat, deadlineSeconds, results },
      null,
      2,
    ),
  );
  console.log(`Recorded in ${file}`);
}

function commit(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim();
  } catch (error) {
    return `unknown (${error instanceof Error ? error.message : String(error)})`;
  }
}

function median(values: readonly number[]): number | undefined {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  const lower = sorted[sorted.length % 2 === 1 ? middle : middle - 1];
  return upper === undefined || lower === undefined ? undefined : (upper + lower) / 2;
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  console.error(`--${option} is ${text}; expected a number above 0`);
  process.exit(2);
}
