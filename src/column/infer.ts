/** What all values of a column have in common: the narrowest kind of column that gives them back exactly. */
export type Inferred =
  | { readonly kind: 'constant'; readonly value: null | undefined }
  | { readonly kind: 'u32' | 'i32' | 'f64' | 'bigint64' | 'boolean' | 'utf8' | 'serialized' }
  | { readonly kind: 'tuple'; readonly arity: number }
  | { readonly kind: 'nullable'; readonly values: Inferred };

const MAX_ARITY = 64;
const MIN_I64 = -(2n ** 63n);
const MAX_I64 = 2n ** 63n - 1n;

/** Looks at every value once or twice. */
export function inferColumn(values: readonly unknown[]): Inferred {
  const sample = values.find((value) => value !== null);
  if (sample === undefined) {
    const first = values[0];
    if (first !== undefined && first !== null) return { kind: 'serialized' };
    return values.every((value) => value === first)
      ? { kind: 'constant', value: first }
      : { kind: 'serialized' };
  }
  const nulls = values.includes(null);
  const present = nulls ? values.filter((value) => value !== null) : values;
  const inferred = inferPresent(present, sample);
  if (!nulls || inferred.kind === 'serialized') return inferred;
  // A tuple has no filler.
  return inferred.kind === 'tuple' ? { kind: 'serialized' } : { kind: 'nullable', values: inferred };
}

function inferPresent(values: readonly unknown[], sample: unknown): Inferred {
  switch (typeof sample) {
    case 'number':
      return inferNumbers(values);
    case 'string':
      return values.every((value) => typeof value === 'string') && !values.some(isIllFormed)
        ? { kind: 'utf8' }
        : { kind: 'serialized' };
    case 'boolean':
      return values.every((value) => typeof value === 'boolean')
        ? { kind: 'boolean' }
        : { kind: 'serialized' };
    case 'bigint':
      return values.every((value) => typeof value === 'bigint' && value >= MIN_I64 && value <= MAX_I64)
        ? { kind: 'bigint64' }
        : { kind: 'serialized' };
    default:
      return inferTuples(values, sample);
  }
}

function inferNumbers(values: readonly unknown[]): Inferred {
  let u32 = true;
  let i32 = true;
  for (const value of values) {
    if (typeof value !== 'number') return { kind: 'serialized' };
    if (u32 && (value >>> 0 !== value || Object.is(value, -0))) u32 = false;
    if (i32 && ((value | 0) !== value || Object.is(value, -0))) i32 = false;
  }
  return { kind: u32 ? 'u32' : i32 ? 'i32' : 'f64' };
}

function inferTuples(values: readonly unknown[], sample: unknown): Inferred {
  const arity = Array.isArray(sample) ? sample.length : 0;
  if (arity === 0 || arity > MAX_ARITY) return { kind: 'serialized' };
  for (const value of values) {
    if (!Array.isArray(value) || value.length !== arity) return { kind: 'serialized' };
    for (let i = 0; i < arity; i++)
      if (value[i] === undefined && !(i in value)) return { kind: 'serialized' };
  }
  return { kind: 'tuple', arity };
}

function isIllFormed(text: unknown): boolean {
  return /\p{Surrogate}/u.test(text as string);
}
