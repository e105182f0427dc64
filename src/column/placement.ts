/**
 * Offsets in a block that has no memory yet: columns are planned first and say what they need, so that the caller
 * allocates once, and exactly.
 */

/** Deals out the bytes of a block that does not exist yet. */
export class Placement {
  sizeBytes = 0;

  /** The offset of `sizeBytes` further bytes, a multiple of 8. */
  reserve(sizeBytes: number): number {
    const offset = this.sizeBytes;
    this.sizeBytes = offset + Math.ceil(sizeBytes / 8) * 8;
    return offset;
  }
}
