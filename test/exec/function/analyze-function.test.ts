/**
 * Free variables against the language's own rules: a table of scoping cases, and a property that compares the analysis of
 * random lambda terms with the textbook definition of free variables.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FunctionError } from '../../../src/errors.js';
import { analyzeFunction } from '../../../src/exec/function/analyze-function.js';

const freeNames = (text: string): string[] => analyzeFunction(text).freeVariables.map(({ name }) => name);

describe('free variables', () => {
  it.each<[what: string, text: string, free: string[]]>([
    ['none', '(x) => x + 1', []],
    ['an outer variable', '(x) => x + k', ['k']],
    ['in the order of first use', '(x) => b + a + b', ['b', 'a']],
    ['property names are not variables', '(x) => x.k + { k: 1 }.k', []],
    ['computed property names are', '(x) => x[k]', ['k']],
    ['shorthand properties are', '(x) => ({ k, x })', ['k']],
    ['parameters of nested functions', '(x) => [1].map((k) => k + x)', []],
    ['an outer variable in a nested function', '(x) => [1].map((y) => y + k)', ['k']],
    ['shadowed in a block only', '(x) => { { let k = 1; x += k; } return k; }', ['k']],
    ['shadowed by var, hoisted', '(x) => { if (x) { var k = 1; } return k; }', []],
    ['shadowed by a hoisted function', '(x) => { return k(x); function k(y) { return y; } }', []],
    ['used before let in the same scope', '(x) => { const y = k; let k = 1; return y; }', []],
    ['default parameters see earlier ones', '(x, y = x) => y', []],
    ['default parameters see the outside', '(x, y = k) => y', ['k']],
    ['default parameters do not see the body', 'function (x, y = k) { var k = 1; return y + k; }', ['k']],
    ['object destructuring', '({ a, b: { c }, ...rest }) => a + c + rest.b', []],
    ['array destructuring', '([a, , [b = k], ...rest]) => a + b + rest.length', ['k']],
    ['computed key in destructuring', '({ [k]: v }) => v', ['k']],
    ['catch parameters', '(x) => { try { return x(); } catch (k) { return k; } }', []],
    ['beyond a catch parameter', '(x) => { try { return x(); } catch (k) { x = 1; } return k; }', ['k']],
    ['catch without a parameter', '(x) => { try { return x(); } catch { return k; } }', ['k']],
    ['labels', '(x) => { k: for (;;) { break k; } return x; }', []],
    [
      'loop variables',
      '(x) => { for (const k of x) x = k; for (let i = 0; i < 1; i++) x = i; return x; }',
      [],
    ],
    ['a loop over an outer variable', '(x) => { for (const y of k) x = y; return x; }', ['k']],
    [
      'classes inside',
      '(x) => { class K { v = x; static s = 1; #p = 2; get() { return this.v + this.#p + K.s; } } return new K().get(); }',
      [],
    ],
    ['a class that extends an outer one', '(x) => { class K extends Base {} return new K(x); }', ['Base']],
    ['static blocks', '(x) => { class K { static { k(this); } } return K; }', ['k']],
    ['recursion by the own name', 'function fact(n) { return n < 2 ? 1 : n * fact(n - 1); }', []],
    ['an arrow has no own name', '(n) => (n < 2 ? 1 : n * fact(n - 1))', ['fact']],
    ['template strings', '(x) => `${x} ${k} ${`${l}`}`', ['k', 'l']],
    ['tagged templates', '(x) => tag`${x}`', ['tag']],
    ['optional chaining', '(x) => x?.k?.[l]?.(m)', ['l', 'm']],
    ['typeof of an undeclared name', "(x) => typeof k === 'undefined' ? x : 1", ['k']],
    ['nullish and logical assignment', '(x) => { let y; y ??= k; y ||= x; return y; }', ['k']],
    ['regular expressions and strings', '(x) => /k/.test(x) || x === "k" || x === \'l\'', []],
    ['comments', '(x) => /* k */ x // l', []],
    ['spread', '(x) => [...x, ...k]', ['k']],
    ['new', '(x) => new K(x)', ['K']],
    ['arguments of a function', 'function () { return arguments.length; }', []],
    ['arguments of an arrow', '() => arguments.length', ['arguments']],
    ['arguments of an inner function', '() => (function () { return arguments.length; })()', []],
    ['generators', 'function* (x) { yield x; yield* k; }', ['k']],
    ['a method', 'scale(x) { return x * k; }', ['k']],
    ['a method named like a keyword', 'async(x) { return x; }', []],
    ['a method with a computed key', '[key](x) { return x; }', []],
    ['a generator method', '*each(x) { yield k; }', ['k']],
    ['globals are free variables too', '(x) => Math.abs(x)', ['Math']],
    ['names of Object.prototype', '(x) => constructor + toString(x)', ['constructor', 'toString']],
    ['big integers, separators, exponents', '(x) => 1_000n ** BigInt(x)', ['BigInt']],
  ])('%s', (_what, text, free) => {
    expect(freeNames(text)).toEqual(free);
  });

  type Term =
    | { readonly kind: 'use'; readonly name: string }
    | { readonly kind: 'call'; readonly terms: readonly Term[] }
    | { readonly kind: 'arrow' | 'let' | 'catch' | 'named'; readonly name: string; readonly body: Term };

  const nameArbitrary = fc.constantFrom('a', 'b', 'c', 'd');
  const { term } = fc.letrec<{ term: Term }>((tie) => ({
    term: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      fc.record({ kind: fc.constant('use' as const), name: nameArbitrary }),
      fc.record({
        kind: fc.constant('call' as const),
        terms: fc.array(tie('term'), { minLength: 1, maxLength: 3 }),
      }),
      fc.record({
        kind: fc.constantFrom('arrow' as const, 'let' as const, 'catch' as const, 'named' as const),
        name: nameArbitrary,
        body: tie('term'),
      }),
    ),
  }));

  const render = (of: Term): string => {
    switch (of.kind) {
      case 'use':
        return of.name;
      case 'call':
        return `[${of.terms.map(render).join(', ')}]`;
      case 'arrow':
        return `((${of.name}) => ${render(of.body)})`;
      case 'let':
        return `(() => { const ${of.name} = 1; return ${render(of.body)}; })()`;
      case 'catch':
        return `(() => { try { throw 1; } catch (${of.name}) { return ${render(of.body)}; } })()`;
      case 'named':
        return `(function ${of.name}() { return ${render(of.body)}; })`;
    }
  };

  /** FV(x) = {x}; FV(M N) = FV(M) ∪ FV(N); FV(λx.M) = FV(M) − {x}. */
  const freeOf = (of: Term): Set<string> => {
    if (of.kind === 'use') return new Set([of.name]);
    if (of.kind === 'call') return new Set(of.terms.flatMap((each) => [...freeOf(each)]));
    const inner = freeOf(of.body);
    inner.delete(of.name);
    return inner;
  };

  it('are those of the textbook, for random terms', () => {
    fc.assert(
      fc.property(term, (of) => {
        expect(new Set(freeNames(`() => ${render(of)}`))).toEqual(freeOf(of));
      }),
      { numRuns: 300 },
    );
  });

  it('stand at the line of their first use', () => {
    const text = '(x) => {\n  const y = 1;\r\n  return x + y + factor;\n}';
    expect(analyzeFunction(text).freeVariables).toEqual([
      { name: 'factor', line: 3, text: 'return x + y + factor;', assigned: undefined },
    ]);
  });

  it('say where they are assigned to', () => {
    for (const write of ['k = 1', 'k++', 'k += x', '[k] = x', '({ a: k } = x)', 'for (k of x);', 'k ??= 1']) {
      const [variable] = analyzeFunction(`(x) => {\n${write};\n}`).freeVariables;
      expect(variable?.assigned, write).toEqual({ line: 2, text: `${write};` });
    }
    expect(analyzeFunction('(x) => { k.l = 1; k[x]++; }').freeVariables[0]?.assigned).toBeUndefined();
  });
});

describe('form', () => {
  it.each([
    ['(x) => x', 'arrow', false, false],
    ['async (x) => x', 'arrow', true, false],
    ['function (x) { return x; }', 'function', false, false],
    ['function* f() {}', 'function', false, true],
    ['async function* f() {}', 'function', true, true],
    ['method(x) { return x; }', 'method', false, false],
    ['async method(x) { return x; }', 'method', true, false],
    ['*method(x) { yield x; }', 'method', false, true],
    ['get x() { return 1; }', 'accessor', false, false],
    ['set x(v) {}', 'accessor', false, false],
    ['get(x) { return x; }', 'method', false, false],
    ['class A {}', 'class', false, false],
    ['class extends Array {}', 'class', false, false],
  ])('%s', (text, form, isAsync, isGenerator) => {
    expect(analyzeFunction(text)).toMatchObject({ form, isAsync, isGenerator });
  });

  it('gives a source that starts on the first line of the text', () => {
    expect(analyzeFunction('*each(x) {\n  yield x;\n}').source).toBe('function* (x) {\n  yield x;\n}');
  });
});

describe('bound syntax', () => {
  it.each<[text: string, syntax: string[]]>([
    ['() => this.k', ['this']],
    ['function () { return this.k; }', ['this']],
    ['() => () => this.k', ['this']],
    ['(x = this) => x', ['this']],
    ['() => function () { return this.k; }', []],
    ['() => ({ m() { return this.k + super.toString(); } })', []],
    ['() => class { v = this.w; static { this.s = 1; } m() { return this.v; } }', []],
    ['() => class { [this.k] = 1; }', ['this']],
    ['() => class extends this.Base {}', ['this']],
    ['m() { return super.m(); }', ['super']],
    ['m() { return () => super.m(); }', ['super']],
    ['() => super.m()', ['super']],
    ["() => import('node:fs')", ['import()']],
    ["() => function () { return import('node:fs'); }", ['import()']],
    ['() => import.meta.url', ['import.meta']],
    ['function () { return new.target; }', []],
  ])('%s', (text, syntax) => {
    expect(analyzeFunction(text).boundSyntax.map((found) => found.syntax)).toEqual(syntax);
  });
});

describe('text that is no function in strict mode', () => {
  it.each([
    'function (x) { with (x) { return y; } }',
    'function (x) { return 010; }',
    '#secret(x) { return x; }',
    '1 + 1',
    '',
  ])('%s', (text) => {
    expect(() => analyzeFunction(text)).toThrow(FunctionError);
  });

  it('says what the parser said', () => {
    expect(() => analyzeFunction('(x) => { delete x; }')).toThrow(
      /strict mode: Deleting local variable in strict mode/,
    );
  });

  it.each([
    ['parentheses', `() => ${'('.repeat(100_000)}1${')'.repeat(100_000)}`],
    ['a chain of operators', `() => 1${' + 1'.repeat(100_000)}`],
    ['a chain of calls', `(f) => f${'()'.repeat(100_000)}`],
  ])('is nested too deeply: %s', (_what, text) => {
    expect(() => analyzeFunction(text)).toThrow(FunctionError);
    expect(() => analyzeFunction(text)).toThrow(/nested too deeply/);
  });
});
