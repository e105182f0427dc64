/**
 * Edge lists of files as a workload. Ids of any text become numbers in order of first appearance, so that a file is the
 * same work for every contender; reading it is not part of what is measured.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Edge, Workload } from './workloads.js';

/** Columns of source and target, from 1. */
export type Columns = readonly [number, number];

/**
 * Columns are separated by tabs, commas or runs of spaces; blank lines and those that start with `#` or `%` are skipped.
 * Throws, at `edges()`, for a line without the two columns.
 */
export function fileWorkload(path: string, [source, target]: Columns = [1, 2]): Workload {
  return {
    name: basename(path),
    seed: undefined,
    knownPairs: undefined,
    edges() {
      const ids = new Map<string, number>();
      const idOf = (text: string): number => {
        const known = ids.get(text);
        if (known !== undefined) return known;
        ids.set(text, ids.size);
        return ids.size - 1;
      };
      const edges: Edge[] = [];
      for (const [index, line] of readFileSync(path, 'utf8').split(/\r?\n/).entries()) {
        if (line.trim() === '' || /^[#%]/.test(line)) continue;
        const fields = line.trim().split(/\t|,|\s+/);
        const from = fields[source - 1];
        const to = fields[target - 1];
        if (from === undefined || to === undefined) {
          throw new Error(
            `${path}:${index + 1}: ${fields.length} columns; expected columns ${source} and ${target} (see --columns)`,
          );
        }
        edges.push([idOf(from), idOf(to)]);
      }
      return edges;
    },
  };
}
