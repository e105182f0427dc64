/**
 * The name that was probably meant: for messages about misspelt names only. Optimal string alignment distance (Damerau
 * 1964: insert, delete, replace, swap neighbours, each 1).
 */

const MIN_PREFIX = 2;

/**
 * The candidate nearest to `name`, if it differs in at most a third of its characters (at least 1) or begins with `name`
 * (at least 2 characters), letter case aside; among equals the one nearest in letter case. Else undefined.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | undefined {
  const most = Math.max(1, Math.floor(name.length / 3));
  const near = [...candidates]
    .map((candidate) => ({
      candidate,
      distance: editDistance(name.toLowerCase(), candidate.toLowerCase()),
      inCase: editDistance(name, candidate),
    }))
    .filter(
      ({ candidate, distance }) =>
        distance <= most ||
        (name.length >= MIN_PREFIX && candidate.toLowerCase().startsWith(name.toLowerCase())),
    );
  return near.sort((a, b) => a.distance - b.distance || a.inCase - b.inCase)[0]?.candidate;
}

/** `; did you mean NAME?`, or nothing where no candidate is near: for the end of a message. */
export function didYouMean(name: unknown, candidates: Iterable<string>): string {
  const nearest = typeof name === 'string' ? nearestName(name, candidates) : undefined;
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}

function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = from[row - 1] === to[column - 1] ? 0 : 1;
      let cost = Math.min(
        (above[column] ?? Infinity) + 1,
        (current[column - 1] ?? Infinity) + 1,
        (above[column - 1] ?? Infinity) + replaced,
      );
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        cost = Math.min(cost, (before[column - 2] ?? Infinity) + 1);
      }
      current.push(cost);
    }
    before = above;
    above = current;
  }
  return above[to.length] ?? Infinity;
}
