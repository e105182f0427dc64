/**
 * Bytes that are appended to and grow as needed; reused by `reset`, so that encoding many values allocates once.
 *
 * Hazard: `buffer` is replaced when it grows, and its content is overwritten after a reset: copy what is to last.
 */
import { toUSVString } from 'node:util';
import { ValueError } from '../errors.js';

/** Bytes: offsets into encoded values are u32, and a Buffer of Node 20 holds no more. */
const MAX_BYTES = 2 ** 32 - 1;
/** Bytes: a writer that once held a huge value does not keep its memory beyond the next reset. */
const KEPT_BYTES = 1 << 20;
/** Up to this many characters a loop in JavaScript beats a call into the runtime (about 25 ns each here). */
const LOOP_CHARACTERS = 48;
/** Bytes of a varint below 2^35: the longest length there is. */
const MAX_VARINT_BYTES = 5;

export class ByteWriter {
  /** The bytes; the first `length` of them are written. Replaced when it grows. */
  buffer: Buffer;
  length = 0;
  readonly #initialBytes: number;
  #view: DataView;

  constructor(initialBytes = 256) {
    this.#initialBytes = initialBytes;
    this.buffer = Buffer.allocUnsafe(initialBytes);
    this.#view = viewOf(this.buffer);
  }

  /** Empties the writer. */
  reset(): void {
    this.length = 0;
    if (this.buffer.length > KEPT_BYTES) this.#resize(this.#initialBytes);
  }

  /** Makes room for `count` more bytes. @throws ValueError beyond 4 GiB */
  ensure(count: number): void {
    const needed = this.length + count;
    if (needed <= this.buffer.length) return;
    if (needed > MAX_BYTES) {
      throw new ValueError(
        `${needed} bytes of values are to be encoded at once, and 4 GiB is the most; use more partitions or smaller rows`,
        { sizeBytes: needed },
      );
    }
    this.#resize(Math.min(MAX_BYTES, Math.max(needed, this.buffer.length * 2)));
  }

  byte(value: number): void {
    this.ensure(1);
    this.buffer[this.length++] = value;
  }

  /** LEB128: seven bits a byte, the lowest first. For whole numbers from 0 to 2^32 − 1. */
  varint(value: number): void {
    this.ensure(MAX_VARINT_BYTES);
    let rest = value >>> 0;
    while (rest >= 0x80) {
      this.buffer[this.length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.buffer[this.length++] = rest;
  }

  int32(value: number): void {
    this.ensure(4);
    this.#view.setInt32(this.length, value, true);
    this.length += 4;
  }

  /** NaN is written in one form whatever its bits were. */
  float64(value: number): void {
    this.ensure(8);
    if (value === value) {
      this.#view.setFloat64(this.length, value, true);
    } else {
      this.#view.setUint32(this.length, 0, true);
      this.#view.setUint32(this.length + 4, 0x7ff80000, true);
    }
    this.length += 8;
  }

  /** A bigint from −2^63 to 2^63 − 1. */
  bigint64(value: bigint): void {
    this.ensure(8);
    this.#view.setBigInt64(this.length, value, true);
    this.length += 8;
  }

  bytes(bytes: Uint8Array): void {
    this.ensure(bytes.length);
    this.buffer.set(bytes, this.length);
    this.length += bytes.length;
  }

  /**
   * The byte length of a string as a varint and its UTF-8 bytes.
   * @returns false, with nothing written, if it has lone surrogates, which UTF-8 does not know.
   */
  utf8(text: string): boolean {
    const { length } = text;
    const start = this.length;
    if (length <= LOOP_CHARACTERS) {
      // The varint of a length of at most 48 is one byte.
      this.ensure(length + 1);
      const { buffer } = this;
      let at = start;
      buffer[at++] = length;
      let i = 0;
      for (; i < length; i++) {
        const unit = text.charCodeAt(i);
        if (unit >= 0x80) break;
        buffer[at++] = unit;
      }
      if (i === length) {
        this.length = at;
        return true;
      }
    }
    const sizeBytes = Buffer.byteLength(text, 'utf8');
    if (sizeBytes > length && toUSVString(text) !== text) return false;
    this.ensure(sizeBytes + MAX_VARINT_BYTES);
    this.varint(sizeBytes);
    this.buffer.write(text, this.length, sizeBytes, sizeBytes === length ? 'latin1' : 'utf8');
    this.length += sizeBytes;
    return true;
  }

  /** The number of code units as a varint and the string as UTF-16LE. */
  utf16(text: string): void {
    this.varint(text.length);
    this.ensure(text.length * 2);
    this.length += this.buffer.write(text, this.length, 'utf16le');
  }

  /** What is written, as a view that the next write or reset may spoil. */
  written(): Uint8Array {
    // A Buffer's subarray would be another Buffer, at twice the cost.
    return new Uint8Array(this.buffer.buffer, this.buffer.byteOffset, this.length);
  }

  /** What is written as text, a character a byte. */
  latin1(): string {
    return this.buffer.toString('latin1', 0, this.length);
  }

  /** What is written, copied. */
  copy(): Uint8Array {
    return new Uint8Array(this.written());
  }

  #resize(capacity: number): void {
    const larger = Buffer.allocUnsafeSlow(capacity);
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
    this.#view = viewOf(larger);
  }
}

function viewOf(buffer: Buffer): DataView {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}
