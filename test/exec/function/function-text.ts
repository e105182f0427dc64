/** Functions with exactly the given text, whatever the test runner does to the test's own; and one to import. */
export function functionOf(text: string): unknown {
  return (0, eval)(`(${text}\n)`);
}

export function messageOf(value: unknown): string {
  return value instanceof Error ? value.message : String(value);
}
