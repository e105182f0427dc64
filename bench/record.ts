/** What is kept of a benchmark run: results with everything needed to judge and repeat them, as JSON under bench/results/. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Row } from './measure.js';

export interface WorkloadResult {
  readonly workload: string;
  readonly seed: number | undefined;
  readonly edges: number;
  readonly rows: readonly Row[];
}

/** The top of the checkout, seen from build/bench/. */
const root = fileURLToPath(new URL('../../', import.meta.url));

/** Writes a new file and returns its path. */
export function record(
  settings: Readonly<Record<string, unknown>>,
  results: readonly WorkloadResult[],
): string {
  const date = new Date().toISOString();
  const folder = join(root, 'bench', 'results');
  const file = join(folder, `${date.replace(/[:.]/g, '-')}.json`);
  mkdirSync(folder, { recursive: true });
  const content = { date, commit: commit(), machine: machine(), settings, results };
  writeFileSync(file, `${JSON.stringify(content, undefined, 2)}\n`);
  return file;
}

/** `load` tells whether the machine was busy with something else: on a quiet one it is about the threads used. */
export function machine() {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    load: loadavg()[0] ?? 0,
  };
}

export function commit(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  } catch (error) {
    return `unknown (${error instanceof Error ? error.message.trim() : String(error)})`;
  }
}
