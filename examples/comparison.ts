/**
 * The same closure by every strategy, as a table: what each of them derived, shuffled and pruned, and how long it took.
 * All answers must have the same size; if they do not, something is wrong and this throws.
 */
import CliTable3 from 'cli-table3';
import type { Rdd, RunReport } from 'rejoin';

const STRATEGIES = [
  { name: 'naive', strategy: 'naive', filter: 'none' },
  { name: 'semi-naive', strategy: 'semi-naive', filter: 'none' },
  { name: '+ bloom', strategy: 'semi-naive', filter: 'bloom' },
  { name: '+ intersection', strategy: 'semi-naive', filter: 'intersection' },
  { name: '+ exact', strategy: 'semi-naive', filter: 'exact' },
] as const;

/** Runs them one after the other on `know`, which is loaded once, before the first. */
export async function compareStrategies<K>(know: Rdd<[K, K]>): Promise<string> {
  const relation = know.cache();
  await relation.count();
  const head = [
    '',
    'pairs',
    'rounds',
    'derived',
    'duplicates',
    'tuples shuffled',
    'bytes shuffled',
    'pruned',
    'ms',
  ];
  const colAligns = head.map((_, column) => (column === 0 ? 'left' : 'right'));
  const table = new CliTable3({ head, colAligns, style: { head: [], border: [], compact: true } });
  // Threads start and code is compiled before the clock of the first row runs.
  await relation.transitiveClosure({ maxDepth: 3 }).count();
  const sizes = new Set<number>();
  for (const { name, strategy, filter } of STRATEGIES) {
    const friend = relation.transitiveClosure({ strategy, filter, direction: 'left' });
    sizes.add(await friend.count());
    table.push([name, ...figures(await friend.report())]);
  }
  relation.unpersist();
  if (sizes.size !== 1) throw new Error(`the strategies do not agree: ${[...sizes].join(', ')} pairs`);
  return `${table.toString()}\nAll ${STRATEGIES.length} answers agree.`;
}

function figures({ pairs, rounds, totals }: RunReport): string[] {
  const counts = [
    pairs,
    rounds.length,
    totals.derived,
    totals.duplicates,
    totals.joinShuffledTuples + totals.dedupShuffledTuples,
    totals.joinShuffledBytes + totals.dedupShuffledBytes,
    totals.pruned,
    Math.round(totals.ms),
  ];
  return counts.map((count) => count.toLocaleString('en-US'));
}
