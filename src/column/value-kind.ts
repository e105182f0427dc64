/**
 * What a value is, as far as storing it goes. Built-in classes count only themselves, not their subclasses, which would come
 * back as something else; the same class of another realm (a `vm` context) counts, as does another copy of `immutable`.
 */
import { isCollection, isRecord } from 'immutable';
import { types } from 'node:util';

/** An object literal, or an object without a prototype. */
export function isPlainObject(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return true;
  return prototypeDepth(value) === 1 && Object.hasOwn(prototype as object, 'propertyIsEnumerable');
}

/** An array of the class Array itself. */
export function isPlainArray(value: object): value is unknown[] {
  if (!Array.isArray(value)) return false;
  return Object.getPrototypeOf(value) === Array.prototype || prototypeDepth(value) === 2;
}

export function isPlainDate(value: object): value is Date {
  return types.isDate(value) && prototypeDepth(value) === 2;
}

/** A Uint8Array or a Buffer. */
export function isBytes(value: object): value is Uint8Array {
  return types.isUint8Array(value) && (prototypeDepth(value) === 3 || Buffer.isBuffer(value));
}

/** Prototypes between a value and null: 1 for an object literal, 2 for Array, Map, Date, 3 for typed arrays. */
export function prototypeDepth(value: object): number {
  let depth = 0;
  for (let at: unknown = Object.getPrototypeOf(value); at !== null; at = Object.getPrototypeOf(at))
    depth += 1;
  return depth;
}

/** `an instance of Person`: for messages only. */
export function describeKind(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'undefined';
    case 'function':
      return value.name === '' ? 'a function' : `the function ${value.name}`;
    case 'symbol':
      return `the ${String(value)}`;
    case 'object': {
      if (value === null) return 'null';
      if (types.isPromise(value)) return 'a promise';
      if (isRecord(value)) return 'an immutable Record';
      if (isCollection(value)) return `an immutable ${constructorName(value)}`;
      if (isPlainObject(value)) return 'a plain object';
      if (isPlainArray(value)) return 'an array';
      const name = constructorName(value);
      return name === '' ? 'an instance of a class' : `an instance of ${name}`;
    }
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return `the ${typeof value} ${String(value)}`;
  }
}

function constructorName(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  const named: unknown =
    typeof prototype === 'object' && prototype !== null && 'constructor' in prototype
      ? prototype.constructor
      : undefined;
  return typeof named === 'function' ? named.name : '';
}
