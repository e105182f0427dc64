/**
 * The canonical encoding of keys: equal keys give equal bytes, unequal keys unequal bytes. It is the encoding of values
 * (`encoding-tags.ts`) with one form for each key: −0 is written as 0, a Buffer as bytes, and the elements of immutable sets and
 * maps in the order of their bytes, each once.
 */
import { isList, isMap, isOrdered, isSet } from 'immutable';
import { ByteWriter } from './byte-writer.js';
import {
  TAG_ARRAY,
  TAG_FALSE,
  TAG_IMMUTABLE_LIST,
  TAG_IMMUTABLE_MAP,
  TAG_IMMUTABLE_SET,
  TAG_NULL,
  TAG_TRUE,
} from './encoding-tags.js';
import { Nesting } from './nesting.js';
import { writeBigint, writeBytes, writeDate, writeNumber, writeString } from './scalar-encoding.js';
import { describeKind, isBytes, isPlainArray, isPlainDate, isPlainObject } from './value-kind.js';

/** Appends canonical keys to its `writer`. */
export class KeyEncoder {
  readonly writer = new ByteWriter();
  readonly #nesting = new Nesting();

  /**
   * Appends one key; after an error what was appended is to be discarded.
   * @throws ValueError naming the path of what cannot be (part of) a key
   */
  write(key: unknown): void {
    const { writer } = this;
    // What most keys are, without the bookkeeping for nested ones.
    if (typeof key === 'string') {
      writeString(writer, key);
    } else if (typeof key === 'number') {
      writeNumber(writer, key + 0);
    } else {
      this.#nesting.begin('key');
      this.#key(key);
    }
  }

  /** The bytes of one key, as a view that the next call spoils. */
  encode(key: unknown): Uint8Array {
    this.writer.reset();
    this.write(key);
    return this.writer.written();
  }

  #key(key: unknown): void {
    const { writer } = this;
    switch (typeof key) {
      case 'string':
        writeString(writer, key);
        return;
      case 'number':
        // −0 + 0 is 0.
        writeNumber(writer, key + 0);
        return;
      case 'boolean':
        writer.byte(key ? TAG_TRUE : TAG_FALSE);
        return;
      case 'bigint':
        writeBigint(writer, key);
        return;
      case 'object':
        if (key === null) writer.byte(TAG_NULL);
        else if (isPlainDate(key)) writeDate(writer, key);
        else if (isBytes(key)) writeBytes(writer, key);
        else this.#container(key);
        return;
      case 'undefined':
      case 'function':
      case 'symbol':
        throw this.#refuse(key);
    }
  }

  #container(key: object): void {
    this.#nesting.enter(key);
    if (isPlainArray(key)) this.#sequence(TAG_ARRAY, key.length, key);
    else if (isList(key)) this.#sequence(TAG_IMMUTABLE_LIST, key.size, key);
    else if (isSet(key) && !isOrdered(key)) this.#set(key);
    else if (isMap(key) && !isOrdered(key)) this.#map(key);
    else {
      this.#nesting.leave();
      throw this.#refuse(key);
    }
    this.#nesting.leave();
  }

  #sequence(tag: number, count: number, elements: Iterable<unknown>): void {
    this.writer.byte(tag);
    this.writer.varint(count);
    let i = 0;
    for (const element of elements) {
      this.#nesting.at(i++);
      this.#key(element);
    }
  }

  #set(set: Iterable<unknown>): void {
    this.writer.byte(TAG_IMMUTABLE_SET);
    const start = this.writer.length;
    const encoded: Buffer[] = [];
    let i = 0;
    for (const element of set) {
      this.#nesting.at(i++);
      this.#key(element);
      encoded.push(this.#cut(start));
    }
    this.#sorted(encoded);
  }

  #map(map: Iterable<readonly [unknown, unknown]>): void {
    this.writer.byte(TAG_IMMUTABLE_MAP);
    const start = this.writer.length;
    const encoded: Buffer[] = [];
    let i = 0;
    for (const [key, value] of map) {
      this.#nesting.at(i++);
      this.#key(key);
      this.#nesting.at(i++);
      this.#key(value);
      encoded.push(this.#cut(start));
    }
    this.#sorted(encoded);
  }

  /** Takes back, as a copy, what was written from `start` on. */
  #cut(start: number): Buffer {
    const piece = Buffer.from(this.writer.buffer.subarray(start, this.writer.length));
    this.writer.length = start;
    return piece;
  }

  /**
   * Count and elements, in the order of their bytes. Elements that are equal as keys, though not to `immutable` (two arrays
   * with the same content), are written once.
   */
  #sorted(encoded: Buffer[]): void {
    encoded.sort((a, b) => Buffer.compare(a, b));
    const distinct = encoded.filter((piece, i) => {
      const before = encoded[i - 1];
      return before === undefined || !piece.equals(before);
    });
    this.writer.varint(distinct.length);
    for (const piece of distinct) this.writer.bytes(piece);
  }

  #refuse(key: unknown): Error {
    const kind = describeKind(key);
    return this.#nesting.refusal(
      `is ${kind}, which cannot be part of a key: ${wayOut(key)}. Keys are strings, numbers, bigints, booleans, null, ` +
        'dates, bytes, and arrays or immutable Lists, Sets and Maps of those',
      kind,
    );
  }
}

function wayOut(key: unknown): string {
  if (key === undefined) return 'use null, and leave no holes in arrays';
  if (typeof key === 'object' && key !== null) {
    if (isPlainObject(key)) return 'use an array of its values, or an immutable Map';
    if (ArrayBuffer.isView(key)) return 'use an array of its elements, or a Uint8Array of its bytes';
  }
  return 'use an array of the values that identify it';
}
