/**
 * The benchmark compares contenders on these graphs by the number of pairs: so the generators must be deterministic and
 * of the shape they claim, and the rival must be right (held against a search from each vertex, and against formulas).
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileWorkload } from '../../bench/edge-file.js';
import { closureByMapAndSet } from '../../bench/rival-map-set.js';
import { chain, gnp, grid, powerLaw, tree, type Edge } from '../../bench/workloads.js';

describe('generated graphs', () => {
  it.each([grid(1), grid(7), grid(20), chain(2), chain(60)])(
    '$name has the closure of its formula',
    (workload) => {
      expect(closureByMapAndSet(workload.edges())).toBe(workload.knownPairs);
    },
  );

  it('Grid150 and Grid250 have the published closure sizes', () => {
    expect(grid(150).knownPairs).toBe(131_675_775);
    expect(grid(150).edges()).toHaveLength(45_300);
    expect(grid(250).knownPairs).toBe(1_000_140_875);
  });

  it.each([
    ['Gn-p', (seed: number) => gnp('gnp', 200, 0.01, seed)],
    ['tree', (seed: number) => tree(6, seed)],
    ['power law', (seed: number) => powerLaw('p', { vertices: 300, edges: 600, sinkShare: 0.7 }, seed)],
  ])('%s is the same for the same seed, another for another', (_, generator) => {
    expect(generator(1).edges()).toEqual(generator(1).edges());
    expect(generator(1).edges()).not.toEqual(generator(2).edges());
  });

  it('Gn-p draws each ordered pair at most once, with the probability asked for', () => {
    const edges = gnp('gnp', 1000, 0.01, 7).edges();
    expect(new Set(edges.map(([x, y]) => x * 1000 + y)).size).toBe(edges.length);
    expect(edges.every(([x, y]) => x < 1000 && y < 1000)).toBe(true);
    // 10⁶ pairs at 0.01: mean 10,000, standard deviation 99.5; five of them.
    expect(Math.abs(edges.length - 10_000)).toBeLessThan(500);
  });

  it('a tree has one parent a node, fan-outs of 2 to 6, and a closure of the sum of its depths', () => {
    const edges = tree(8, 8).edges();
    const depth = new Map([[0, 0]]);
    const fanOut = new Map<number, number>();
    for (const [parent, child] of edges) {
      expect(depth.has(child)).toBe(false);
      depth.set(child, (depth.get(parent) ?? NaN) + 1);
      fanOut.set(parent, (fanOut.get(parent) ?? 0) + 1);
    }
    expect(Math.max(...depth.values())).toBe(8);
    expect(new Set(fanOut.values())).toEqual(new Set([2, 3, 4, 5, 6]));
    expect(closureByMapAndSet(edges)).toBe([...depth.values()].reduce((sum, steps) => sum + steps, 0));
  });

  it('a power-law graph has the edges asked for, popular vertices, and its share of sinks', () => {
    const edges = powerLaw('p', { vertices: 2000, edges: 8000, sinkShare: 0.7 }, 3).edges();
    expect(edges).toHaveLength(8000);
    // Of 2000 vertices 600 ± 20.5 have outgoing edges, nearly all of those at least one of 8000.
    const sources = new Set(edges.map(([x]) => x)).size;
    expect(sources).toBeGreaterThan(500);
    expect(sources).toBeLessThan(700);
    // The cube: a tenth of the vertices receive 0.1^(1/3) = 46 % of the edges.
    const popular = edges.filter(([, y]) => y < 200).length;
    expect(popular / edges.length).toBeCloseTo(0.464, 1);
  });
});

describe('the rival', () => {
  it('finds the pairs that a search from each vertex finds', () => {
    const vertex = fc.nat({ max: 12 });
    fc.assert(
      fc.property(fc.array(fc.tuple(vertex, vertex), { maxLength: 40 }), (edges) => {
        expect(closureByMapAndSet(edges)).toBe(countBySearch(edges));
      }),
    );
  });
});

describe('edge lists', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rejoin-bench-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const read = (text: string, columns?: [number, number]): Edge[] => {
    const path = join(folder, 'graph.txt');
    writeFileSync(path, text);
    return fileWorkload(path, columns).edges();
  };

  it('numbers ids of any text by first appearance', () => {
    expect(read('# who knows whom\nann\tbob\r\n\r\nbob\tann\r\n007\t7')).toEqual([
      [0, 1],
      [1, 0],
      [2, 3],
    ]);
  });

  it('takes the columns asked for, past tabs, commas and runs of spaces', () => {
    expect(read('0 8 9  1.5\n1,9,8,2.5\n', [2, 3])).toEqual([
      [0, 1],
      [1, 0],
    ]);
  });

  it('names the file and the line that lacks a column', () => {
    expect(() => read('1\t2\n3\n')).toThrow(/graph\.txt:2: 1 columns; expected columns 1 and 2/);
  });
});

function countBySearch(edges: readonly Edge[]): number {
  let pairs = 0;
  for (const start of new Set(edges.flat())) {
    const reached = new Set<number>();
    const open = [start];
    for (let vertex = open.pop(); vertex !== undefined; vertex = open.pop()) {
      for (const [x, y] of edges) {
        if (x !== vertex || reached.has(y)) continue;
        reached.add(y);
        open.push(y);
      }
    }
    pairs += reached.size;
  }
  return pairs;
}
