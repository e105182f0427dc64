/** Counters of 4, 8, 16 or 32 bits in words: counter i lies in word ⌊i·bits/32⌋, the lowest index in the lowest bits. */
import type { CounterBits } from './counter-shape.js';

export class CounterArray {
  readonly words: Uint32Array;
  /** What a counter holds at most. */
  readonly maximum: number;
  readonly #bits: CounterBits;
  /** log₂ of the counters in a word. */
  readonly #shift: number;

  /** @param words as many as the counters need; used, not copied */
  constructor(words: Uint32Array, bits: CounterBits) {
    this.words = words;
    this.maximum = 2 ** bits - 1;
    this.#bits = bits;
    this.#shift = Math.log2(32 / bits);
  }

  get(index: number): number {
    const word = this.words[index >>> this.#shift] as number;
    return ((word >>> this.#offset(index)) & this.maximum) >>> 0;
  }

  /** @param value from 0 to `maximum`: the caller has checked it, since too high a value would reach the next counter */
  set(index: number, value: number): void {
    const at = index >>> this.#shift;
    const offset = this.#offset(index);
    this.words[at] = ((this.words[at] as number) & ~(this.maximum << offset)) | (value << offset);
  }

  /** Bits below the counter in its word. */
  #offset(index: number): number {
    return (index & ((1 << this.#shift) - 1)) * this.#bits;
  }
}
