/**
 * Which bytes of one arena are free: segments in address order, first fit, neighbours merged on release. First fit
 * keeps low addresses busy, and so touches as little fresh memory as it can (first touch is the dearest cost).
 */
export class FreeList {
  readonly #offsets: number[] = [];
  readonly #lengths: number[] = [];

  /** The offset of `length` bytes now taken, or -1 if no free segment is long enough. */
  take(length: number): number {
    for (let i = 0; i < this.#offsets.length; i++) {
      const free = this.#lengths[i] ?? 0;
      if (free < length) continue;
      const offset = this.#offsets[i] ?? 0;
      if (free === length) {
        this.#offsets.splice(i, 1);
        this.#lengths.splice(i, 1);
      } else {
        this.#offsets[i] = offset + length;
        this.#lengths[i] = free - length;
      }
      return offset;
    }
    return -1;
  }

  /** Makes `length` bytes at `offset` free. They must not be free already. */
  give(offset: number, length: number): void {
    let low = 0;
    let high = this.#offsets.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#offsets[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    const joinsNext = low < this.#offsets.length && offset + length === this.#offsets[low];
    const before = low - 1;
    const joinsBefore = before >= 0 && (this.#offsets[before] ?? 0) + (this.#lengths[before] ?? 0) === offset;
    if (joinsBefore && joinsNext) {
      this.#lengths[before] = (this.#lengths[before] ?? 0) + length + (this.#lengths[low] ?? 0);
      this.#offsets.splice(low, 1);
      this.#lengths.splice(low, 1);
    } else if (joinsBefore) {
      this.#lengths[before] = (this.#lengths[before] ?? 0) + length;
    } else if (joinsNext) {
      this.#offsets[low] = offset;
      this.#lengths[low] = (this.#lengths[low] ?? 0) + length;
    } else {
      this.#offsets.splice(low, 0, offset);
      this.#lengths.splice(low, 0, length);
    }
  }
}
