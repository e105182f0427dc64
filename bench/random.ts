/** Seeded random numbers, so that a graph is the same on every machine and in every run. */

/** Uniform in [0, 1), from 32 bits of state: mulberry32 (Tommy Ettinger, public domain). Not for cryptography. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
