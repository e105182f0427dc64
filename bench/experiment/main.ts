/**
 * `npm run experiment -- [options] [files]`: every method on every workload, with a check that all answers agree, the adaptive
 * filter against a control, the cost model against what was counted; written to docs/experiment/ as Markdown, charts and
 * JSON. Exits with 1 if answers differ.
 */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createContext } from 'rejoin';
import { fileWorkload } from '../edge-file.js';
import { commit, machine } from '../record.js';
import { chain, gnp, grid, powerLaw, tree, type Workload } from '../workloads.js';
import { compareAdaptive, type AdaptiveResult } from './adaptive.js';
import { calibrate, type Calibration } from './calibration.js';
import { runWorkload, type WorkloadCells } from './cells.js';
import { drawCharts } from './charts.js';
import { reportOf } from './report.js';
import { runScale } from './scale.js';

const USAGE = `Usage: npm run experiment -- [options] [edge lists]

  --quick             small graphs; ends in a minute
  --deadline SECONDS  for each run (default 20, with --quick 2)
  --threads N         worker threads (default 2)
  --out FOLDER        where it is written (default docs/experiment, with --quick docs/experiment/quick)
  --help

Edge lists given, and those (*.tsv) in the folder that REJOIN_DATA names, are run after the generated graphs; the latter not
with --quick.`;

const root = fileURLToPath(new URL('../../../', import.meta.url));

const { values, positionals } = options();
if (values.help) {
  console.log(USAGE);
  process.exit();
}
const set = values.quick ? 'quick' : 'full';
const seconds = Number(values.deadline ?? (values.quick ? '2' : '20'));
const threads = Number(values.threads);
if (!(seconds > 0)) wrongUsage(`--deadline is ${values.deadline ?? ''}; expected seconds above 0`);
if (!Number.isInteger(threads) || threads < 0)
  wrongUsage(`--threads is ${values.threads}; expected 0, 1, 2, …`);
const settings = { deadlineMs: seconds * 1000, repeat: values.quick ? 1 : 3 };
const out = resolve(values.out ?? join(root, 'docs', 'experiment', values.quick ? 'quick' : ''));

/** Graphs with something to prune, and without. */
const generated: Readonly<Record<'full' | 'quick', readonly Workload[]>> = {
  full: [
    grid(60),
    gnp('G2K', 2000, 0.002, 2),
    tree(11, 11),
    chain(500),
    powerLaw('PowerLaw10K', { vertices: 10_000, edges: 20_000, sinkShare: 0.7 }, 10),
  ],
  quick: [
    grid(20),
    gnp('G500', 500, 0.006, 2),
    tree(7, 7),
    chain(100),
    powerLaw('PowerLaw2K', { vertices: 2000, edges: 4000, sinkShare: 0.7 }, 2),
  ],
};

const files = [...positionals.map((file) => resolve(file)), ...(values.quick ? [] : dataFiles())];
const workloads = [...generated[set], ...files.map((file) => fileWorkload(file, columnsOf(file)))];

await using context = await createContext({ threads });
const results: WorkloadCells[] = [];
const adaptive: AdaptiveResult[] = [];
const calibrations: Calibration[] = [];
for (const workload of workloads) {
  const cells = await runWorkload(context, workload, settings, (name) => {
    progress(`${workload.name}: ${name}`);
  });
  results.push(cells);
  const plain = cells.cells.find(({ name }) => name === 'semi-naive')?.outcome;
  if (plain?.state === 'done' && plain.ms < settings.deadlineMs / 2) {
    progress(`${workload.name}: adaptive filter`);
    adaptive.push(await compareAdaptive(context, workload));
  }
  if (cells.exact !== undefined) {
    progress(`${workload.name}: calibration`);
    calibrations.push(...(await calibrate(context, workload, cells.exact.left, values.quick ? 20 : 60)));
  }
}
const scale = await runScale(context, set, settings, progress);

mkdirSync(out, { recursive: true });
const charts = await drawCharts(results, scale, adaptive, calibrations);
for (const [name, svg] of charts) writeFileSync(join(out, `${name}.svg`), svg);
const given = process.argv.slice(2).filter((_, i, all) => all[i] !== '--out' && all[i - 1] !== '--out');
const experiment = {
  date: new Date().toISOString(),
  commit: commit(),
  machine: machine(),
  command: ['npm run experiment', ...(given.length === 0 ? [] : ['--', ...given])].join(' '),
  threads,
  ...settings,
  workloads: results,
  scale,
  adaptive,
  calibrations,
};
writeFileSync(join(out, 'README.md'), reportOf(experiment));
console.log(`Written to ${out}`);
for (const { workload, answers } of results) {
  if (answers.length <= 1) continue;
  console.error(`${workload}: the answers differ: ${answers.join(', ')}`);
  process.exitCode = 1;
}

function options() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        quick: { type: 'boolean', default: false },
        deadline: { type: 'string' },
        threads: { type: 'string', default: '2' },
        out: { type: 'string' },
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

function dataFiles(): string[] {
  const folder = process.env['REJOIN_DATA'];
  if (folder === undefined) {
    console.error('REJOIN_DATA names no folder: real graphs are left out');
    return [];
  }
  return readdirSync(folder)
    .filter((name) => name.endsWith('.tsv'))
    .map((name) => join(folder, name));
}

function columnsOf(file: string): readonly [number, number] {
  return file.endsWith('TG.cedge.tsv') ? [2, 3] : [1, 2];
}

function progress(text: string): void {
  if (process.stderr.isTTY) console.error(text);
}
