/**
 * The second way to name a user's function: a module and one of its exports, imported on each thread that needs it. Such
 * a function may use whatever its module imports. The module is evaluated once per thread, so that module-level state is
 * per thread as well, never shared.
 */
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { FunctionError } from '../../errors.js';

/** What the type checker knows about a function that runs on worker threads. */
export type AnyFunction = (...args: never[]) => unknown;

/** Values that an inline function uses by name; each must be storable in a row (`docs/values-and-keys.md`). */
export type Environment = Readonly<Record<string, unknown>>;

/** A function where the engine accepts one: inline, or the export of a module. `F` is the user's function type. */
export type Shippable<F extends AnyFunction> = F | ModuleFunction<F>;

/** An exported function of a module, made by `fromModule`. */
export class ModuleFunction<F extends AnyFunction = AnyFunction> {
  /** For the type checker only; never set. */
  declare readonly signature?: F;

  constructor(
    /** Absolute: `file:`, `data:` or `node:`. */
    readonly url: string,
    readonly exportName: string,
  ) {}
}

export function isModuleFunction(value: unknown): value is ModuleFunction {
  return value instanceof ModuleFunction;
}

const IMPORTABLE = new Set(['file:', 'data:', 'node:']);

/**
 * The exported function `exportName` (`'default'` for the default export) of a module, to be given wherever the engine
 * takes a function. It is imported on the worker threads, before the task that uses it starts.
 *
 * `url` is usually `import.meta.url`, `new URL('./other.js', import.meta.url)` or `import.meta.resolve('package')`; an
 * absolute path works as well. The file must be what Node runs: the built `.js`, unless a loader is registered.
 *
 * @throws FunctionError when the URL is relative, bare, or of another scheme than `file:`, `data:` and `node:`, when the
 * file does not exist, or when the export's name is empty. A missing export is found at the first run.
 * @example
 * ```ts
 * const label = fromModule<(edge: readonly [string, string]) => string>(import.meta.url, 'label');
 * await friend.map(label).take(5);
 * ```
 */
export function fromModule<F extends AnyFunction>(url: string | URL, exportName: string): ModuleFunction<F> {
  if (typeof exportName !== 'string' || exportName === '') {
    throw new FunctionError(
      `fromModule: the export's name is ${JSON.stringify(exportName)}; expected the name of an exported function, ` +
        `'default' for the default export`,
      { exportName: JSON.stringify(exportName) },
    );
  }
  const absolute = absoluteUrl(url);
  if (absolute.protocol === 'file:' && !fileExists(absolute)) {
    throw new FunctionError(`fromModule: there is no file ${absolute.href}; check the URL`, {
      url: absolute.href,
      exportName,
    });
  }
  return new ModuleFunction<F>(absolute.href, exportName);
}

function absoluteUrl(given: string | URL): URL {
  const text = String(given);
  if (isAbsolute(text)) return pathToFileURL(text);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && IMPORTABLE.has(url.protocol)) return url;
  const wayOut =
    url !== undefined
      ? `only file:, data: and node: modules are imported; keep a copy in a file and name that`
      : text.startsWith('.')
        ? `a relative path has no base on a worker thread; write new URL(${JSON.stringify(text)}, import.meta.url)`
        : `a package is not resolved from here; write import.meta.resolve(${JSON.stringify(text)})`;
  throw new FunctionError(`fromModule: ${JSON.stringify(text)} is not the URL of a module: ${wayOut}`, {
    url: text,
  });
}

/** A `file:` URL with another host, which cannot be a local path, counts as missing. */
function fileExists(url: URL): boolean {
  try {
    return existsSync(fileURLToPath(url));
  } catch (error) {
    throw new FunctionError(
      `fromModule: ${url.href} is not a local file: ${error instanceof Error ? error.message : String(error)}`,
      { url: url.href },
      { cause: error },
    );
  }
}
