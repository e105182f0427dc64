/**
 * Any thread: the export of a module that a user named → the function, checked. Hazard: a script that awaits a job at its top
 * level and names itself (`fromModule(import.meta.url, …)`) waits for itself when the job runs inline: the import cannot
 * end before the script, nor the script before the import, and Node would exit without a word (code 13). That
 * is noticed when the event loop runs empty, or after a minute.
 */
import { types } from 'node:util';
import { FunctionError } from '../../errors.js';
import type { ShippedFunction } from '../../plan/shipped-function.js';
import { takesGenerator } from './generator-operations.js';
import type { AnyFunction } from './module-function.js';
import { nearestName } from '../../nearest-name.js';

const IMPORT_TIMEOUT_MS = 60_000;

/**
 * Imports the module, and gives its export.
 * @throws FunctionError when the import fails or never ends, or when the export is missing (the message lists what there
 * is), is no function, is async or a class, or is a generator where the operation takes none. `details`: operation, url,
 * exportName.
 */
export async function importFunction(
  fn: ShippedFunction & { kind: 'module' },
  timeoutMs = IMPORT_TIMEOUT_MS,
): Promise<AnyFunction> {
  const { url, exportName, operation } = fn;
  const details = { operation, url, exportName };
  let namespace: Readonly<Record<string, unknown>>;
  try {
    namespace = await importModule(url, timeoutMs);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new FunctionError(
      `${operation}: the module ${url} cannot be imported: ${message}${importAdvice(error)}`,
      details,
      { cause: error },
    );
  }
  const names = Object.keys(namespace).sort();
  if (!names.includes(exportName)) {
    const nearest = nearestName(exportName, names);
    throw new FunctionError(
      `${operation}: the module ${url} has no export ${exportName}; ` +
        (names.length === 0 ? 'it exports nothing' : `it exports ${names.join(', ')}`) +
        (nearest === undefined ? '' : `. Did you mean ${nearest}?`),
      details,
    );
  }
  const exported = namespace[exportName];
  const wrong = whatIsWrong(exported, operation);
  if (wrong !== undefined)
    throw new FunctionError(`${operation}: ${exportName} of ${url} is ${wrong}`, details);
  return exported as AnyFunction;
}

async function importModule(url: string, timeoutMs: number): Promise<Readonly<Record<string, unknown>>> {
  let giveUp: () => void = () => undefined;
  const stuck = new Promise<never>((_resolve, reject) => {
    giveUp = () => {
      reject(
        new Error(
          'its top level does not finish. If it is the script that waits for this job, move the function into a module ' +
            'of its own',
        ),
      );
    };
  });
  const timer = setTimeout(giveUp, timeoutMs).unref();
  process.once('beforeExit', giveUp);
  try {
    return await Promise.race([import(url) as Promise<Readonly<Record<string, unknown>>>, stuck]);
  } finally {
    clearTimeout(timer);
    process.off('beforeExit', giveUp);
  }
}

function whatIsWrong(exported: unknown, operation: string): string | undefined {
  if (typeof exported !== 'function') {
    return `${exported === null ? 'null' : `a value of type ${typeof exported}`}; expected a function`;
  }
  if (types.isAsyncFunction(exported))
    return 'an async function; tasks are synchronous, so it must return its value';
  if (types.isGeneratorFunction(exported) && !takesGenerator(operation)) {
    return 'a generator function; only flatMap and mapPartitions take generators';
  }
  return /^class\b/.test(Function.prototype.toString.call(exported))
    ? 'a class; expected a function'
    : undefined;
}

function importAdvice(error: unknown): string {
  const code: unknown =
    typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return code === 'ERR_UNKNOWN_FILE_EXTENSION' ? '. Name the built .js file: Node does not run this one' : '';
}
