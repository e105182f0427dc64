/**
 * Driver side: a user's function → plain data that any thread can run, or an error at the call. An inline function is
 * shipped as text, so it takes nothing along: what it uses must be its own, a permitted global, or in the environment.
 * Everything that would fail, hang or differ on another thread is refused here, where the user's stack still points at
 * the call, with the variable, the line and the ways out.
 */
import { createHash } from 'node:crypto';
import { encodeValue } from '../../column/encoding.js';
import { FunctionError, RejoinError } from '../../errors.js';
import type { ShippedFunction } from '../../plan/shipped-function.js';
import {
  analyzeFunction,
  type BoundSyntax,
  type FreeVariable,
  type FunctionAnalysis,
  type Place,
} from './analyze-function.js';
import { takesGenerator } from './generator-operations.js';
import { explainInjectedName } from './injected-names.js';
import { isModuleFunction, type Environment, type ModuleFunction } from './module-function.js';
import { nearestName } from '../../nearest-name.js';
import { isPermittedGlobal, refusalReason } from './permitted-globals.js';

/** Texts whose analysis is remembered: loops that call `map` again and again have a handful. */
const CACHED_ANALYSES = 256;

const NATIVE_TEXT = /\)\s*\{\s*\[native code\]\s*\}$/;

/** Names that strict code cannot give to a parameter, so that no environment can supply them. */
const UNBINDABLE: ReadonlySet<string> = new Set(['eval', 'arguments']);

/** Checks and ships functions; one a context, since it remembers the texts that it has analysed. */
export class FunctionShipper {
  /** By text, in the order of last use. */
  readonly #analyses = new Map<string, FunctionAnalysis>();

  /**
   * A function, or `fromModule(…)`, as data for `operation` (Spark's name: `map`, `reduceByKey`, …), the word that errors
   * begin with. `environment` holds the values of the variables that an inline function takes from outside; they are
   * encoded now, so that later changes do not matter. The first call with a text costs about half a millisecond, a
   * repeated one about 25 µs and the encoding.
   *
   * @throws FunctionError when `fn` cannot run on another thread: it captures a variable, assigns to one, is native,
   * bound, async, a class or an accessor, is a generator where `operation` takes none, or uses `this`, `super`,
   * `import()`, `import.meta` or a global that is not permitted; and when `environment` is not a plain object, has a
   * name that the function does not use, or a value that cannot be encoded. `details`: operation, and where they
   * apply variable, line and text.
   */
  ship(fn: unknown, environment: Environment | undefined, operation: string): ShippedFunction {
    if (isModuleFunction(fn)) return shipModule(fn, environment, operation);
    if (typeof fn !== 'function') {
      throw new FunctionError(
        `${operation}: expected a function or fromModule(url, name), got ${describeValue(fn)}`,
        { operation },
      );
    }
    const name: unknown = fn.name;
    const functionName = typeof name === 'string' ? name : '';
    const analysis = this.#analyze(textOf(fn, functionName, operation), operation);
    checkForm(analysis, operation);
    const values = ownValues(environment, operation);
    checkVariables(analysis, values, operation, functionName);
    const encoded = encodeEnvironment(values, operation);
    const hash = createHash('sha256')
      .update(analysis.source)
      .update('\0')
      .update(encoded ?? '');
    const id = hash.digest('hex').slice(0, 32);
    return { kind: 'source', id, source: analysis.source, environment: encoded, operation };
  }

  #analyze(text: string, operation: string): FunctionAnalysis {
    const known = this.#analyses.get(text);
    const analysis = known ?? inOperation(operation, () => analyzeFunction(text));
    this.#analyses.delete(text);
    this.#analyses.set(text, analysis);
    if (this.#analyses.size > CACHED_ANALYSES) {
      const [oldest] = this.#analyses.keys();
      if (oldest !== undefined) this.#analyses.delete(oldest);
    }
    return analysis;
  }
}

function shipModule(fn: ModuleFunction, environment: unknown, operation: string): ShippedFunction {
  if (environment !== undefined) {
    throw new FunctionError(
      `${operation}: an environment goes with an inline function; ${fn.exportName} of ${fn.url} uses what its module ` +
        `defines. Leave the environment out`,
      { operation, url: fn.url, exportName: fn.exportName },
    );
  }
  return {
    kind: 'module',
    id: `${fn.url}#${fn.exportName}`,
    url: fn.url,
    exportName: fn.exportName,
    operation,
  };
}

function textOf(fn: unknown, name: string, operation: string): string {
  const text = Function.prototype.toString.call(fn);
  if (!NATIVE_TEXT.test(text)) return text;
  throw new FunctionError(
    name.startsWith('bound ')
      ? `${operation}: a bound function (${name}) cannot be shipped: what it is bound to is hidden. Write an arrow ` +
          `function, with the values it needs in the environment`
      : `${operation}: ${name === '' ? 'the function' : `function ${name}`} is native code, or a proxy, and has no text to ` +
          `ship. Wrap it in one: (value) => ${name === '' ? '…' : name}(value)`,
    { operation, function: name },
  );
}

function checkForm(analysis: FunctionAnalysis, operation: string): void {
  const refuse = (what: string, wayOut: string): never => {
    throw new FunctionError(`${operation}: ${what} cannot be used here. ${wayOut}`, { operation });
  };
  if (analysis.form === 'class')
    refuse('a class', 'Wrap it in a function that returns rows: class instances are no rows');
  if (analysis.form === 'accessor') refuse('a getter or setter', 'Give a function: (row) => …');
  if (analysis.isAsync) {
    refuse(
      'an async function',
      'Tasks are synchronous: await before the job starts, and pass the value as environment',
    );
  }
  if (analysis.isGenerator && !takesGenerator(operation)) {
    refuse(
      'a generator function',
      'flatMap and mapPartitions take generators; return the value instead of yielding it',
    );
  }
  const [first] = analysis.boundSyntax;
  if (first !== undefined) throw boundSyntaxError(first, operation);
}

const BOUND_SYNTAX: Readonly<Record<BoundSyntax['syntax'], string>> = {
  this: 'nothing is bound to it on a worker thread. Take the values out of the object and pass them as environment',
  super: 'the object it belongs to stays behind. Write a plain function',
  'import()':
    'functions are synchronous. Export the function from a module that imports what it needs: fromModule(url, name)',
  'import.meta':
    'a shipped function has no module. Pass the value (import.meta.url) as environment, or use fromModule(url, name)',
};

function boundSyntaxError(found: BoundSyntax, operation: string): FunctionError {
  return new FunctionError(
    `${operation}: the function uses \`${found.syntax}\` ${at(found)}: ${BOUND_SYNTAX[found.syntax]}`,
    { operation, line: found.line, text: found.text },
  );
}

/** Own enumerable properties, read once; sorted, so that equal environments have equal ids. */
function ownValues(environment: unknown, operation: string): ReadonlyMap<string, unknown> {
  if (environment === undefined) return new Map();
  const prototype: unknown =
    typeof environment === 'object' && environment !== null ? Object.getPrototypeOf(environment) : undefined;
  if (prototype !== Object.prototype && prototype !== null) {
    throw new FunctionError(
      `${operation}: the environment is ${describeValue(environment)}; expected a plain object, { name: value }`,
      { operation },
    );
  }
  const entries = Object.entries(environment as Environment);
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function checkVariables(
  analysis: FunctionAnalysis,
  values: ReadonlyMap<string, unknown>,
  operation: string,
  functionName: string,
): void {
  const missing = analysis.freeVariables.filter(
    ({ name }) => UNBINDABLE.has(name) || (!values.has(name) && !isPermittedGlobal(name)),
  );
  const unused = [...values.keys()].filter(
    (name) => !analysis.freeVariables.some((used) => used.name === name),
  );
  const [misspelt] = unused;
  if (misspelt !== undefined) throw unusedNameError(misspelt, missing, analysis, operation);
  const [first, ...others] = missing;
  for (const variable of analysis.freeVariables) {
    if (variable.assigned !== undefined) throw assignmentError(variable.name, variable.assigned, operation);
  }
  if (first !== undefined) throw capturedError(first, others, operation, functionName);
}

function unusedNameError(
  name: string,
  missing: readonly FreeVariable[],
  analysis: FunctionAnalysis,
  operation: string,
): FunctionError {
  const candidates = (missing.length > 0 ? missing : analysis.freeVariables).map((used) => used.name);
  const meant = nearestName(name, candidates) ?? (missing.length === 1 ? missing[0]?.name : undefined);
  return new FunctionError(
    `${operation}: the environment has ${quoted(name)}, which the function does not use` +
      (meant === undefined ? `. Leave it out` : `; did you mean ${quoted(meant)}?`),
    { operation, variable: name, nearest: meant ?? null },
  );
}

function assignmentError(name: string, place: Place, operation: string): FunctionError {
  return new FunctionError(
    `${operation}: the function assigns to ${quoted(name)} ${at(place)}, which is not its own variable. It runs on other ` +
      `threads, on copies: what it assigns would be lost. Return the value instead, and combine rows with reduce, ` +
      `reduceByKey or count`,
    { operation, variable: name, line: place.line, text: place.text },
  );
}

function capturedError(
  variable: FreeVariable,
  others: readonly FreeVariable[],
  operation: string,
  functionName: string,
): FunctionError {
  const { name, line, text } = variable;
  const also = others.length === 0 ? '' : ` (and ${others.map((other) => quoted(other.name)).join(', ')})`;
  const used = `${operation}: the function uses ${quoted(name)}${also}, which is not defined in it ${at(variable)}. `;
  return new FunctionError(used + explain(name, [variable, ...others], operation, functionName), {
    operation,
    variable: name,
    line,
    text,
  });
}

function explain(
  name: string,
  missing: readonly FreeVariable[],
  operation: string,
  functionName: string,
): string {
  const module = `export the function from a module: ${operation}(fromModule(import.meta.url, 'name'))`;
  const injected = explainInjectedName(name);
  if (injected !== undefined) return `${quoted(name)} ${injected}; or ${module}`;
  if (name === 'arguments')
    return 'An arrow function has no arguments of its own: name its parameters, (…rest) => …';
  if (name === functionName) {
    return `If it calls itself, write it as a function with a name: function ${name}(…) { … }; or ${module}`;
  }
  const refused = refusalReason(name);
  if (UNBINDABLE.has(name) && refused !== undefined) return `It is not permitted: ${refused}; ${module}`;
  const cause =
    refused === undefined
      ? 'Functions run on worker threads, without the variables around them.'
      : `This global is not permitted: ${refused}.`;
  const names = missing.map((other) => other.name).join(', ');
  const pass = refused === undefined ? 'Pass' : 'If it is a variable of yours, pass';
  return `${cause} ${pass} its value as environment, ${operation}(fn, { ${names} }), or ${module}`;
}

function encodeEnvironment(values: ReadonlyMap<string, unknown>, operation: string): Uint8Array | undefined {
  if (values.size === 0) return undefined;
  for (const [name, value] of values) {
    if (typeof value !== 'function' && !isModuleFunction(value)) continue;
    throw new FunctionError(
      `${operation}: environment.${name} is a function, and functions are not data. Define ${name} inside the function ` +
        `that uses it, or export both from a module and use fromModule(url, name)`,
      { operation, variable: name },
    );
  }
  return inOperation(operation, () => encodeValue(Object.fromEntries(values), 'environment'));
}

/** Errors of what `body` calls, as FunctionErrors that begin with the operation. */
function inOperation<T>(operation: string, body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (!(error instanceof RejoinError)) throw error;
    throw new FunctionError(
      `${operation}: ${error.message}`,
      { ...error.details, operation },
      { cause: error },
    );
  }
}

function at({ line, text }: Place): string {
  return `(line ${line} of the function: \`${text}\`)`;
}

function quoted(name: string): string {
  return `\`${name}\``;
}

function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value !== 'object') return `a ${typeof value}`;
  return Array.isArray(value) ? 'an array' : 'an object that is not plain';
}
