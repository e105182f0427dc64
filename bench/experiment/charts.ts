/** Charts of the experiment as SVG text: vega-lite specifications, drawn without a browser. */
import * as vega from 'vega';
import { compile, type Config, type TopLevelSpec } from 'vega-lite';
import type { AdaptiveResult } from './adaptive.js';
import type { Calibration } from './calibration.js';
import type { Cell, WorkloadCells } from './cells.js';
import type { ScalePoint } from './scale.js';

/** File name without extension → SVG. */
export type Charts = ReadonlyMap<string, string>;

const CONFIG: Config = {
  background: 'white',
  font: 'Helvetica, Arial, sans-serif',
  title: {
    fontSize: 15,
    anchor: 'start',
    subtitleFontSize: 12,
    subtitleColor: '#555',
    subtitlePadding: 6,
    offset: 14,
  },
  axis: {
    labelFontSize: 11,
    titleFontSize: 12,
    titleFontWeight: 'normal',
    gridColor: '#e6e6e6',
    labelLimit: 260,
  },
  legend: { labelFontSize: 11, titleFontSize: 12, titleFontWeight: 'normal', labelLimit: 240 },
  header: { labelFontSize: 12, labelFontWeight: 'bold', title: null },
  view: { stroke: '#ccc' },
};

/** Tuples need ticks at powers of ten only. */
const POWERS = { format: '~s', values: [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9] };

export async function drawCharts(
  workloads: readonly WorkloadCells[],
  scale: readonly ScalePoint[],
  adaptive: readonly AdaptiveResult[],
  calibrations: readonly Calibration[],
): Promise<Charts> {
  const specs: Record<string, TopLevelSpec> = {
    'delta-by-round': deltaByRound(workloads),
    'tuples-shuffled': tuplesShuffled(workloads),
    'pruned-share': prunedShare(workloads),
    'time-by-scale': timeByScale(scale),
    'predicted-observed': predictedObserved(workloads),
    'sampled-intervals': sampledIntervals(calibrations),
    'adaptive-filter': adaptiveFilter(adaptive),
  };
  const drawn = new Map<string, string>();
  for (const [name, spec] of Object.entries(specs)) {
    const view = new vega.View(vega.parse(compile({ ...spec, config: CONFIG }).spec), { renderer: 'none' });
    drawn.set(name, `${await view.toSVG()}\n`);
    view.finalize();
  }
  return drawn;
}

const BY_ROUND = ['naive', 'semi-naive', 'look-ahead', 'smart', 'non-linear'];

function deltaByRound(workloads: readonly WorkloadCells[]): TopLevelSpec {
  const values = workloads.flatMap(({ workload, cells }) =>
    cells
      .filter(({ name, outcome }) => BY_ROUND.includes(name) && outcome.state === 'done')
      .flatMap(({ name, outcome }) =>
        outcome.state === 'done'
          ? outcome.report.rounds
              .filter(({ delta }) => delta > 0)
              .map(({ round, delta }) => ({ workload, method: name, round, delta }))
          : [],
      ),
  );
  return {
    title: {
      text: 'Tuples that a round joins',
      subtitle: 'Without a filter, left-linear. Methods that were stopped at the deadline are left out.',
    },
    data: { values },
    facet: { field: 'workload', sort: null },
    columns: 3,
    resolve: { scale: { x: 'independent', y: 'independent' } },
    spec: {
      width: 240,
      height: 170,
      mark: { type: 'line', point: { size: 18 }, strokeWidth: 1.6 },
      encoding: {
        x: {
          field: 'round',
          type: 'quantitative',
          title: 'round',
          scale: { type: 'log' },
          axis: { format: '~s', tickCount: 4 },
        },
        y: {
          field: 'delta',
          type: 'quantitative',
          title: 'tuples joined',
          scale: { type: 'log' },
          axis: POWERS,
        },
        color: {
          field: 'method',
          type: 'nominal',
          title: 'method',
          sort: BY_ROUND,
          scale: { scheme: 'tableau10' },
        },
      },
    },
  };
}

function tuplesShuffled(workloads: readonly WorkloadCells[]): TopLevelSpec {
  const values = workloads.flatMap(({ workload, cells }) =>
    cells.flatMap(({ name, outcome }) => {
      if (outcome.state !== 'done') return [];
      const { joinShuffledTuples, dedupShuffledTuples } = outcome.report.totals;
      return [
        { workload, method: name, exchange: 'join', tuples: joinShuffledTuples },
        { workload, method: name, exchange: 'duplicate elimination', tuples: dedupShuffledTuples },
      ].filter(({ tuples }) => tuples > 0);
    }),
  );
  const order = [...new Set(workloads.flatMap(({ cells }) => cells.map(({ name }) => name)))].filter((name) =>
    values.some(({ method }) => method === name),
  );
  return {
    title: {
      text: 'Tuples shuffled, by method and exchange',
      subtitle:
        'Direct methods (warshall, warren) shuffle nothing and are not shown; neither is what was stopped. Logarithmic axis.',
    },
    data: { values },
    facet: { field: 'workload', sort: null },
    columns: 3,
    resolve: { scale: { x: 'independent' } },
    spec: {
      width: 240,
      height: { step: 12 },
      mark: { type: 'point', filled: true, size: 42, opacity: 0.9 },
      encoding: {
        y: { field: 'method', type: 'nominal', title: null, sort: order, axis: { grid: true } },
        x: {
          field: 'tuples',
          type: 'quantitative',
          title: 'tuples written',
          scale: { type: 'log' },
          axis: POWERS,
        },
        color: { field: 'exchange', title: 'exchange', scale: { range: ['#4c78a8', '#f58518'] } },
        shape: { field: 'exchange', title: 'exchange' },
      },
    },
  };
}

function prunedShare(workloads: readonly WorkloadCells[]): TopLevelSpec {
  const values = workloads.flatMap(({ workload, exact, cells }) =>
    exact === undefined
      ? []
      : cells.flatMap((cell) => {
          const { strategy, filter, direction } = cell.method;
          if (cell.outcome.state !== 'done' || strategy !== 'semi-naive' || filter === 'none') return [];
          const { pruned, delta } = cell.outcome.report.totals;
          const provable = share(exact[direction].samples[0]?.deadEnds, exact[direction].samples[0]?.pairs);
          return [{ workload, filter, direction, provable, pruned: delta === 0 ? 0 : pruned / delta }];
        }),
  );
  return {
    title: {
      text: 'Pruned share against the provable share',
      subtitle:
        'Semi-naive. Provable: pairs that end where no tuple of Know begins. On the line: all of them. At zero: auto found it not worth while.',
    },
    data: { values },
    width: 420,
    height: 360,
    layer: [
      {
        data: { values: [{ at: 0 }, { at: 1 }] },
        mark: { type: 'line', color: '#999', strokeDash: [4, 4] },
        encoding: { x: { field: 'at', type: 'quantitative' }, y: { field: 'at', type: 'quantitative' } },
      },
      {
        mark: { type: 'point', size: 70, strokeWidth: 1.8 },
        encoding: {
          x: {
            field: 'provable',
            type: 'quantitative',
            title: 'provable share of the joined tuples',
            axis: { format: '%' },
          },
          y: {
            field: 'pruned',
            type: 'quantitative',
            title: 'pruned share of the joined tuples',
            axis: { format: '%' },
          },
          color: {
            field: 'filter',
            type: 'nominal',
            title: 'filter',
            sort: ['bloom', 'intersection', 'exact', 'auto'],
          },
          shape: { field: 'direction', type: 'nominal', title: 'direction', sort: ['left', 'right'] },
        },
      },
    ],
  };
}

function share(part: readonly number[] | undefined, whole: readonly number[] | undefined): number {
  const sum = (values: readonly number[] = []): number => values.reduce((total, value) => total + value, 0);
  return sum(whole) === 0 ? 0 : sum(part) / sum(whole);
}

function timeByScale(points: readonly ScalePoint[]): TopLevelSpec {
  return {
    title: {
      text: 'Time against size',
      subtitle: 'Medians of warm runs, from loaded edges to the count. Both axes are logarithmic.',
    },
    data: { values: points as ScalePoint[] },
    facet: { field: 'family', sort: null },
    columns: 3,
    resolve: { scale: { x: 'independent', y: 'independent' } },
    spec: {
      width: 240,
      height: 220,
      mark: { type: 'line', point: { size: 24 }, strokeWidth: 1.6 },
      encoding: {
        x: {
          field: 'pairs',
          type: 'quantitative',
          title: 'pairs of the closure',
          scale: { type: 'log' },
          axis: POWERS,
        },
        y: { field: 'ms', type: 'quantitative', title: 'milliseconds', scale: { type: 'log' }, axis: POWERS },
        color: {
          field: 'method',
          title: 'method',
          scale: { scheme: 'tableau10' },
          sort: [...new Set(points.map(({ method }) => method))],
        },
      },
    },
  };
}

const OBSERVED = ['delta', 'derived', 'joinShuffledTuples', 'dedupShuffledTuples', 'pruned'] as const;

function predictedObserved(workloads: readonly WorkloadCells[]): TopLevelSpec {
  const values = workloads.flatMap(({ workload, cells }) =>
    cells.flatMap((cell) => OBSERVED.flatMap((figure) => predictedFigure(workload, cell, figure))),
  );
  const reach = Math.max(10, ...values.map(({ predicted, observed }) => Math.max(predicted, observed)));
  return {
    title: {
      text: 'Predicted against observed',
      subtitle:
        'All methods that the cost model covers, from exact statistics. Bounds may lie above the line, nothing below.',
    },
    data: { values },
    width: 420,
    height: 360,
    layer: [
      {
        data: { values: [{ at: 1 }, { at: reach }] },
        mark: { type: 'line', color: '#999', strokeDash: [4, 4] },
        encoding: { x: { field: 'at', type: 'quantitative' }, y: { field: 'at', type: 'quantitative' } },
      },
      {
        mark: { type: 'point', size: 36, opacity: 0.8, strokeWidth: 1.4 },
        encoding: {
          x: {
            field: 'observed',
            type: 'quantitative',
            title: 'observed tuples',
            scale: { type: 'log' },
            axis: POWERS,
          },
          y: {
            field: 'predicted',
            type: 'quantitative',
            title: 'predicted tuples',
            scale: { type: 'log' },
            axis: POWERS,
          },
          color: { field: 'figure', type: 'nominal', title: 'figure', sort: [...OBSERVED] },
          shape: {
            field: 'basis',
            type: 'nominal',
            title: 'the prediction is',
            sort: ['exact', 'interval', 'upper-bound'],
          },
        },
      },
    ],
  };
}

function predictedFigure(
  workload: string,
  { name, outcome, predicted }: Cell,
  figure: (typeof OBSERVED)[number],
) {
  const estimate = predicted?.totals[figure];
  if (outcome.state !== 'done' || estimate === null || estimate === undefined) return [];
  const observed = outcome.report.totals[figure];
  // A logarithmic axis has no place for nothing.
  if (observed < 1 || estimate.value < 1) return [];
  return [{ workload, method: name, figure, observed, predicted: estimate.value, basis: estimate.basis }];
}

function sampledIntervals(calibrations: readonly Calibration[]): TopLevelSpec {
  const values = calibrations.map((each) => ({
    ...each,
    value: each.value / each.truth,
    low: each.low / each.truth,
    high: each.high / each.truth,
  }));
  return {
    title: {
      text: 'Intervals of a sample of 32 sources',
      subtitle:
        'First draw, semi-naive + exact, as multiples of the figure that is counted (line at 1). Stated confidence: 95 %.',
    },
    data: { values },
    facet: { row: { field: 'figure', sort: null, header: { labelAngle: 0, labelAlign: 'left' } } },
    spec: {
      width: 420,
      height: { step: 14 },
      layer: [
        { mark: { type: 'rule', color: '#999', strokeDash: [4, 4] }, encoding: { x: { datum: 1 } } },
        {
          mark: { type: 'rule', strokeWidth: 2, color: '#4c78a8' },
          encoding: {
            y: { field: 'workload', type: 'nominal', title: null, sort: null },
            x: { field: 'low', type: 'quantitative', title: 'predicted ÷ counted', scale: { zero: false } },
            x2: { field: 'high' },
          },
        },
        {
          mark: { type: 'point', filled: true, size: 40, color: '#f58518' },
          encoding: {
            y: { field: 'workload', type: 'nominal', sort: null },
            x: { field: 'value', type: 'quantitative' },
          },
        },
      ],
    },
  };
}

function adaptiveFilter(results: readonly AdaptiveResult[]): TopLevelSpec {
  const values = results.flatMap(({ workload, provableShare, control, auto, exact }) =>
    (
      [
        ['none ÷ none (control)', control],
        ['none ÷ auto', auto],
        ['none ÷ exact', exact],
      ] as const
    ).flatMap(([comparison, { all }]) =>
      all.map((ratio) => ({
        workload: `${workload} (${(provableShare * 100).toFixed(provableShare < 0.01 ? 2 : 0)} %)`,
        comparison,
        ratio,
      })),
    ),
  );
  return {
    title: {
      text: 'Adaptive filter: time without a filter ÷ time with it',
      subtitle:
        'Paired runs of semi-naive; in brackets the share that could be pruned. Above 1: the filter saves time. Box: middle half.',
    },
    data: { values },
    width: 460,
    height: { step: 16 },
    layer: [
      { mark: { type: 'rule', color: '#999', strokeDash: [4, 4] }, encoding: { x: { datum: 1 } } },
      {
        mark: { type: 'boxplot', extent: 'min-max', size: 11 },
        encoding: {
          y: { field: 'workload', type: 'nominal', title: null, sort: null },
          yOffset: { field: 'comparison', sort: null },
          x: {
            field: 'ratio',
            type: 'quantitative',
            title: 'time of none ÷ time of the other',
            scale: { zero: false },
          },
          color: {
            field: 'comparison',
            type: 'nominal',
            title: 'comparison',
            sort: null,
            scale: { range: ['#bab0ac', '#4c78a8', '#f58518'] },
          },
        },
      },
    ],
  };
}
