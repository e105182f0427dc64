/**
 * Reads the tagged encoding (`encoding-tags.ts`). Everything decoded is fresh: nothing refers to the bytes afterwards,
 * which may lie in shared memory and be reused.
 */
import { List, Map as ImmutableMap, OrderedMap, OrderedSet, Set as ImmutableSet, Stack } from 'immutable';
import { FormatError } from '../errors.js';
import * as tags from './encoding-tags.js';

/** The value that `encodeValue` encoded. @throws FormatError if the bytes are not one whole encoded value */
export function decodeValue(bytes: Uint8Array): unknown {
  const decoder = new ValueDecoder(bytes);
  const value = decoder.read();
  if (decoder.offset !== bytes.length) {
    throw new FormatError(`${bytes.length - decoder.offset} bytes are left over after an encoded value`, {
      offset: decoder.offset,
      length: bytes.length,
    });
  }
  return value;
}

/** Reads encoded values that stand one after another. */
export class ValueDecoder {
  /** Of the value that `read` gives next; may be set. */
  offset = 0;
  readonly #buffer: Buffer;
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** @throws FormatError on bytes that are no encoded value */
  read(): unknown {
    const tag = this.#buffer[this.#take(1)] as number;
    switch (tag) {
      case tags.TAG_UNDEFINED:
        return undefined;
      case tags.TAG_NULL:
        return null;
      case tags.TAG_FALSE:
        return false;
      case tags.TAG_TRUE:
        return true;
      case tags.TAG_INT32:
        return this.#view.getInt32(this.#take(4), true);
      case tags.TAG_FLOAT64:
        return this.#view.getFloat64(this.#take(8), true);
      case tags.TAG_STRING:
        return this.#text('utf8', 1);
      case tags.TAG_STRING_UTF16:
        return this.#text('utf16le', 2);
      case tags.TAG_BIGINT64:
        return this.#view.getBigInt64(this.#take(8), true);
      case tags.TAG_BIGINT_POSITIVE:
        return this.#magnitude();
      case tags.TAG_BIGINT_NEGATIVE:
        return -this.#magnitude();
      case tags.TAG_DATE:
        return new Date(this.#view.getFloat64(this.#take(8), true));
      case tags.TAG_BYTES:
        return this.#bytes();
      case tags.TAG_TYPED_ARRAY:
        return this.#typedArray();
      case tags.TAG_ARRAY:
        return this.#array();
      case tags.TAG_OBJECT:
        return this.#object({});
      case tags.TAG_NULL_PROTOTYPE_OBJECT:
        return this.#object(Object.create(null) as Record<string, unknown>);
      case tags.TAG_MAP:
        return new Map(this.#entries());
      case tags.TAG_SET:
        return new Set(this.#elements());
      case tags.TAG_IMMUTABLE_LIST:
        return List(this.#elements());
      case tags.TAG_IMMUTABLE_STACK:
        return Stack(this.#elements());
      case tags.TAG_IMMUTABLE_SET:
        return ImmutableSet(this.#elements());
      case tags.TAG_IMMUTABLE_ORDERED_SET:
        return OrderedSet(this.#elements());
      case tags.TAG_IMMUTABLE_MAP:
        return ImmutableMap(this.#entries());
      case tags.TAG_IMMUTABLE_ORDERED_MAP:
        return OrderedMap(this.#entries());
      default:
        throw new FormatError(`byte ${this.offset - 1} is no tag of an encoded value: ${tag}`, {
          offset: this.offset - 1,
        });
    }
  }

  /** Moves on by `count` bytes; returns where they start. */
  #take(count: number): number {
    const start = this.offset;
    if (start + count > this.#buffer.length) {
      throw new FormatError(`an encoded value ends after ${this.#buffer.length} bytes, in the middle`, {
        length: this.#buffer.length,
      });
    }
    this.offset = start + count;
    return start;
  }

  #varint(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#buffer[this.#take(1)] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  }

  #text(encoding: 'utf8' | 'utf16le', unitBytes: number): string {
    const sizeBytes = this.#varint() * unitBytes;
    const start = this.#take(sizeBytes);
    return this.#buffer.toString(encoding, start, start + sizeBytes);
  }

  #magnitude(): bigint {
    const sizeBytes = this.#varint();
    const start = this.#take(sizeBytes);
    return BigInt(`0x${this.#buffer.toString('hex', start, start + sizeBytes)}`);
  }

  #bytes(): Uint8Array {
    const sizeBytes = this.#varint();
    const start = this.#take(sizeBytes);
    return new Uint8Array(this.#buffer.subarray(start, start + sizeBytes));
  }

  #typedArray(): ArrayBufferView {
    const index = this.#buffer[this.#take(1)] ?? 0;
    const TypedArray = tags.TYPED_ARRAYS[index];
    if (TypedArray === undefined) throw new FormatError(`there is no typed array ${index}`, { index });
    return new TypedArray(this.#bytes().buffer);
  }

  #array(): unknown[] {
    const count = this.#varint();
    const array: unknown[] = [];
    for (let i = 0; i < count; i++) {
      if (this.#buffer[this.offset] === tags.TAG_HOLE) this.offset += 1;
      else array[i] = this.read();
    }
    // Holes at the end leave the array too short.
    array.length = count;
    return array;
  }

  #object(object: Record<string, unknown>): Record<string, unknown> {
    const count = this.#varint();
    for (let i = 0; i < count; i++) {
      const name = this.read() as string;
      const value = this.read();
      if (name !== '__proto__') object[name] = value;
      // Assigning it would set the prototype.
      else
        Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true });
    }
    return object;
  }

  #elements(): unknown[] {
    const elements: unknown[] = [];
    for (let rest = this.#varint(); rest > 0; rest--) elements.push(this.read());
    return elements;
  }

  #entries(): [unknown, unknown][] {
    const entries: [unknown, unknown][] = [];
    for (let rest = this.#varint(); rest > 0; rest--) {
      const key = this.read();
      entries.push([key, this.read()]);
    }
    return entries;
  }
}
