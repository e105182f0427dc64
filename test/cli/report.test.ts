import { describe, expect, it } from 'vitest';
import { agreementOf, CONTENDERS, type ComparedRun, type StoppedRun } from '../../src/cli/compared-run.js';
import { comparisonJson, reportJson } from '../../src/cli/report-json.js';
import { comparisonTable, reportTable } from '../../src/cli/report-table.js';
import type { Estimate } from '../../src/recursion/cost-model/estimate.js';
import type { Prediction } from '../../src/recursion/cost-model/prediction.js';
import type { ReportTotals, RoundReport, RunReport } from '../../src/recursion/report.js';

const EXCHANGE = {
  delta: 10,
  derived: 8,
  duplicates: 3,
  fresh: 5,
  joinShuffledTuples: 6,
  joinShuffledBytes: 48,
  dedupShuffledTuples: 7,
  dedupShuffledBytes: 56,
  tested: 10,
  pruned: 4,
  falsePositives: 1,
};

const ROUND: RoundReport = {
  ...EXCHANGE,
  round: 1,
  pairs: 1000,
  probed: 'all',
  checkpointBytes: 0,
  ms: 2,
  exchangeMs: 1,
  joinMs: 0.5,
  dedupMs: 0.5,
};

const TOTALS: ReportTotals = {
  ...EXCHANGE,
  checkpointBytes: 0,
  resultShuffledTuples: 0,
  resultShuffledBytes: 0,
  ms: 12.34,
  setupMs: 10,
  filterBits: 512,
  filterBuildBits: 1024,
  filterFill: 0.4,
  predictedFalsePositiveRate: 0.01,
  observedFalsePositiveRate: 0.2,
  peakBytes: 2048,
};

function report(given: Partial<RunReport> = {}): RunReport {
  return {
    // Out of order on purpose: the JSON is to put its own.
    totals: TOTALS,
    rounds: [ROUND],
    complete: true,
    direction: 'left',
    predicted: null,
    pairs: 1234567,
    vertices: 1,
    edges: 2,
    strategy: 'semi-naive',
    filter: 'bloom',
    threads: 2,
    partitions: 8,
    ...given,
  };
}

function stopped(given: Partial<StoppedRun> = {}): StoppedRun {
  return {
    ...report(),
    strategy: 'naive',
    filter: 'none',
    complete: false,
    message: 'too late',
    stopped: 'deadline',
    ...given,
  };
}

describe('reports as JSON', () => {
  it('is one line, the documented names first and in their order, the rest after them', () => {
    const text = reportJson(report());
    expect(text).not.toContain('\n');
    const parsed = JSON.parse(text) as RunReport;
    expect(parsed).toEqual(report());
    expect(Object.keys(parsed).join()).toBe(
      'pairs,vertices,edges,strategy,filter,threads,partitions,complete,rounds,totals,direction,predicted',
    );
    expect(Object.keys(parsed.rounds[0] ?? {}).join()).toMatch(
      /^round,delta,derived,duplicates,fresh,joinShuffledTuples,joinShuffledBytes,dedupShuffledTuples,dedupShuffledBytes,tested,pruned,falsePositives,ms/,
    );
    expect(Object.keys(parsed.totals).join()).toMatch(
      /^delta,.*,ms,filterBits,predictedFalsePositiveRate,observedFalsePositiveRate,peakBytes/,
    );
  });

  it('keeps stopped runs in a comparison, with the same names and two more', () => {
    const [first, second] = JSON.parse(comparisonJson([stopped(), report()])) as [object, RunReport];
    expect(first).toEqual(stopped());
    expect(Object.keys(first).join()).toBe(
      'pairs,vertices,edges,strategy,filter,threads,partitions,complete,stopped,message,rounds,totals,direction,predicted',
    );
    expect(second).toMatchObject({ complete: true, pairs: 1234567 });
  });
});

describe('reports as tables', () => {
  it('shows what was predicted below what was counted', () => {
    const exact = (value: number): Estimate => ({ value, low: value, high: value, basis: 'exact' });
    const predicted: Prediction = {
      strategy: 'semi-naive',
      filter: 'bloom',
      confidence: 0.95,
      rounds: exact(1),
      pairs: exact(1234567),
      totals: {
        delta: exact(4),
        derived: { value: 8, low: 7, high: 9, basis: 'interval' },
        joinShuffledTuples: exact(6),
        joinShuffledBytes: exact(48),
        dedupShuffledTuples: { value: 8, low: 0, high: 8, basis: 'upper-bound' },
        dedupShuffledBytes: { value: 64, low: 0, high: 64, basis: 'upper-bound' },
        tested: exact(10),
        pruned: null,
        falsePositives: exact(1),
        checkpointBytes: exact(0),
      },
      filterBits: exact(512),
      falsePositiveRate: 0.01,
    };
    const row = reportTable(report({ predicted }))
      .split('\n')
      .find((line) => line.includes('predicted │'));
    expect(row?.split('│').map((cell) => cell.trim())).toEqual([
      '',
      'predicted',
      '4',
      '7 – 9',
      '',
      '',
      '≤ 14',
      '≤ 112 B',
      '',
      '1',
      '',
      '',
    ]);
    expect(reportTable(report())).not.toContain('predicted │');
  });

  it('shows rounds, sums over both exchanges, and the filter, without colours', () => {
    const text = reportTable(report());
    expect(text).toContain(
      '1,234,567 pairs · 1 vertex · 2 edges · semi-naive + bloom · left-linear · 2 threads · 8 partitions',
    );
    expect(text).toMatch(/│\s+1 │\s+10 │\s+8 │\s+3 │\s+5 │\s+13 │\s+104 B │\s+4 │\s+1 │\s+2.0 ms │/);
    expect(text).toContain(
      'filter 512 bits · 10 tuples tested · false positives predicted 1.0 % · observed 20.0 %',
    );
    expect(text).not.toContain('\u001b');
    expect(reportTable(report({ filter: 'none', threads: 0 }))).toMatch(/inline[^]*no filter/);
  });

  it('elides the middle of a long run', () => {
    const rounds = Array.from({ length: 1000 }, (_, i) => ({ ...ROUND, round: i + 1 }));
    const text = reportTable(report({ rounds }));
    expect(text).toContain('… 960 rounds …');
    expect(text.split('\n').length).toBeLessThan(60);
    for (const round of ['30', '991', '1,000']) expect(text).toMatch(new RegExp(`│\\s+${round} │`));
    expect(text).not.toMatch(/│\s+500 │/);
  });

  it('gives times as multiples of the fastest complete run', () => {
    const runs: ComparedRun[] = [
      report({ strategy: 'naive', filter: 'none', totals: { ...TOTALS, ms: 30 } }),
      report({ totals: { ...TOTALS, ms: 12 } }),
      stopped({ strategy: 'semi-naive', filter: 'exact', stopped: 'memory', pairs: 1000 }),
    ];
    const text = comparisonTable(runs);
    expect(text).toMatch(/naive .*│\s+2\.50 │/);
    expect(text).toMatch(/semi-naive \+ bloom .*│\s+1\.00 │/);
    expect(text).toMatch(/semi-naive \+ exact\s+│ stopped at 1,000 .*stopped: memory │/);
  });
});

describe('agreement', () => {
  const runs = CONTENDERS.map((contender) => report({ ...contender, pairs: 7 }));

  it('holds when all complete answers have the same size, and says how many are complete', () => {
    expect(agreementOf(runs)).toEqual({ holds: true, text: 'All 5 answers agree: 7 pairs' });
    expect(agreementOf([stopped(), ...runs.slice(1)]).text).toMatch(
      /^The 4 of 5 answers that are complete agree: 7 pairs/,
    );
    expect(agreementOf([stopped()]).text).toContain('No strategy finished');
  });

  it('fails when one differs, naming each', () => {
    const wrong = agreementOf([...runs.slice(1), report({ strategy: 'naive', filter: 'none', pairs: 8 })]);
    expect(wrong.holds).toBe(false);
    expect(wrong.text).toMatch(/do NOT agree: semi-naive 7, .*naive 8$/);
  });
});
