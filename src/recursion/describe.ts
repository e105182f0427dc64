/** The lines that `explain()` prints for a recursion: exchanges, choices, and why. */
import type { ClosureQuery } from './load.js';
import type { Plan } from './planner.js';
import { strategies } from './strategies/index.js';

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
  const strategy = plan?.strategy ?? (settings.strategy === 'auto' ? 'semi-naive' : settings.strategy);
  const { shape, summary } = strategies[strategy];
  const choices = plan?.reasons ?? [
    `strategy ${strategy}${settings.strategy === 'auto' ? '' : ', as asked'}: ${summary}`,
    `filter ${settings.filter}${settings.filter === 'auto' ? ': chosen when the relations are loaded' : ', as asked'}`,
  ];
  const rate =
    settings.filter === 'bloom' || settings.filter === 'intersection'
      ? `, false-positive rate ${falsePositiveRate}`
      : '';
  const rounds =
    shape === undefined
      ? ['one task: Friend as a bit matrix, closed in place; no exchange']
      : [
          `each round: join exchange, ${shape.left}(x, z) by z over ${partitions} partitions, filtered by z${rate}`,
          `            join with ${shape.right} in place, duplicates combined`,
          `            duplicate-elimination exchange, candidates by x over ${partitions} partitions`,
        ];
  return [
    `Friend(x, y) ← Friend(x, z) ⋈ Know(z, y); ${bounds.join('; ')}`,
    'load: keys → dense ids (dictionary); Know spread by source, kept as adjacency; base spread by source',
    ...rounds,
    ...choices,
  ];
}
