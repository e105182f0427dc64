/** The experiment as Markdown: what was claimed, what was measured, and what was slower. */
import type { commit, machine } from '../record.js';
import { PAIRED_RUNS, type AdaptiveResult } from './adaptive.js';
import type { Calibration } from './calibration.js';
import type { Cell, CellOutcome, WorkloadCells } from './cells.js';
import type { ScalePoint } from './scale.js';

export interface Experiment {
  readonly date: string;
  readonly commit: ReturnType<typeof commit>;
  readonly machine: ReturnType<typeof machine>;
  readonly command: string;
  readonly threads: number;
  readonly deadlineMs: number;
  readonly repeat: number;
  readonly workloads: readonly WorkloadCells[];
  readonly scale: readonly ScalePoint[];
  readonly adaptive: readonly AdaptiveResult[];
  readonly calibrations: readonly Calibration[];
}

export function reportOf(experiment: Experiment): string {
  const { workloads, adaptive, calibrations } = experiment;
  return (
    [
      '# Naive against filtered recursion: the experiment',
      head(experiment),
      '## The short of it',
      findings(experiment).join('\n'),
      '## Answers',
      answers(workloads),
      '## What the filter can prune, and what it pruned',
      'A pair can be pruned before the join exchange when it ends where no tuple of Know begins. Shares are of the tuples joined by ' +
        'semi-naive evaluation; exact, intersection and bloom at a false-positive rate of 1 %.',
      prunedTable(workloads),
      '![Pruned share against the provable share](pruned-share.svg)',
      '## Rounds',
      '![Tuples that a round joins](delta-by-round.svg)',
      '## Tuples shuffled',
      '![Tuples shuffled, by method and exchange](tuples-shuffled.svg)',
      '## Time',
      `Milliseconds, medians of up to ${experiment.repeat} warm runs from loaded edges to the count; in brackets, times as long as ` +
        'plain semi-naive. Compare within a column: the machine is not quiet.',
      timeTable(workloads),
      '![Time against size](time-by-scale.svg)',
      '## The adaptive filter',
      `Semi-naive with \`filter: 'auto'\` and with the exact bitmap against none, ${PAIRED_RUNS} pairs of runs that take turns, and none ` +
        'against itself as a control. Ratios above 1 mean that the filter saves time.',
      adaptiveTable(adaptive),
      '![Adaptive filter](adaptive-filter.svg)',
      '## The cost model',
      modelText(workloads),
      '![Predicted against observed](predicted-observed.svg)',
      'Intervals of sampled statistics (32 sources, as a run draws them), stated at 95 %: how many draws hold the exact figure, and ' +
        'their mean half width.',
      calibrationTable(calibrations),
      '![Intervals of a sample](sampled-intervals.svg)',
      '## Every cell',
      ...workloads.map(cellTable),
    ].join('\n\n') + '\n'
  );
}

function head({ date, commit, machine, command, threads, deadlineMs }: Experiment): string {
  return (
    `Made by \`${command}\` on ${date.slice(0, 10)}, commit ${commit}: ${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, ` +
    `${threads} worker threads; deadline ${deadlineMs / 1000} s a run. Methods are described in [strategies.md](../strategies.md). ` +
    'Figures of tuples and bytes are counted where they are written; they are the same on every machine. Times are not.'
  );
}

/** Sentences that hold of these results, whatever they are. */
function findings({ workloads, adaptive }: Experiment): string[] {
  const lines: string[] = [];
  const compared = workloads.flatMap((each) => {
    const plain = time(each, 'semi-naive');
    return plain === undefined ? [] : [{ each, plain }];
  });
  for (const [name, text] of [
    ['naive', 'Naive evaluation against semi-naive'],
    ['smart', 'Smart evaluation against semi-naive'],
    ['non-linear', 'Non-linear evaluation against semi-naive'],
    ['look-ahead', 'Two steps a round against semi-naive'],
    ['hadoop', 'Nothing cached (hadoop) against semi-naive'],
    ['haloop', 'Caches read again each round (haloop) against semi-naive'],
    ['spark+ibf', 'The paper’s proposal (spark+ibf) against semi-naive without a filter'],
    ['warren', 'The direct method of Warren against semi-naive'],
  ] as const) {
    const ratios = compared.flatMap(({ each, plain }) => {
      const ms = time(each, name);
      return ms === undefined ? [] : [{ workload: each.workload, ratio: ms / plain }];
    });
    const stopped = compared.length - ratios.length;
    if (ratios.length === 0) continue;
    const slower = ratios.filter(({ ratio }) => ratio > 1.05);
    const faster = ratios.filter(({ ratio }) => ratio < 0.95);
    const say = (list: typeof ratios): string =>
      list.length === 0
        ? 'nowhere'
        : list.map(({ workload, ratio }) => `${workload} (${times(ratio)})`).join(', ');
    lines.push(
      `- ${text}, in times as long: slower on ${say(slower)}; faster on ${say(faster)}` +
        `${stopped === 0 ? '' : `; stopped or refused on ${stopped}`}.`,
    );
  }
  const nothing = adaptive.filter(({ provableShare }) => provableShare < 0.01);
  const much = adaptive.filter(({ provableShare }) => provableShare >= 0.5);
  for (const { workload, probedShare, auto, control } of nothing) {
    lines.push(
      `- ${workload}: nothing to prune; \`auto\` probed ${percent(probedShare)} of the tuples, none ÷ auto is ${auto.median.toFixed(3)} ` +
        `in the median, the control ${control.median.toFixed(3)} (${spread(control.all)}).`,
    );
  }
  for (const { workload, provableShare, auto } of much) {
    lines.push(
      `- ${workload}: ${percent(provableShare)} can be pruned; without a filter it takes ${times(auto.median)} as long as with \`auto\`.`,
    );
  }
  return lines;
}

function answers(workloads: readonly WorkloadCells[]): string {
  return table(
    ['workload', 'vertices', 'edges', 'pairs', 'methods that finished', 'stopped', 'refused', 'answers'],
    workloads.map(({ workload, vertices, edges, pairs, cells, answers }) => {
      const states = (state: CellOutcome['state']): number =>
        cells.filter(({ outcome }) => outcome.state === state).length;
      return [
        workload,
        count(vertices),
        count(edges),
        pairs === undefined ? '–' : count(pairs),
        `${states('done')} of ${cells.length}`,
        count(states('stopped')),
        count(states('refused')),
        answers.length <= 1 ? 'all equal' : `**differ: ${answers.map(count).join(', ')}**`,
      ];
    }),
  );
}

function prunedTable(workloads: readonly WorkloadCells[]): string {
  const rows = workloads.flatMap((each) => {
    const { exact } = each;
    if (exact === undefined) return [];
    return (['left', 'right'] as const).map((direction) => {
      const [sample] = exact[direction].samples;
      const pairs = sum(sample?.pairs);
      const suffix = direction === 'right' ? ', right' : '';
      const pruned = (name: string): string => {
        const totals = done(each, `semi-naive + ${name}${suffix}`)?.report.totals;
        return totals === undefined || totals.delta === 0 ? '–' : percent(totals.pruned / totals.delta);
      };
      return [
        `${each.workload}, ${direction}`,
        pairs === 0 ? '–' : percent(sum(sample?.deadEnds) / pairs),
        pruned('exact'),
        pruned('intersection'),
        pruned('bloom'),
        pruned('auto'),
        pairs === 0 ? '–' : (sum(sample?.derived) / pairs).toFixed(1),
      ];
    });
  });
  return table(
    ['workload, direction', 'provable', 'exact', 'intersection', 'bloom', 'auto', 'tuples derived a pair'],
    rows,
  );
}

function timeTable(workloads: readonly WorkloadCells[]): string {
  const names = workloads[0]?.cells.map(({ name }) => name) ?? [];
  return table(
    ['method', ...workloads.map(({ workload }) => workload)],
    names.map((name) => [
      name,
      ...workloads.map((each) => {
        const cell = each.cells.find((one) => one.name === name);
        const plain = time(each, 'semi-naive');
        if (cell === undefined) return '';
        if (cell.outcome.state !== 'done') return cell.outcome.state;
        return plain === undefined
          ? count(cell.outcome.ms)
          : `${count(cell.outcome.ms)} (${(cell.outcome.ms / plain).toFixed(2)})`;
      }),
    ]),
  );
}

function adaptiveTable(results: readonly AdaptiveResult[]): string {
  return table(
    ['workload', 'can be pruned', 'probed by auto', 'none ÷ none', 'none ÷ auto', 'none ÷ exact'],
    results.map(({ workload, provableShare, probedShare, control, auto, exact }) => [
      workload,
      percent(provableShare),
      percent(probedShare),
      ...[control, auto, exact].map(({ median, all }) => `${median.toFixed(3)} (${spread(all)})`),
    ]),
  );
}

const FIGURES = [
  'delta',
  'derived',
  'joinShuffledTuples',
  'dedupShuffledTuples',
  'pruned',
  'falsePositives',
] as const;

function modelText(workloads: readonly WorkloadCells[]): string {
  let [exact, equal, bounds, held, intervals, inside] = [0, 0, 0, 0, 0, 0];
  for (const { cells } of workloads) {
    for (const { outcome, predicted } of cells) {
      if (outcome.state !== 'done' || predicted === null) continue;
      for (const figure of FIGURES) {
        const estimate = predicted.totals[figure];
        const counted = outcome.report.totals[figure];
        if (estimate === null) continue;
        const within = counted <= estimate.high * (1 + 1e-9) && counted >= estimate.low * (1 - 1e-9);
        if (estimate.basis === 'exact') {
          exact += 1;
          if (estimate.value === counted) equal += 1;
        } else if (estimate.basis === 'upper-bound') {
          bounds += 1;
          if (within) held += 1;
        } else {
          intervals += 1;
          if (within) inside += 1;
        }
      }
    }
  }
  return (
    `From exact statistics, over all cells that finished: ${count(equal)} of ${count(exact)} figures predicted as exact are equal to ` +
    `what was counted; ${count(held)} of ${count(bounds)} upper bounds hold; ${count(inside)} of ${count(intervals)} intervals (false ` +
    'positives of Bloom filters) hold the figure. Not predicted: look-ahead, smart and minimal, whose intermediate results do not ' +
    'follow from distances, and what an adaptive filter chooses to probe.'
  );
}

function calibrationTable(calibrations: readonly Calibration[]): string {
  return table(
    ['workload', 'figure', 'draws that hold it', 'half width'],
    calibrations.map(({ workload, figure, inside, draws, halfWidth }) => [
      workload,
      figure,
      `${inside} of ${draws}`,
      `±${percent(halfWidth)}`,
    ]),
  );
}

function cellTable({ workload, cells }: WorkloadCells): string {
  const rows = cells.map(({ name, outcome }) => {
    if (outcome.state === 'refused') return [name, 'refused', '', '', '', '', '', '', ''];
    const { rounds, totals, pairs } = outcome.report;
    return [
      name,
      outcome.state === 'done' ? count(pairs) : `stopped at ${count(pairs)}`,
      count(rounds.length),
      count(totals.derived),
      count(totals.joinShuffledTuples),
      count(totals.dedupShuffledTuples),
      count(totals.pruned),
      count(totals.filterBits),
      outcome.state === 'done' ? count(outcome.ms) : '',
    ];
  });
  const header = [
    'method',
    'pairs',
    'rounds',
    'derived',
    'join exchange',
    'dedup exchange',
    'pruned',
    'filter bits',
    'ms',
  ];
  return `### ${workload}\n\n${table(header, rows)}`;
}

function done(
  { cells }: WorkloadCells,
  name: string,
): (CellOutcome & { readonly state: 'done' }) | undefined {
  const found = cells.find((cell: Cell) => cell.name === name)?.outcome;
  return found?.state === 'done' ? found : undefined;
}

function time(workload: WorkloadCells, name: string): number | undefined {
  return done(workload, name)?.ms;
}

function sum(values: readonly number[] = []): number {
  return values.reduce((total, value) => total + value, 0);
}

function spread(all: readonly number[]): string {
  const [low = NaN] = all;
  return `${low.toFixed(2)}–${(all.at(-1) ?? NaN).toFixed(2)}`;
}

function times(ratio: number): string {
  return `${ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(2)} ×`;
}

function percent(share: number): string {
  const value = share * 100;
  return `${value.toFixed(value > 0 && value < 0.1 ? 3 : 1)} %`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map((_, i) => (i === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n');
}
