import { fileURLToPath } from 'node:url';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { FunctionError } from '../../../src/errors.js';
import {
  fromModule,
  ModuleFunction,
  type Environment,
  type Shippable,
} from '../../../src/exec/function/module-function.js';

describe('fromModule', () => {
  const here = import.meta.url;

  it.each<[string, string | URL]>([
    ['a file URL as text', here],
    ['a URL object', new URL(here)],
    ['an absolute path', fileURLToPath(here)],
  ])('takes %s', (_what, url) => {
    expect(fromModule(url, 'label')).toMatchObject({ url: here, exportName: 'label' });
  });

  it('keeps a query, which makes another module of the same file', () => {
    expect(fromModule(`${here}?fresh`, 'default').url).toBe(`${here}?fresh`);
  });

  it.each<[string, string, RegExp]>([
    ['a relative path', './labels.js', /write new URL\("\.\/labels\.js", import\.meta\.url\)/],
    ['a package', 'lodash/get.js', /write import\.meta\.resolve\("lodash\/get\.js"\)/],
    ['another scheme', 'https://example.org/labels.js', /only file:, data: and node:/],
    ['a missing file', new URL('./no-such-file.js', here).href, /there is no file file:.*no-such-file\.js/],
    ['a file of another host', 'file://example.org/labels.js', /not a local file|there is no file/],
    ['nothing', '', /is not the URL of a module/],
  ])('refuses %s', (_what, url, message) => {
    expect(() => fromModule(url, 'label')).toThrow(FunctionError);
    expect(() => fromModule(url, 'label')).toThrow(message);
  });

  it('refuses an empty export name', () => {
    expect(() => fromModule(here, '')).toThrow(/expected the name of an exported function/);
  });
});

describe('types', () => {
  /** As `Rdd<number>.map` is declared. */
  function map<U>(fn: Shippable<(row: number) => U>, environment?: Environment): { fn: typeof fn; row?: U } {
    return environment === undefined ? { fn } : { fn };
  }

  it('take the row type of a typed handle, infer that of an inline function, and give unknown for a bare handle', () => {
    const handle = fromModule<(row: number) => string>(import.meta.url, 'label');
    expectTypeOf(map(handle)).toHaveProperty('row').toEqualTypeOf<string | undefined>();
    expectTypeOf(map((row) => row > 1))
      .toHaveProperty('row')
      .toEqualTypeOf<boolean | undefined>();
    expectTypeOf(map((row) => row + 1, { k: 1 }))
      .toHaveProperty('row')
      .toEqualTypeOf<number | undefined>();
    expectTypeOf(map(fromModule(import.meta.url, 'label')))
      .toHaveProperty('row')
      .toEqualTypeOf<unknown>();
    // @ts-expect-error a function of texts does not fit a dataset of numbers
    map(fromModule<(row: string) => string>(import.meta.url, 'label'));
    expect(handle).toBeInstanceOf(ModuleFunction);
    expect(Object.keys(handle)).toEqual(['url', 'exportName']);
  });
});
