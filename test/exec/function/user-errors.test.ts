import { describe, expect, it } from 'vitest';
import { fromErrorData, FunctionError, toErrorData, UserFunctionError } from '../../../src/errors.js';
import { assertNotPromise, userFunctionError } from '../../../src/exec/function/user-errors.js';

const where = { operation: 'map', stage: 3, partition: 5 };

describe('what a user function threw', () => {
  it('begins with its own message, then says where', () => {
    const thrown = new RangeError('no such friend');
    const error = userFunctionError(thrown, where);
    expect(error.message).toBe('no such friend (in map, stage 3, partition 5)');
    expect(error.details).toEqual({ ...where, thrown: 'RangeError' });
    expect(error.cause).toBe(thrown);
  });

  it('keeps the frames of the original', () => {
    const thrown = new Error('two\nlines');
    const frames = thrown.stack?.slice(thrown.stack.indexOf('    at ')) ?? '';
    expect(frames).toContain('user-errors.test');
    expect(userFunctionError(thrown, where).stack).toBe(
      `UserFunctionError: two\nlines (in map, stage 3, partition 5)\n${frames}`,
    );
  });

  it('crosses the thread border', () => {
    const error = userFunctionError(new RangeError('no'), where);
    const back = fromErrorData(structuredClone(toErrorData(error)));
    expect(back).toBeInstanceOf(UserFunctionError);
    expect(back).toMatchObject({ message: error.message, stack: error.stack, details: error.details });
    expect(back.cause).toMatchObject({ name: 'RangeError', message: 'no' });
  });

  it('is not wrapped twice, but a bare one gets its place', () => {
    const placed = userFunctionError(new Error('no'), where);
    expect(userFunctionError(placed, { ...where, partition: 6 })).toBe(placed);
    const bare = new UserFunctionError('process.exit(3) was called');
    expect(userFunctionError(bare, where).message).toBe(
      'process.exit(3) was called (in map, stage 3, partition 5)',
    );
  });

  it.each<[what: string, thrown: unknown, message: string]>([
    ['a text', 'no', 'a value that is no Error was thrown: no'],
    ['undefined', undefined, 'a value that is no Error was thrown: undefined'],
    ['a symbol', Symbol('s'), 'a value that is no Error was thrown: Symbol(s)'],
    ['an object without a text', Object.create(null), 'a value that cannot be read was thrown'],
    ['an error without a message', new TypeError(), 'TypeError without a message'],
    [
      'an error that throws when it is read',
      Object.defineProperty(new Error(), 'message', {
        get: () => {
          throw new Error('x');
        },
      }),
      'a value that cannot be read was thrown',
    ],
    ['an error without a stack', Object.assign(new Error('no'), { stack: undefined }), 'no'],
  ])('may be %s', (_what, thrown, message) => {
    const error = userFunctionError(thrown, where);
    expect(error.message).toBe(`${message} (in map, stage 3, partition 5)`);
    expect(error.cause).toBe(thrown);
  });
});

describe('a returned promise', () => {
  it('is refused, and its rejection does not go unhandled', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', listen);
    expect(() => {
      assertNotPromise(Promise.reject(new Error('late')), 'filter');
    }).toThrow(FunctionError);
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off('unhandledRejection', listen);
    expect(unhandled).toEqual([]);
  });

  it('is refused as anything with then', () => {
    expect(() => {
      assertNotPromise({ then: () => undefined }, 'map');
    }).toThrow(/^map: the function returned a promise/);
  });

  it.each([undefined, null, 0, 'then', [1], { then: 1 }, new Map([['then', 1]])])('is not %o', (value) => {
    expect(() => {
      assertNotPromise(value, 'map');
    }).not.toThrow();
  });
});
