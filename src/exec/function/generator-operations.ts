/** The operations whose function may be a generator: they take any iterable, and read it to its end. */
const GENERATOR_OPERATIONS: ReadonlySet<string> = new Set(['flatMap', 'mapPartitions']);

export function takesGenerator(operation: string): boolean {
  return GENERATOR_OPERATIONS.has(operation);
}
