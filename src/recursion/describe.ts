/** The lines that `explain()` prints for a recursion: exchanges, choices, and why. */
import type { ClosureQuery } from './load.js';
import type { SwitchNote } from './filter-switch.js';
import { percent, type Plan } from './planner.js';
import { strategies } from './strategies/index.js';

export function describeClosure(
  query: ClosureQuery,
  plan: Plan | undefined,
  switches: readonly SwitchNote[],
): readonly string[] {
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
  const direction = plan?.direction ?? (settings.direction === 'right' ? 'right' : 'left');
  const right = direction === 'right';
  const choices = plan?.reasons ?? [
    `strategy ${strategy}${settings.strategy === 'auto' ? '' : ', as asked'}: ${summary}`,
    `direction ${settings.direction}${settings.direction === 'auto' ? ': chosen when the relations are loaded' : ', as asked'}`,
    `filter ${settings.filter}${settings.filter === 'auto' ? ': chosen when the relations are loaded' : ', as asked'}`,
  ];
  const rate =
    settings.filter === 'bloom' || settings.filter === 'intersection'
      ? `, false-positive rate ${falsePositiveRate}`
      : '';
  const [moved, key, other] = right ? ['(z, y)', 'z', 'y'] : ['(x, z)', 'z', 'x'];
  const rounds =
    shape === undefined
      ? ['one task: Friend as a bit matrix, closed in place; no exchange']
      : [
          `each round: join exchange, ${shape.left}${moved} by ${key} over ${partitions} partitions, filtered by ${key}${rate}`,
          `            join with ${shape.right} in place, duplicates combined`,
          `            duplicate-elimination exchange, candidates by ${other} over ${partitions} partitions`,
          ...(right ? [`at the end: result exchange, pairs by x over ${partitions} partitions`] : []),
        ];
  return [
    `Friend(x, y) ← ${right ? 'Know(x, z) ⋈ Friend(z, y)' : 'Friend(x, z) ⋈ Know(z, y)'}; ${bounds.join('; ')}`,
    right
      ? 'load: keys → dense ids (dictionary); Know spread by target, kept as adjacency'
      : 'load: keys → dense ids (dictionary); Know spread by source, kept as adjacency; base spread by source',
    ...rounds,
    ...choices,
    ...switches
      .slice(1)
      .map(
        ({ round, on, share }) =>
          `probing ${on ? 'on' : 'off'} after round ${round}: ${percent(share)} of the tuples looked at could be pruned`,
      ),
  ];
}
