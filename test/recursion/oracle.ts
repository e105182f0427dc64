/** The plainest program that computes a closure: sets, and loops until nothing changes. */
export interface OracleQuery {
  readonly from?: readonly unknown[];
  readonly base?: readonly (readonly [unknown, unknown])[];
  readonly reflexive?: boolean;
  readonly maxDepth?: number;
}

/** Friend as sorted text, one `x>y` a pair. Vertices must be numbers or strings of one kind. */
export function naiveClosure(
  know: readonly (readonly [unknown, unknown])[],
  query: OracleQuery = {},
): string[] {
  const { from, base = know, reflexive = false, maxDepth = Infinity } = query;
  const friend = new Set<string>();
  let pairs: (readonly [unknown, unknown])[] = base.filter(([x]) => from === undefined || from.includes(x));
  if (reflexive) {
    const vertices = from ?? [...new Set([...know, ...base].flat())];
    pairs = [...pairs, ...vertices.map((v) => [v, v] as const)];
  }
  for (let depth = 1; pairs.length > 0 && depth <= maxDepth; depth++) {
    const fresh = pairs.filter(([x, y]) => !friend.has(`${String(x)}>${String(y)}`));
    for (const [x, y] of fresh) friend.add(`${String(x)}>${String(y)}`);
    pairs = fresh.flatMap(([x, z]) => know.filter(([s]) => s === z).map(([, y]) => [x, y] as const));
  }
  return [...friend].sort();
}
