/**
 * What a filter saves: a random graph most of whose vertices are dead ends. A pair that ends at one cannot be prolonged;
 * a filter knows that before the pair is shuffled to the join, and the answer stays the same.
 * Usage: compare-strategies [seed]
 */
import { createContext } from 'rejoin';
import { compareStrategies } from './comparison.js';

const VERTEX_COUNT = 1000;
/** Only these have outgoing edges: seven vertices in ten are dead ends. */
const SOURCE_COUNT = 300;
const EDGE_COUNT = 1600;

const seed = Number(process.argv[2] ?? 1);
const random = mulberry32(seed);
const below = (limit: number): number => Math.floor(random() * limit);
const pairs = Array.from({ length: EDGE_COUNT }, (): [number, number] => [
  below(SOURCE_COUNT),
  below(VERTEX_COUNT),
]);

await using context = await createContext();
console.log(
  `${EDGE_COUNT} random pairs over ${VERTEX_COUNT} vertices, seed ${seed}; vertices from ${SOURCE_COUNT} on are dead ends`,
);
console.log(await compareStrategies(context.parallelize(pairs)));

/** A small seeded generator of numbers in [0, 1) (Tommy Ettinger's mulberry32, public domain). */
function mulberry32(state: number): () => number {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
