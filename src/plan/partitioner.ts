import { is, Map } from 'immutable';

/**
 * How rows are spread over partitions by key. Plain data, so that equality can be seen: two datasets with equal
 * partitioners have equal keys in equal partitions, and joining them shuffles nothing.
 */
export interface Partitioner {
  readonly kind: 'hash';
  readonly partitionCount: number;
}

/** Keys go to hash(key) mod `partitionCount`; the hash is of the key's canonical form (`column/key.ts`). */
export function hashPartitioner(partitionCount: number): Partitioner {
  return Object.freeze({ kind: 'hash', partitionCount });
}

export function partitionersEqual(a: Partitioner | undefined, b: Partitioner | undefined): boolean {
  return a !== undefined && b !== undefined && is(Map(a), Map(b));
}
