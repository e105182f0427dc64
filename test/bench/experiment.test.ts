/**
 * The experiment on tiny graphs, whole: every method runs and agrees, the report has no hole in it, the charts are drawn. What the
 * full one found is in docs/experiment/.
 */
import { createContext, type Context } from 'rejoin';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compareAdaptive } from '../../bench/experiment/adaptive.js';
import { calibrate } from '../../bench/experiment/calibration.js';
import { runWorkload, type WorkloadCells } from '../../bench/experiment/cells.js';
import { drawCharts } from '../../bench/experiment/charts.js';
import { METHODS, methodName } from '../../bench/experiment/methods.js';
import { reportOf, type Experiment } from '../../bench/experiment/report.js';
import { commit, machine } from '../../bench/record.js';
import { chain, tree } from '../../bench/workloads.js';

const settings = { deadlineMs: 60_000, repeat: 1 };

describe('the experiment', () => {
  let context: Context;
  let experiment: Experiment;
  beforeAll(async () => {
    context = await createContext({ threads: 0, memory: '256MiB' });
    const workloads: WorkloadCells[] = [];
    for (const workload of [chain(12), tree(3, 3)])
      workloads.push(await runWorkload(context, workload, settings, () => undefined));
    const exact = workloads[1]?.exact?.left;
    experiment = {
      date: '2026-01-01T00:00:00.000Z',
      commit: commit(),
      machine: machine(),
      command: 'npm run experiment',
      threads: 0,
      ...settings,
      workloads,
      scale: [
        { family: 'Chain', workload: 'Chain12', method: 'naive', pairs: 66, ms: 2 },
        { family: 'Chain', workload: 'Chain24', method: 'naive', pairs: 276, ms: 9 },
      ],
      adaptive: [await compareAdaptive(context, tree(3, 3))],
      calibrations: exact === undefined ? [] : await calibrate(context, tree(3, 3), exact, 3),
    };
  }, 120_000);
  afterAll(() => context.close());

  it('runs every method to the same answer', () => {
    expect(new Set(METHODS.map(methodName)).size).toBe(METHODS.length);
    for (const { cells, answers } of experiment.workloads) {
      expect(cells.map(({ outcome }) => outcome.state)).toEqual(METHODS.map(() => 'done'));
      expect(answers).toHaveLength(1);
    }
    expect(experiment.workloads[0]?.pairs).toBe(66);
  });

  it('is stopped at its deadline, and says so', async () => {
    const { cells } = await runWorkload(context, chain(400), { deadlineMs: 1, repeat: 1 }, () => undefined);
    expect(cells.find(({ name }) => name === 'naive')?.outcome).toMatchObject({
      state: 'stopped',
      report: { complete: false },
    });
  }, 60_000);

  it('writes a report without holes', () => {
    const text = reportOf(experiment);
    expect(text).not.toMatch(/undefined|NaN|Infinity/);
    expect(text).toMatch(/\| Chain12 \| 12 \| 11 \| 66 \| 35 of 35 \| 0 \| 0 \| all equal \|/);
    expect(text).toMatch(/(\d+) of \1 figures predicted as exact are equal/);
    expect(text).toMatch(/(\d+) of \1 upper bounds hold/);
    for (const row of text.split('\n').filter((line) => line.startsWith('|')))
      expect(row.endsWith(' |')).toBe(true);
  });

  it('says when answers differ', () => {
    const [first, ...rest] = experiment.workloads as [WorkloadCells, ...WorkloadCells[]];
    const text = reportOf({ ...experiment, workloads: [{ ...first, answers: [66, 67] }, ...rest] });
    expect(text).toContain('**differ: 66, 67**');
  });

  it('draws charts with titles, axes and legends', async () => {
    const { workloads, scale, adaptive, calibrations } = experiment;
    const charts = await drawCharts(workloads, scale, adaptive, calibrations);
    expect([...charts.keys()]).toHaveLength(7);
    for (const [name, svg] of charts) {
      expect(svg, name).toMatch(/^<svg[\s\S]*<\/svg>\n$/);
      expect(svg, name).not.toMatch(/NaN|undefined/);
      expect(svg, name).toContain('role-title');
      expect(svg, name).toContain('role-axis-title');
      expect(reportOf(experiment)).toContain(`(${name}.svg)`);
    }
  });
});
