/**
 * Whether two values are the same through and through: scalars by Object.is, holes apart from undefined, prototypes,
 * orders. Vitest's own equality goes by properties named `constructor` and looks into private parts of immutable collections.
 */
import { isCollection } from 'immutable';

export function identical(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return Object.is(a, b);
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (a instanceof Date && b instanceof Date) return Object.is(a.getTime(), b.getTime());
  if (isElements(a) && isElements(b)) return identical([...a], [...b]);
  const names = Object.keys(a);
  const others = Object.keys(b);
  const [left, right] = [a, b] as Readonly<Record<string, unknown>>[];
  return (
    (!Array.isArray(a) || a.length === (b as unknown[]).length) &&
    names.length === others.length &&
    names.every((name, i) => name === others[i] && identical(left?.[name], right?.[name]))
  );
}

function isElements(value: object): value is Iterable<unknown> {
  return value instanceof Map || value instanceof Set || isCollection(value);
}
