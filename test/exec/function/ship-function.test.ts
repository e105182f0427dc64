import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { decodeValue } from '../../../src/column/encoding.js';
import { FunctionError } from '../../../src/errors.js';
import { fromModule } from '../../../src/exec/function/module-function.js';
import { FunctionShipper } from '../../../src/exec/function/ship-function.js';
import { messageOf, functionOf } from './function-text.js';

type Given = Readonly<Record<string, unknown>> | undefined;

function ship(fn: unknown, environment?: Given, operation = 'map') {
  return new FunctionShipper().ship(fn, environment, operation);
}

function refusal(fn: unknown, environment?: Given, operation = 'map'): FunctionError {
  try {
    ship(fn, environment, operation);
  } catch (error) {
    if (error instanceof FunctionError) return error;
    throw error;
  }
  throw new Error(`it was shipped: ${String(fn)}`);
}

describe('a captured variable', () => {
  it('is refused with variable, line, text, operation and the ways out', () => {
    const error = refusal(
      functionOf('([who]) => {\n  const x = 1;\n  return who === person;\n}'),
      undefined,
      'filter',
    );
    expect(error.message).toBe(
      'filter: the function uses `person`, which is not defined in it (line 3 of the function: `return who === person;`). ' +
        'Functions run on worker threads, without the variables around them. Pass its value as environment, ' +
        "filter(fn, { person }), or export the function from a module: filter(fromModule(import.meta.url, 'name'))",
    );
    expect(error.details).toEqual({
      operation: 'filter',
      variable: 'person',
      line: 3,
      text: 'return who === person;',
    });
  });

  it('is explained as docs/functions.md shows it', async () => {
    const text = await readFile(new URL('../../../docs/functions.md', import.meta.url), 'utf8');
    const shown = /```text\n(.*?)\n```/s.exec(text)?.[1]?.replaceAll('\n', ' ');
    expect(refusal(functionOf('([who]) => who === person'), undefined, 'filter').message).toBe(shown);
  });

  it('is found in a real closure', () => {
    const person = 'Valjean';
    expect(refusal(([who]: [string]) => who === person).details['variable']).toBe('person');
  });

  it('is named with the others', () => {
    expect(refusal(functionOf('(x) => x * a + b'), undefined).message).toMatch(
      /`a` \(and `b`\).*map\(fn, \{ a, b \}\)/s,
    );
  });

  it('that is missing from an environment is still refused', () => {
    expect(refusal(functionOf('(x) => x * a + b'), { a: 1 }).details['variable']).toBe('b');
  });

  it('is explained when it is the function itself', () => {
    const fact = (n: number): number => (n < 2 ? 1 : n * fact(n - 1));
    expect(refusal(fact).message).toContain('function fact(…) { … }');
  });

  it('is an import, as this test runner rewrites it', () => {
    expect(refusal((x: number) => messageOf(x)).message).toMatch(/`__vi\w+` stands for an import .* vitest/);
  });

  it.each([
    ['cov_1k2j3', 'istanbul'],
    ['tslib_1', 'TypeScript'],
    ['__awaiter', 'TypeScript'],
    ['_interopRequireDefault', 'Babel'],
    ['_object_spread', 'SWC'],
    ['__spreadValues', 'esbuild'],
    ['import_lodash', 'esbuild'],
    ['label_js_1', 'TypeScript'],
    ['_label__WEBPACK_IMPORTED_MODULE_0__', 'webpack'],
    ['stryMutAct_9fa48', 'Stryker'],
  ])('%s is explained as what %s injects', (name, tool) => {
    expect(refusal(functionOf(`(x) => ${name}(x)`)).message).toContain(tool);
  });

  it.each([
    ['setTimeout', 'nothing waits'],
    ['fetch', 'nothing waits'],
    ['globalThis', 'each thread has globals of its own'],
    ['require', 'CommonJS'],
    ['eval', 'cannot be checked'],
    ['Function', 'cannot be checked'],
    ['crypto', 'not one of the permitted globals'],
  ])('%s is refused as a global: %s', (name, reason) => {
    expect(refusal(functionOf(`(x) => ${name}(x)`)).message).toContain(reason);
  });

  it('named arguments is explained', () => {
    expect(refusal(functionOf('() => arguments[0]')).message).toContain('(…rest) =>');
  });
});

describe('what cannot be shipped', () => {
  it.each<[what: string, fn: unknown, message: RegExp]>([
    ['a native function', Math.abs, /abs is native code/],
    ['a proxy', new Proxy(() => 1, {}), /native code, or a proxy/],
    ['a bound function', functionOf('(function named() {}).bind(null)'), /bound function \(bound named\)/],
    ['a class', functionOf('class A {}'), /a class cannot/],
    ['an async function', async () => Promise.resolve(1), /async function/],
    ['an async generator', functionOf('async function* () { yield 1; }'), /async function/],
    ['a generator', functionOf('function* () { yield 1; }'), /generator function/],
    [
      'a getter',
      functionOf("Object.getOwnPropertyDescriptor({ get x() { return 1; } }, 'x').get"),
      /getter or setter/,
    ],
    ['this', functionOf('() => this.k'), /uses `this` \(line 1 of the function: `\(\) => this.k`\)/],
    ['super', functionOf('({ m() { return super.toString(); } }).m'), /uses `super`/],
    ['import()', functionOf("() => import('node:fs')"), /uses `import\(\)`/],
    [
      'sloppy code',
      functionOf('function (x) { with (x) { return y; } }'),
      /map: its text cannot be read as a function in strict mode/,
    ],
    ['an object', { map: 1 }, /expected a function or fromModule/],
    ['nothing', undefined, /got undefined/],
  ])('%s', (_what, fn, message) => {
    expect(refusal(fn).message).toMatch(message);
    expect(refusal(fn).details['operation']).toBe('map');
  });

  it('but flatMap and mapPartitions take generators', () => {
    const generator = functionOf('function* (x) { yield x; }');
    for (const operation of ['flatMap', 'mapPartitions'])
      expect(ship(generator, undefined, operation).kind).toBe('source');
    expect(refusal(functionOf('async function* (x) { yield x; }'), undefined, 'flatMap').message).toMatch(
      /async/,
    );
  });

  it.each(['k = x', 'k++', 'k += x', '[k] = [x]', 'undeclared = x', 'Math = x'])(
    'an assignment: %s',
    (write) => {
      const error = refusal(
        functionOf(`(x) => {\n  ${write};\n}`),
        write.includes('k') ? { k: 0 } : undefined,
      );
      expect(error.message).toMatch(/assigns to `\w+` \(line 2 of the function: .*would be lost/);
      expect(error.details['line']).toBe(2);
    },
  );

  it('and counters in a closure are told to be reduced', () => {
    let counter = 0;
    expect(
      refusal(() => {
        counter += 1;
      }).message,
    ).toContain('reduceByKey');
    expect(counter).toBe(0);
  });
});

describe('the environment', () => {
  it('is encoded, by name', () => {
    const shipped = ship(functionOf('(x) => x * b + a.length'), { b: 2, a: [1, 'x', null] });
    if (shipped.kind !== 'source' || shipped.environment === undefined)
      throw new Error('not shipped with an environment');
    expect(decodeValue(shipped.environment)).toEqual({ a: [1, 'x', null], b: 2 });
    expect(shipped.operation).toBe('map');
  });

  it('may be empty', () => {
    expect(ship(functionOf('(x) => x'), {})).toEqual(ship(functionOf('(x) => x')));
  });

  it('wins over a permitted global', () => {
    expect(ship(functionOf('(x) => URL + x'), { URL: 'x' })).toMatchObject({ kind: 'source' });
  });

  it('must be used: a misspelt name is caught', () => {
    expect(refusal(functionOf('(x) => x === person'), { preson: 1 }).message).toBe(
      'map: the environment has `preson`, which the function does not use; did you mean `person`?',
    );
    expect(refusal(functionOf('(x) => x'), { k: 1 }).message).toMatch(/does not use\. Leave it out/);
    expect(refusal(functionOf('(x) => { const k = 1; return k; }'), { k: 1 }).message).toMatch(
      /`k`, which the function does not use/,
    );
  });

  it.each<[string, unknown]>([
    ['an array', [1]],
    ['null', null],
    ['a number', 1],
    ['an object that is not plain', new Map()],
  ])('is refused as %s', (what, environment) => {
    expect(refusal((x: number) => x, environment as Given).message).toContain(`the environment is ${what}`);
  });

  it('cannot hold functions', () => {
    expect(refusal(functionOf('(x) => f(x)'), { f: () => 1 }).message).toMatch(
      /environment\.f is a function/,
    );
    const module = fromModule('node:path', 'basename');
    expect(refusal(functionOf('(x) => f(x)'), { f: module }).message).toMatch(/environment\.f is a function/);
  });

  it('names the value that cannot be encoded', () => {
    class Person {
      readonly name = 'Valjean';
    }
    const error = refusal(functionOf('(x) => [x, k]'), { k: { owner: new Person() } });
    expect(error.message).toMatch(/^map: .*environment.*owner.*Person/s);
    expect(error.cause).toBeInstanceOf(Error);
  });
});

describe('the id', () => {
  const fn = functionOf('(x) => x * a + b');

  it('is equal for equal text and environment, whatever the order of names or the operation', () => {
    const id = ship(fn, { a: 1, b: 2 }).id;
    expect(ship(functionOf('(x) => x * a + b'), { b: 2, a: 1 }, 'filter').id).toBe(id);
  });

  it('differs for another environment or text', () => {
    const ids = [
      ship(fn, { a: 1, b: 2 }),
      ship(fn, { a: 1, b: 3 }),
      ship(fn, { a: 1, b: '2' }),
      ship(functionOf('(y) => y * a + b'), { a: 1, b: 2 }),
    ].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('the shipper', () => {
  it('forgets texts beyond its bound and ships them again all the same', () => {
    const shipper = new FunctionShipper();
    const first = shipper.ship(functionOf('(x) => x + 0'), undefined, 'map');
    for (let n = 1; n < 600; n += 1) shipper.ship(functionOf(`(x) => x + ${n}`), undefined, 'map');
    expect(shipper.ship(functionOf('(x) => x + 0'), undefined, 'map')).toEqual(first);
  });

  it('ships modules by name, without an environment', () => {
    const module = fromModule('node:path', 'basename');
    expect(ship(module)).toEqual({
      kind: 'module',
      id: 'node:path#basename',
      url: 'node:path',
      exportName: 'basename',
      operation: 'map',
    });
    expect(refusal(module, { k: 1 }).message).toMatch(/environment goes with an inline function/);
  });

  it('gives plain data', () => {
    const shipped = ship(functionOf('(x) => x + k'), { k: 1 });
    expect(structuredClone(shipped)).toEqual(shipped);
  });
});
