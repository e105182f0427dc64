/**
 * What a shipped function does after it was rebuilt, against the function itself: a table of functions of every form on
 * random arguments, and random arithmetic with nested scopes.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FunctionError, StateError } from '../../../src/errors.js';
import { FunctionCache } from '../../../src/exec/function/compile-function.js';
import { fromModule } from '../../../src/exec/function/module-function.js';
import { FunctionShipper } from '../../../src/exec/function/ship-function.js';
import { functionOf } from './function-text.js';

type Call = (...args: unknown[]) => unknown;

const shipper = new FunctionShipper();
const listenersBefore = process.listenerCount('beforeExit');
const labels = new URL('./fixtures/labels.js', import.meta.url);

function rebuild(fn: unknown, environment?: Readonly<Record<string, unknown>>, operation = 'map'): Call {
  return new FunctionCache().get(shipper.ship(fn, environment, operation)) as Call;
}

async function loadFailure(fn: unknown, operation = 'map'): Promise<unknown> {
  return new FunctionCache().load([shipper.ship(fn, undefined, operation)]).then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** What a call gives or throws, to be compared. */
function outcome(fn: Call, args: readonly unknown[]): unknown {
  try {
    return { value: fn(...args) };
  } catch (error) {
    // Without the message: V8's own differ between compiled and lazily compiled code.
    return { thrown: error instanceof Error ? error.name : error };
  }
}

describe('a rebuilt function', () => {
  const value = fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true });

  it.each<[what: string, fn: unknown]>([
    ['identity', (x: unknown) => x],
    ['an object', (x: unknown, y: unknown) => ({ x, y, list: [x, y] })],
    ['defaults and rest', functionOf('(x, y = [x], ...rest) => [x, y, rest]')],
    [
      'destructuring',
      functionOf('({ a, ...rest } = {}, [first, ...others] = []) => ({ a, rest, first, others })'),
    ],
    ['text', functionOf('(x) => `${typeof x}:${JSON.stringify(x) ?? "none"}`')],
    ['arguments', functionOf('function () { return [arguments.length, ...arguments]; }')],
    [
      'closures inside',
      functionOf('(...xs) => { let n = 0; const add = () => ++n; xs.forEach(add); return n; }'),
    ],
    [
      'a class inside',
      functionOf('(x) => { class Box { #v = x; get v() { return this.#v; } } return new Box().v; }'),
    ],
    ['a method', functionOf('({ pair(x) { return [x, x]; } }).pair')],
    ['a computed method', functionOf("({ ['a b'](x) { return [x]; } })['a b']")],
    [
      'recursion',
      functionOf('function depth(x) { return Array.isArray(x) ? 1 + Math.max(0, ...x.map(depth)) : 0; }'),
    ],
    ['optional chaining', functionOf('(x) => x?.a?.b ?? null')],
    ['something that throws', functionOf('(x) => x.a.b')],
    ['regular expressions', functionOf('(x) => String(x).replace(/(\\d)(?<rest>\\d*)/gu, "$<rest>$1")')],
    ['a trailing comment', functionOf('(x) => x // the value')],
  ])('gives what the original gives: %s', (_what, fn) => {
    const rebuilt = rebuild(fn);
    fc.assert(
      fc.property(fc.array(value, { maxLength: 3 }), (args) => {
        expect(outcome(rebuilt, args)).toEqual(outcome(fn as Call, args));
      }),
      { numRuns: 50 },
    );
  });

  const { expression } = fc.letrec<{ expression: string }>((tie) => ({
    expression: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('x', 'y', 'k', '2'),
      fc
        .tuple(tie('expression'), fc.constantFrom('+', '-', '*'), tie('expression'))
        .map((all) => `(${all.join(' ')})`),
      fc
        .tuple(fc.constantFrom('x', 'y', 'k'), tie('expression'), tie('expression'))
        .map(([name, bound, body]) => `((${name}) => ${body})(${bound})`),
      fc
        .tuple(fc.constantFrom('x', 'y', 'k'), tie('expression'))
        .map(([name, body]) => `(() => { const ${name} = 3; return ${body}; })()`),
    ),
  }));

  it('gives what the original gives, for random arithmetic in nested scopes with an environment', () => {
    fc.assert(
      fc.property(expression, fc.integer(), fc.integer(), fc.double(), (body, x, y, k) => {
        const original = (functionOf(`(k) => (x, y) => k * 0 + ${body}`) as Call)(k) as Call;
        expect(rebuild(original, { k })(x, y)).toBe(original(x, y));
      }),
      { numRuns: 200 },
    );
  });

  it('is not the closure', () => {
    const fn = functionOf('(x) => [x]');
    expect(rebuild(fn)).not.toBe(fn);
  });

  it('runs in strict mode', () => {
    expect(rebuild(functionOf('function () { return (function () { return typeof this; })(); }'))()).toBe(
      'undefined',
    );
    expect(() => rebuild(functionOf('(x) => { x.frozen = 1; }'))(Object.freeze({ frozen: 0 }))).toThrow(
      TypeError,
    );
  });

  it('has the same realm', () => {
    expect(rebuild(functionOf('() => [1]'))()).toBeInstanceOf(Array);
    const fails = rebuild(functionOf("() => { throw new RangeError('no'); }"));
    expect(fails).toThrow(RangeError);
    expect(fails).toThrow('no');
  });

  it('has the helper of esbuild and tsx', () => {
    const fn = functionOf(
      '(x) => { const twice = __name((y) => y * 2, "twice"); return [twice.name, twice(x)]; }',
    );
    expect(rebuild(fn)(4)).toEqual(['twice', 8]);
  });

  it('names operation and line in stacks', () => {
    const fn = rebuild(functionOf("(x) => {\n  // two\n  throw new Error('here');\n}"), undefined, 'flatMap');
    try {
      fn(1);
      expect.unreachable();
    } catch (error) {
      expect(error instanceof Error ? error.stack : '').toMatch(/rejoin-flatMap-[0-9a-f]{8}\.js:3:\d+/);
    }
  });
});

describe('the environment', () => {
  it('is a copy, taken at the call', () => {
    const list = [1, 2];
    const shipped = shipper.ship(functionOf('() => list'), { list }, 'map');
    list.push(3);
    const copy = (new FunctionCache().get(shipped) as Call)();
    expect(copy).toEqual([1, 2]);
    expect(copy).not.toBe(list);
  });

  it('is decoded afresh for each thread, and once a thread', () => {
    const shipped = shipper.ship(
      functionOf('(x) => { seen.push(x); return seen.length; }'),
      { seen: [] },
      'map',
    );
    const one = new FunctionCache();
    const other = new FunctionCache();
    expect([one, one, other].map((cache) => (cache.get(shipped) as Call)(0))).toEqual([1, 2, 1]);
  });

  it('may hold undefined, and shadow a global', () => {
    expect(rebuild(functionOf('() => [a, URL]'), { a: undefined, URL: 'x' })()).toEqual([undefined, 'x']);
  });
});

describe('the cache', () => {
  it('compiles once by text and environment', () => {
    const cache = new FunctionCache();
    const shipped = () => shipper.ship(functionOf('(x) => x + k'), { k: 1 }, 'map');
    expect(cache.get(structuredClone(shipped()))).toBe(cache.get(shipped()));
  });

  it('stays bounded, and compiles again what it has dropped', () => {
    const cache = new FunctionCache();
    const fn = functionOf('(x) => x + k');
    const first = cache.get(shipper.ship(fn, { k: 0 }, 'map'));
    for (let k = 1; k < 1100; k += 1) cache.get(shipper.ship(fn, { k }, 'map'));
    const again = cache.get(shipper.ship(fn, { k: 0 }, 'map')) as Call;
    expect(again).not.toBe(first);
    expect(again(5)).toBe(5);
  });

  it('refuses a text that does not compile', () => {
    const shipped = {
      kind: 'source',
      id: 'x',
      source: '(x) =>',
      environment: undefined,
      operation: 'map',
    } as const;
    expect(() => new FunctionCache().get(shipped)).toThrow(
      /^map: the function cannot be compiled on this thread: /,
    );
  });
});

describe("a module's function", () => {
  it('is imported once for tasks that run side by side', async () => {
    const cache = new FunctionCache();
    const shipped = shipper.ship(fromModule(labels, 'label'), undefined, 'map');
    await Promise.all(Array.from({ length: 20 }, () => cache.load([shipped])));
    expect((cache.get(shipped) as Call)(7)).toBe('n7');
    expect(process.listenerCount('beforeExit')).toBe(listenersBefore);
  });

  it('is imported by name, also by default', async () => {
    const cache = new FunctionCache();
    const named = shipper.ship(fromModule(labels, 'label'), undefined, 'map');
    const unnamed = shipper.ship(fromModule(labels.href, 'default'), undefined, 'map');
    await cache.load([named, unnamed, named]);
    expect((cache.get(named) as Call)(7)).toBe('n7');
    expect((cache.get(unnamed) as Call)(7)).toBe(14);
  });

  it('may come from a data URL or from Node', async () => {
    const cache = new FunctionCache();
    const shipped = [
      fromModule('data:text/javascript,export const twice = (x) => 2 * x', 'twice'),
      fromModule('node:path', 'basename'),
    ].map((module) => shipper.ship(module, undefined, 'map'));
    await cache.load(shipped);
    expect(shipped.map((fn) => (cache.get(fn) as Call)('a/21'))).toEqual([NaN, '21']);
  });

  it('must be loaded first', () => {
    const shipped = shipper.ship(fromModule(labels, 'label'), undefined, 'map');
    expect(() => new FunctionCache().get(shipped)).toThrow(StateError);
  });

  it('that is missing lists what there is', async () => {
    const error = await loadFailure(fromModule(labels, 'lable'));
    expect(error).toBeInstanceOf(FunctionError);
    expect(error).toMatchObject({
      message: expect.stringMatching(
        /has no export lable; it exports .*countCalls.*label.*Did you mean label\?/,
      ) as string,
      details: { url: labels.href, exportName: 'lable', operation: 'map' },
    });
  });

  it.each([
    ['notAFunction', 'map', /notAFunction of file:.* is a value of type number/],
    ['asynchronous', 'map', /async function/],
    ['each', 'filter', /generator function/],
    ['Label', 'map', /is a class/],
  ])('must be a function that fits: %s in %s', async (exportName, operation, message) => {
    expect(await loadFailure(fromModule(labels, exportName), operation)).toMatchObject({
      message: expect.stringMatching(message) as string,
    });
  });

  it('may be a generator in flatMap', async () => {
    expect(await loadFailure(fromModule(labels, 'each'), 'flatMap')).toBeUndefined();
  });

  it.each<[string, string, RegExp]>([
    [
      'throws',
      new URL('./fixtures/broken.js', import.meta.url).href,
      /broken\.js cannot be imported: the licence file is missing/,
    ],
    ['does not parse', 'data:text/javascript,export const = 1', /cannot be imported: /],
    ['is of an unknown kind', 'node:no-such-module', /cannot be imported: /],
  ])('whose module %s', async (_what, url, message) => {
    const error = await loadFailure(fromModule(url, 'label'));
    expect(error).toBeInstanceOf(FunctionError);
    expect(error).toMatchObject({ message: expect.stringMatching(message) as string, details: { url } });
    expect(error instanceof FunctionError && error.cause !== undefined).toBe(true);
  });
});
