/** Graphs as others store them, quirks included. Needs the folder that `REJOIN_DATA` names; skipped without it. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { statText } from '../../src/io/byte-source.js';
import type { EdgeListOptions } from '../../src/io/edge-list.js';
import { readEdges } from './edges-of.js';

const folder = process.env['REJOIN_DATA'];
const graphs: readonly (readonly [string, number, EdgeListOptions])[] = [
  ['p2p-Gnutella09.tsv', 26_013, {}],
  ['wiki-Vote.tsv', 103_689, {}],
  ['ego-Facebook.tsv', 88_234, {}],
  ['CA-HepTh.tsv', 51_971, {}],
  ['fe_sphere.tsv', 49_152, {}],
  ['cti.tsv', 48_232, {}],
  ['TG.cedge.tsv', 23_797, { columns: [2, 3] }],
  ['SF.cedge.tsv', 221_802, {}],
];

describe.skipIf(folder === undefined)('real graphs (skipped: REJOIN_DATA is not set)', () => {
  it.each(graphs)('%s has %i distinct edges', async (name, distinctEdges, options) => {
    const location = await statText(join(folder ?? '', name));
    const edges = readEdges(location, { ...options, numeric: true }, 8).rows;
    expect(new Set(edges.map((pair) => pair.join(' '))).size).toBe(distinctEdges);
    expect(readEdges(location, options, 3).rows).toHaveLength(edges.length);
  });
});
