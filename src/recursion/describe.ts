/** The lines that `explain()` prints for a recursion: exchanges, choices, and why. */
import type { ClosureQuery } from './load.js';
import type { Plan } from './planner.js';

export function describeClosure(query: ClosureQuery, plan: Plan | undefined): readonly string[] {
  const { settings, base, from } = query;
  const { partitions, maxDepth, maxPairs, falsePositiveRate } = settings;
  const bounds = [
    base === undefined ? 'base: Know' : 'base: another relation',
    from === undefined ? '' : `from ${from.length} ${from.length === 1 ? 'seed' : 'seeds'}`,
    settings.reflexive ? 'reflexive' : '',
    maxDepth === Infinity ? '' : `at most ${maxDepth} steps`,
    maxPairs === Infinity ? '' : `stops above ${maxPairs} pairs`,
  ].filter((text) => text !== '');
  const choices = plan?.reasons ?? [
    `strategy ${settings.strategy}${settings.strategy === 'auto' ? ': semi-naive' : ', as asked'}`,
    `filter ${settings.filter}${settings.filter === 'auto' ? ': chosen from the relations when they are loaded' : ', as asked'}`,
  ];
  const rate =
    settings.filter === 'bloom' || settings.filter === 'intersection'
      ? `, false-positive rate ${falsePositiveRate}`
      : '';
  return [
    `Friend(x, y) ← Friend(x, z) ⋈ Know(z, y); ${bounds.join('; ')}`,
    'load: keys → dense ids (dictionary); Know spread by source, kept as adjacency; base spread by source',
    `each round: join exchange, ${settings.strategy === 'naive' ? 'Friend' : 'delta'}(x, z) by z over ${partitions} partitions, filtered by z${rate}`,
    '            join with Know in place, duplicates combined',
    `            duplicate-elimination exchange, candidates by x over ${partitions} partitions`,
    ...choices,
  ];
}
