/**
 * Any thread, the driver's included: shipped functions → functions that can be called, each compiled or imported once per
 * thread. Inline functions are rebuilt from their text by `vm.compileFunction` (same realm, own file name in stacks, line
 * numbers of the text) with the environment's names as parameters; the closure that the user wrote is never called, so
 * that every mode behaves, and fails, alike. Hazard: each thread has its own copy of an environment; changes to it stay
 * there.
 */
import { compileFunction } from 'node:vm';
import { decodeValue } from '../../column/encoding.js';
import { FunctionError, StateError } from '../../errors.js';
import type { ShippedFunction } from '../../plan/shipped-function.js';
import { importFunction } from './import-function.js';
import type { AnyFunction } from './module-function.js';
import { SUPPLIED_HELPER } from './permitted-globals.js';

/** Compiled functions kept per thread; a loop with a new environment each time would otherwise grow without end. */
const MAX_COMPILED = 1024;
/** Bytes of encoded environments that compiled functions of a thread may keep decoded. */
const MAX_ENVIRONMENT_BYTES = 16 * 1024 * 1024;

/** One thread's compiled functions. */
export class FunctionCache {
  /** By operation and id, in the order of last use. */
  readonly #compiled = new Map<string, { readonly fn: AnyFunction; readonly environmentBytes: number }>();
  #environmentBytes = 0;
  /** By operation, module and export; as many as the program names, and the module loader never forgets them either. */
  readonly #imported = new Map<string, AnyFunction>();
  /** Imports on their way: tasks that run side by side share them. */
  readonly #importing = new Map<string, Promise<AnyFunction>>();

  /**
   * Imports the modules and compiles the texts, so that `get` is ready for each function. Concurrent calls are fine.
   * @throws FunctionError when a module cannot be imported, has no such export, or exports something else than a
   * synchronous function (for `flatMap` and `mapPartitions` also a generator); when a text cannot be compiled.
   */
  async load(functions: readonly ShippedFunction[]): Promise<void> {
    for (const fn of functions) {
      if (fn.kind === 'source') this.get(fn);
      else if (!this.#imported.has(keyOf(fn))) await this.#import(fn);
    }
  }

  /**
   * The function itself, for synchronous calls. A text that is not compiled (any more) is compiled now.
   * @throws StateError for a module's function that was not loaded. @throws FunctionError as `load`.
   */
  get(fn: ShippedFunction): AnyFunction {
    const key = keyOf(fn);
    if (fn.kind === 'module') {
      const imported = this.#imported.get(key);
      if (imported === undefined) {
        throw new StateError(`${fn.exportName} of ${fn.url} was not loaded on this thread`, { url: fn.url });
      }
      return imported;
    }
    const known = this.#compiled.get(key);
    const compiled = known ?? { fn: compileSource(fn), environmentBytes: fn.environment?.length ?? 0 };
    if (known === undefined) this.#environmentBytes += compiled.environmentBytes;
    this.#compiled.delete(key);
    this.#compiled.set(key, compiled);
    this.#forgetOldest();
    return compiled.fn;
  }

  /** Down to the limits; the latest stays whatever its size. */
  #forgetOldest(): void {
    for (const [key, { environmentBytes }] of this.#compiled) {
      const within = this.#compiled.size <= MAX_COMPILED && this.#environmentBytes <= MAX_ENVIRONMENT_BYTES;
      if (within || this.#compiled.size === 1) return;
      this.#compiled.delete(key);
      this.#environmentBytes -= environmentBytes;
    }
  }

  async #import(fn: ShippedFunction & { kind: 'module' }): Promise<void> {
    const key = keyOf(fn);
    const importing = this.#importing.get(key) ?? importFunction(fn);
    this.#importing.set(key, importing);
    try {
      this.#imported.set(key, await importing);
    } finally {
      this.#importing.delete(key);
    }
  }
}

/** The same text under two operations is compiled twice, so that stacks name the right one. */
function keyOf(fn: ShippedFunction): string {
  return `${fn.operation} ${fn.id}`;
}

function compileSource(fn: ShippedFunction & { kind: 'source' }): AnyFunction {
  const environment =
    fn.environment === undefined ? {} : (decodeValue(fn.environment) as Record<string, unknown>);
  const values = { [SUPPLIED_HELPER]: keepName, ...environment };
  try {
    const build = compileFunction(`'use strict'; return (${fn.source}\n);`, Object.keys(values), {
      filename: `rejoin-${fn.operation}-${fn.id.slice(0, 8)}.js`,
    }) as (...environment: unknown[]) => unknown;
    return build(...Object.values(values)) as AnyFunction;
  } catch (error) {
    throw new FunctionError(
      `${fn.operation}: the function cannot be compiled on this thread: ${messageOf(error)}`,
      { operation: fn.operation },
      { cause: error },
    );
  }
}

/** What esbuild's keepNames calls: gives a function its name, and returns it. */
function keepName(fn: AnyFunction, name: string): AnyFunction {
  return Object.defineProperty(fn, 'name', { value: name, configurable: true });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
