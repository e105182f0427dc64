/** The methods that are compared: strategy, filter and direction of each row. */
import type { Direction, FilterKind, Strategy } from 'rejoin';

export interface Method {
  readonly strategy: Exclude<Strategy, 'auto'>;
  readonly filter: FilterKind;
  readonly direction: Direction;
}

/** Filters that each method with a choice is run with. */
const FILTERS = ['none', 'bloom', 'intersection', 'exact'] as const satisfies readonly FilterKind[];

/** Of the literature, each with every filter. */
const FILTERED = ['naive', 'semi-naive', 'look-ahead', 'smart', 'minimal', 'non-linear'] as const;
/** With the filter that belongs to them. */
const SYSTEMS = ['hadoop', 'haloop', 'pregel', 'spark', 'spark+ibf', 'warshall', 'warren'] as const;

export const METHODS: readonly Method[] = [
  ...FILTERED.flatMap((strategy) =>
    FILTERS.map((filter): Method => ({ strategy, filter, direction: 'left' })),
  ),
  { strategy: 'semi-naive', filter: 'auto', direction: 'left' },
  ...(['none', 'exact', 'auto'] as const).map((filter): Method => ({
    strategy: 'semi-naive',
    filter,
    direction: 'right',
  })),
  ...SYSTEMS.map((strategy): Method => ({ strategy, filter: 'auto', direction: 'left' })),
];

/** `semi-naive + exact, right`; systems by their name alone. */
export function methodName({ strategy, filter, direction }: Method): string {
  const alone = filter === 'none' || SYSTEMS.some((name) => name === strategy);
  return `${strategy}${alone ? '' : ` + ${filter}`}${direction === 'right' ? ', right' : ''}`;
}
