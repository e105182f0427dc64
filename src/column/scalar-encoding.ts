/**
 * Writes scalars in the tagged encoding (`encoding-tags.ts`). Each value has exactly one form: what is written for equal
 * scalars is equal byte for byte, which keys rely on. Only −0 and 0 differ; keys turn −0 into 0 first.
 */
import type { ByteWriter } from './byte-writer.js';
import {
  TAG_BIGINT64,
  TAG_BIGINT_NEGATIVE,
  TAG_BIGINT_POSITIVE,
  TAG_BYTES,
  TAG_DATE,
  TAG_FLOAT64,
  TAG_INT32,
  TAG_STRING,
  TAG_STRING_UTF16,
} from './encoding-tags.js';

export function writeNumber(writer: ByteWriter, value: number): void {
  if ((value | 0) === value && (value !== 0 || 1 / value > 0)) {
    writer.byte(TAG_INT32);
    writer.int32(value);
  } else {
    writer.byte(TAG_FLOAT64);
    writer.float64(value);
  }
}

export function writeString(writer: ByteWriter, value: string): void {
  const start = writer.length;
  writer.byte(TAG_STRING);
  if (writer.utf8(value)) return;
  writer.length = start;
  writer.byte(TAG_STRING_UTF16);
  writer.utf16(value);
}

export function writeBigint(writer: ByteWriter, value: bigint): void {
  if (BigInt.asIntN(64, value) === value) {
    writer.byte(TAG_BIGINT64);
    writer.bigint64(value);
    return;
  }
  writer.byte(value < 0n ? TAG_BIGINT_NEGATIVE : TAG_BIGINT_POSITIVE);
  const digits = (value < 0n ? -value : value).toString(16);
  const magnitude = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
  writer.varint(magnitude.length);
  writer.bytes(magnitude);
}

export function writeDate(writer: ByteWriter, value: Date): void {
  writer.byte(TAG_DATE);
  // The prototype's method: a date of another realm has it too, and an own property cannot stand in for it.
  writer.float64(Date.prototype.getTime.call(value));
}

export function writeBytes(writer: ByteWriter, value: Uint8Array): void {
  writer.byte(TAG_BYTES);
  writer.varint(value.length);
  writer.bytes(value);
}
