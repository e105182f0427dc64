/**
 * The ranges that a procedure's stages gave: temporary until kept or released, so that whatever goes wrong in between
 * leaves nothing behind.
 */
import type { MemoryManager } from '../memory/memory-manager.js';
import { rangeKey, type Range } from '../memory/range.js';

export class ProcedureRanges {
  readonly kept: Range[] = [];
  readonly #memory: MemoryManager;
  readonly #temporary = new Map<string, Range>();

  constructor(memory: MemoryManager) {
    this.#memory = memory;
  }

  add(ranges: readonly Range[]): void {
    for (const range of ranges) this.#temporary.set(rangeKey(range), range);
  }

  keep(ranges: readonly Range[]): void {
    for (const range of ranges) {
      if (this.#temporary.delete(rangeKey(range))) this.kept.push(range);
    }
  }

  release(ranges: readonly Range[]): void {
    for (const range of ranges) {
      if (this.#temporary.delete(rangeKey(range))) this.#memory.release(range);
    }
  }

  releaseTemporary(): void {
    this.release([...this.#temporary.values()]);
  }
}
