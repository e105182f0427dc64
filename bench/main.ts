/**
 * `npm run bench -- [options] [files]`: naive, semi-naive, and semi-naive with each filter, against the closure that a good
 * developer writes in plain JavaScript, on generated graphs and on the edge lists given. All must give the same answer.
 * Printed as tables, recorded under bench/results/. Exits with 1 if a contender failed or the answers differ.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { WorkloadSource } from './cell.js';
import { fileWorkload, type Columns } from './edge-file.js';
import { measure, type Row } from './measure.js';
import { commit, machine, record, type WorkloadResult } from './record.js';
import { tableOf } from './table.js';
import { workloads, type Workload } from './workloads.js';

const USAGE = `Usage: npm run bench -- [options] [edge lists]

  --quick             smaller graphs, one turn
  --only NAME         only this workload, by the name in its table (repeatable)
  --repeat N          turns; medians are over them (default 3, with --quick 1)
  --deadline SECONDS  for each run of a contender (default 120)
  --threads N         worker threads of the engine (default 2)
  --memory SIZE       the engine's budget for shared memory (default 4GiB)
  --columns A,B       columns of source and target in the edge lists, from 1 (default 1,2)
  --help`;

function options() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true, default: [] },
        repeat: { type: 'string' },
        deadline: { type: 'string', default: '120' },
        threads: { type: 'string', default: '2' },
        memory: { type: 'string', default: '4GiB' },
        columns: { type: 'string', default: '1,2' },
        help: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return wrongUsage(error instanceof Error ? error.message : String(error));
  }
}

function wrongUsage(message: string): never {
  console.error(`${message}\n\n${USAGE}`);
  process.exit(2);
}

function numberOf(option: string, text: string, minimum: number): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isSafeInteger(value) && value >= minimum) return value;
  return wrongUsage(`--${option} is ${text}; expected a whole number from ${minimum}`);
}

function columnsOf(text: string): Columns {
  const [source, target, more] = text.split(',');
  if (source === undefined || target === undefined || more !== undefined) {
    return wrongUsage(`--columns is ${text}; expected two, such as 2,3`);
  }
  return [numberOf('columns', source, 1), numberOf('columns', target, 1)];
}

const { values, positionals } = options();
if (values.help) {
  console.log(USAGE);
  process.exit();
}
const set = values.quick ? 'quick' : 'full';
const columns = columnsOf(values.columns);
const repeat = numberOf('repeat', values.repeat ?? (values.quick ? '1' : '3'), 1);
const deadlineSeconds = numberOf('deadline', values.deadline, 1);
const threads = numberOf('threads', values.threads, 0);
const { memory, only } = values;

const available: readonly (readonly [Workload, WorkloadSource])[] = [
  ...workloads[set].map((workload) => [workload, { set, name: workload.name }] as const),
  ...positionals.map((file) => {
    const path = resolve(file);
    return [fileWorkload(path, columns), { path, columns }] as const;
  }),
];
const names = available.map(([{ name }]) => name);
const unknown = only.find((name) => !names.includes(name));
if (unknown !== undefined) wrongUsage(`--only ${unknown}: there are ${names.join(', ')}`);
// Counted before anything is measured, so that a file that is missing or malformed does not end a long run in its middle.
const chosen = available
  .filter(([{ name }]) => only.length === 0 || only.includes(name))
  .map(([workload, source]) => ({ workload, source, edgeCount: countEdges(workload) }));

const { cpu, cores, node } = machine();
console.log(
  `${cpu}, ${cores} cores; Node ${node}; commit ${commit()}; ${threads} threads, ${repeat} turns\n`,
);
const results: WorkloadResult[] = [];
let sound = true;
for (const { workload, source, edgeCount } of chosen) {
  const rows = measure(
    { source, threads, memory },
    {
      repeat,
      deadlineSeconds,
      onRun: (contender, turn) => {
        if (process.stderr.isTTY) console.error(`${workload.name}: ${contender}, turn ${turn} of ${repeat}`);
      },
    },
  );
  results.push({ workload: workload.name, seed: workload.seed, edges: edgeCount, rows });
  console.log(tableOf(`${workload.name}: ${edgeCount.toLocaleString('en')} edges`, rows, deadlineSeconds));
  for (const problem of problemsOf(workload, rows)) {
    sound = false;
    console.error(problem);
  }
}
console.log(`Recorded in ${record({ set, repeat, deadlineSeconds, threads, memory, columns }, results)}`);
if (!sound) process.exitCode = 1;

function countEdges(workload: Workload): number {
  try {
    return workload.edges().length;
  } catch (error) {
    console.error(`Cannot read ${workload.name}: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  }
}

function problemsOf({ name, knownPairs }: Workload, rows: readonly Row[]): string[] {
  const problems = rows.flatMap(({ contender, outcome }) =>
    outcome.state === 'failed' ? [`${name}: ${contender} failed: ${outcome.message}`] : [],
  );
  const answers = new Set(rows.flatMap(({ outcome }) => (outcome.state === 'done' ? [outcome.pairs] : [])));
  if (knownPairs !== undefined) answers.add(knownPairs);
  if (answers.size > 1) problems.push(`${name}: the answers differ: ${[...answers].join(', ')}`);
  return problems;
}
