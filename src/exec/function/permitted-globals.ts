/**
 * The globals that an inline function may use: those that mean the same on every thread. What is missing is missing on
 * purpose: a name here is *not* recognised as a captured variable, so names that users like to give their own variables or
 * imports (`name`, `crypto`, `escape`, `event`) stay out. `docs/functions.md` repeats the list; a test compares them.
 */

/** Built into the language. */
export const LANGUAGE_GLOBALS = [
  'undefined',
  'NaN',
  'Infinity',
  'Object',
  'Boolean',
  'Symbol',
  'Number',
  'BigInt',
  'Math',
  'Date',
  'String',
  'RegExp',
  'Intl',
  'JSON',
  'Array',
  'Map',
  'Set',
  'WeakMap',
  'WeakSet',
  'WeakRef',
  'Promise',
  'Proxy',
  'Reflect',
  'ArrayBuffer',
  'SharedArrayBuffer',
  'DataView',
  'Atomics',
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Int16Array',
  'Uint16Array',
  'Int32Array',
  'Uint32Array',
  'Float32Array',
  'Float64Array',
  'BigInt64Array',
  'BigUint64Array',
  'Error',
  'AggregateError',
  'EvalError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'URIError',
  'parseInt',
  'parseFloat',
  'isNaN',
  'isFinite',
  'encodeURI',
  'encodeURIComponent',
  'decodeURI',
  'decodeURIComponent',
] as const;

/** Provided by Node on every thread. `process` is the thread's own. */
export const NODE_GLOBALS = [
  'console',
  'process',
  'Buffer',
  'URL',
  'URLSearchParams',
  'TextEncoder',
  'TextDecoder',
  'structuredClone',
  'performance',
  'atob',
  'btoa',
] as const;

/** Written into functions by esbuild and tsx (keepNames) to keep `fn.name`; supplied on every thread. */
export const SUPPLIED_HELPER = '__name';

const PERMITTED: ReadonlySet<string> = new Set<string>([
  ...LANGUAGE_GLOBALS,
  ...NODE_GLOBALS,
  SUPPLIED_HELPER,
]);

export function isPermittedGlobal(name: string): boolean {
  return PERMITTED.has(name);
}

const NOTHING_WAITS =
  'nothing waits for what it would run later: a task ends when its last function has returned';
const NOT_SHARED = 'each thread has globals of its own, which the driver does not see';
const TEXT_AS_CODE = 'it runs text that cannot be checked before it is shipped';
const NO_COMMONJS = 'there is no CommonJS module around a shipped function';

const REASONS: ReadonlyMap<string, string> = new Map([
  ['eval', TEXT_AS_CODE],
  ['Function', TEXT_AS_CODE],
  ['globalThis', NOT_SHARED],
  ['global', NOT_SHARED],
  ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'fetch'].map(
    (name): [string, string] => [name, NOTHING_WAITS],
  ),
  ...['require', 'module', 'exports', '__filename', '__dirname'].map((name): [string, string] => [
    name,
    NO_COMMONJS,
  ]),
]);

/** Why a well-known name is not permitted, or undefined if the name is nothing special. */
export function refusalReason(name: string): string | undefined {
  return (
    REASONS.get(name) ??
    (name in globalThis ? 'it is not one of the permitted globals (docs/functions.md)' : undefined)
  );
}
