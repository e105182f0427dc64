/** `closureStatistics` as an action: what the cost model predicts from, without running the closure. */
import * as v from 'valibot';
import { StateError } from '../errors.js';
import { checkOptions, closureSettings, DIRECTIONS, oneOf, type Direction } from '../options.js';
import type { PlanNode } from '../plan/lineage.js';
import { encodeRelations } from '../recursion/load.js';
import type { ClosureStatistics } from '../recursion/statistics.js';
import { survey } from '../recursion/survey.js';
import { countRows, type ActionOptions } from './actions.js';
import type { Session } from './session.js';

export interface ClosureStatisticsOptions extends ActionOptions {
  /** The evaluation that they are of. Default: `left`. */
  readonly direction?: Direction;
  /** Of the run to be predicted: duplicates are combined within them. Default: the context's. */
  readonly partitions?: number;
  /** Longest path in steps. Default: no bound. */
  readonly maxDepth?: number;
  /**
   * Sources to draw, from 2; 32 give a few percent. Default: all are searched, and the statistics are exact: vertices times edges
   * steps, a second for 10⁸.
   */
  readonly sample?: number;
  /** Of the draw: the same seed, the same sources. Default: 1. */
  readonly seed?: number;
}

const MAX_SAMPLE = 1 << 20;
const sampleText = `a whole number from 2 to ${MAX_SAMPLE}`;
const seedText = 'a whole number from 0 to 2^32 − 1';
const sides = DIRECTIONS.filter((direction) => direction !== 'auto');
const schema = v.strictObject({
  direction: v.optional(v.picklist(sides, (issue) => oneOf(sides, issue.input))),
  sample: v.optional(
    v.pipe(
      v.number(sampleText),
      v.integer(sampleText),
      v.minValue(2, sampleText),
      v.maxValue(MAX_SAMPLE, sampleText),
    ),
  ),
  seed: v.optional(
    v.pipe(
      v.number(seedText),
      v.integer(seedText),
      v.minValue(0, seedText),
      v.maxValue(2 ** 32 - 1, seedText),
    ),
  ),
});

/** Runs one job over Know. */
export async function gatherClosureStatistics(
  session: Session,
  know: PlanNode,
  options: ClosureStatisticsOptions,
): Promise<ClosureStatistics> {
  const { signal, partitions, maxDepth, ...own } = options;
  const where = 'closureStatistics';
  const {
    direction = 'left',
    sample,
    seed = 1,
  } = checkOptions(schema, own, where, ['partitions', 'maxDepth', 'signal']);
  const settings = closureSettings(
    { ...(partitions === undefined ? {} : { partitions }), ...(maxDepth === undefined ? {} : { maxDepth }) },
    session.engine.settings.partitions,
    [],
    where,
  );
  let statistics = undefined as ClosureStatistics | undefined;
  const node = session.lineage.procedure(where, {
    detail: '',
    partitionCount: 1,
    parents: [know],
    cacheAs: 'materialized',
    // What it leaves is kept here, and its rows are none.
    materialize: async (scope) => {
      const encoded = await encodeRelations(scope, { know, base: undefined, from: undefined, settings });
      const whole = sample === undefined ? 'all' : { count: sample, seed };
      ({ statistics } = await survey(scope, settings, encoded, direction, whole));
      return { source: () => ({ kind: 'blocks', blocks: [] }) };
    },
    describe: () => [],
  });
  await countRows(session.engine, node, signal === undefined ? {} : { signal });
  if (statistics === undefined) throw new StateError('closureStatistics: the job gave none');
  return statistics;
}
