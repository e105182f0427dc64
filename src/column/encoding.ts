/**
 * Values as bytes and back: what rows hold besides the plain columns, and what is sent to the worker threads. Depth first
 * into one growing buffer; what comes back is equal, down to −0, NaN, lone surrogates and holes in arrays.
 *
 * Not kept, as in a structured clone: symbol and non-enumerable properties, accessors (their value is), properties on
 * arrays besides the elements, and identity: a value that is referred to twice comes back as two.
 */
import { isList, isMap, isOrderedMap, isOrderedSet, isSet, isStack } from 'immutable';
import { types } from 'node:util';
import { ByteWriter } from './byte-writer.js';
import {
  TAG_ARRAY,
  TAG_FALSE,
  TAG_HOLE,
  TAG_IMMUTABLE_LIST,
  TAG_IMMUTABLE_MAP,
  TAG_IMMUTABLE_ORDERED_MAP,
  TAG_IMMUTABLE_ORDERED_SET,
  TAG_IMMUTABLE_SET,
  TAG_IMMUTABLE_STACK,
  TAG_MAP,
  TAG_NULL,
  TAG_NULL_PROTOTYPE_OBJECT,
  TAG_OBJECT,
  TAG_SET,
  TAG_TRUE,
  TAG_TYPED_ARRAY,
  TAG_UNDEFINED,
  TYPED_ARRAYS,
} from './encoding-tags.js';
import { Nesting } from './nesting.js';
import { writeBigint, writeBytes, writeDate, writeNumber, writeString } from './scalar-encoding.js';
import {
  describeKind,
  isBytes,
  isPlainArray,
  isPlainDate,
  isPlainObject,
  prototypeDepth,
} from './value-kind.js';

export { decodeValue } from './decoding.js';

/**
 * A value as bytes, fresh; `decodeValue` gives an equal value. `root` is what messages call the value.
 * @throws ValueError naming the path of what cannot be stored: functions, symbols, promises, instances of classes,
 * immutable Records and lazy sequences, cycles, more than 1000 levels
 */
export function encodeValue(value: unknown, root = 'value'): Uint8Array {
  const encoder = new ValueEncoder();
  encoder.write(value, root);
  return encoder.writer.copy();
}

/** Appends encoded values to its `writer`. */
export class ValueEncoder {
  readonly writer = new ByteWriter();
  readonly #nesting = new Nesting();

  /** Appends one value, called `root` in messages; after an error what was appended is to be discarded. */
  write(value: unknown, root: string): void {
    this.#nesting.begin(root);
    this.#value(value);
  }

  #value(value: unknown): void {
    const { writer } = this;
    switch (typeof value) {
      case 'string':
        writeString(writer, value);
        return;
      case 'number':
        writeNumber(writer, value);
        return;
      case 'boolean':
        writer.byte(value ? TAG_TRUE : TAG_FALSE);
        return;
      case 'undefined':
        writer.byte(TAG_UNDEFINED);
        return;
      case 'bigint':
        writeBigint(writer, value);
        return;
      case 'object':
        if (value === null) writer.byte(TAG_NULL);
        else if (isPlainDate(value)) writeDate(writer, value);
        else if (isBytes(value)) writeBytes(writer, value);
        else if (ArrayBuffer.isView(value)) this.#typedArray(value);
        else this.#container(value);
        return;
      case 'function':
      case 'symbol':
        throw this.#refuse(value);
    }
  }

  #container(value: object): void {
    this.#nesting.enter(value);
    if (isPlainArray(value)) this.#array(value);
    else if (isPlainObject(value)) this.#object(value);
    else if (types.isMap(value) && prototypeDepth(value) === 2) this.#entries(TAG_MAP, value.size, value);
    else if (types.isSet(value) && prototypeDepth(value) === 2) this.#elements(TAG_SET, value.size, value);
    else if (isList(value)) this.#elements(TAG_IMMUTABLE_LIST, value.size, value);
    else if (isStack(value)) this.#elements(TAG_IMMUTABLE_STACK, value.size, value);
    else if (isOrderedSet(value)) this.#elements(TAG_IMMUTABLE_ORDERED_SET, value.size, value);
    else if (isSet(value)) this.#elements(TAG_IMMUTABLE_SET, value.size, value);
    else if (isOrderedMap(value)) this.#entries(TAG_IMMUTABLE_ORDERED_MAP, value.size, value);
    else if (isMap(value)) this.#entries(TAG_IMMUTABLE_MAP, value.size, value);
    else {
      this.#nesting.leave();
      throw this.#refuse(value);
    }
    this.#nesting.leave();
  }

  #array(array: readonly unknown[]): void {
    const { writer } = this;
    const nesting = this.#nesting;
    writer.byte(TAG_ARRAY);
    writer.varint(array.length);
    for (let i = 0; i < array.length; i++) {
      const element = array[i];
      if (element === undefined && !(i in array)) {
        writer.byte(TAG_HOLE);
        continue;
      }
      nesting.at(i);
      this.#value(element);
    }
  }

  #object(object: object): void {
    const { writer } = this;
    const nesting = this.#nesting;
    const names = Object.keys(object);
    writer.byte(Object.getPrototypeOf(object) === null ? TAG_NULL_PROTOTYPE_OBJECT : TAG_OBJECT);
    writer.varint(names.length);
    for (const name of names) {
      writeString(writer, name);
      nesting.at(name);
      this.#value((object as Readonly<Record<string, unknown>>)[name]);
    }
  }

  #elements(tag: number, count: number, elements: Iterable<unknown>): void {
    this.writer.byte(tag);
    this.writer.varint(count);
    let i = 0;
    for (const element of elements) {
      this.#nesting.at(i++);
      this.#value(element);
    }
  }

  #entries(tag: number, count: number, entries: Iterable<readonly [unknown, unknown]>): void {
    this.writer.byte(tag);
    this.writer.varint(count);
    let i = 0;
    for (const [key, value] of entries) {
      this.#nesting.at(i++);
      this.#value(key);
      this.#nesting.at(i++);
      this.#value(value);
    }
  }

  #typedArray(value: ArrayBufferView): void {
    const index = TYPED_ARRAYS.findIndex(
      ({ name }) => name === Object.prototype.toString.call(value).slice(8, -1),
    );
    if (index < 0 || prototypeDepth(value) !== 3) throw this.#refuse(value);
    this.writer.byte(TAG_TYPED_ARRAY);
    this.writer.byte(index);
    this.writer.varint(value.byteLength);
    this.writer.bytes(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
  }

  #refuse(value: unknown): Error {
    const kind = describeKind(value);
    return this.#nesting.refusal(`is ${kind}, which cannot be stored: ${wayOut(value)}`, kind);
  }
}

function wayOut(value: unknown): string {
  if (typeof value === 'function') return 'store what it needs as data, and call it in the operation';
  if (typeof value === 'symbol') return 'use a string instead';
  if (types.isPromise(value)) return 'wait for its value before the row is made';
  if (types.isNativeError(value)) return 'store its message';
  if (types.isAnyArrayBuffer(value)) return 'wrap it in a Uint8Array';
  return 'turn it into an array, a plain object, a Map or a Set first';
}
