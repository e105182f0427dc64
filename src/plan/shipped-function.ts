/**
 * A user's function as plain data, ready to be run on any thread: its source with an encoded environment, or a module's
 * export. Made and compiled in `exec/function/`.
 */
export type ShippedFunction =
  | {
      readonly kind: 'source';
      /** Hash of source and environment: each thread compiles it once. */
      readonly id: string;
      readonly source: string;
      /** Encoded object of the names that the function uses, or undefined for none. */
      readonly environment: Uint8Array | undefined;
      readonly operation: string;
    }
  | {
      readonly kind: 'module';
      readonly id: string;
      readonly url: string;
      readonly exportName: string;
      readonly operation: string;
    };
