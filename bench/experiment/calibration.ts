/** How often the intervals of sampled statistics hold what is counted, over draws with different seeds. */
import { predict, type ClosureStatistics, type Context, type PredictedFigures } from 'rejoin';
import type { Workload } from '../workloads.js';

const CALIBRATED_FIGURES = [
  'delta',
  'derived',
  'joinShuffledTuples',
  'dedupShuffledTuples',
  'pruned',
] as const;

type CalibratedFigure = (typeof CALIBRATED_FIGURES)[number];

export interface Calibration {
  readonly workload: string;
  readonly figure: CalibratedFigure;
  readonly draws: number;
  /** Draws whose interval holds the exact figure. */
  readonly inside: number;
  readonly truth: number;
  /** Of the first draw. */
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** Mean half width of intervals over the exact figure. */
  readonly halfWidth: number;
}

/** As many as a run draws. */
const SAMPLE = 32;
const PLAN = { strategy: 'semi-naive', filter: 'exact' } as const;

export async function calibrate(
  context: Context,
  workload: Workload,
  exact: ClosureStatistics,
  draws: number,
): Promise<Calibration[]> {
  const know = context.parallelize(workload.edges()).cache();
  const truth = predict(PLAN, exact).totals;
  const drawn: PredictedFigures[] = [];
  for (let seed = 1; seed <= draws; seed++)
    drawn.push(predict(PLAN, await know.closureStatistics({ sample: SAMPLE, seed })).totals);
  know.unpersist();
  return CALIBRATED_FIGURES.flatMap((figure) => {
    const counted = truth[figure]?.value ?? 0;
    const estimates = drawn.flatMap((totals) => totals[figure] ?? []);
    const [first] = estimates;
    if (first === undefined || counted === 0) return [];
    const widths = estimates.map(({ low, high }) => (high - low) / 2 / counted);
    return [
      {
        workload: workload.name,
        figure,
        draws,
        inside: estimates.filter(({ low, high }) => low <= counted && counted <= high).length,
        truth: counted,
        value: first.value,
        low: first.low,
        high: first.high,
        halfWidth: widths.reduce((sum, width) => sum + width, 0) / widths.length,
      },
    ];
  });
}
