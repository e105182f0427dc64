import { describe, expect, it } from 'vitest';
import { UserFunctionError } from '../../../src/errors.js';
import { runGuarded } from '../../../src/exec/function/exit-guard.js';

const NAMES = ['exit', 'reallyExit', 'abort', 'kill'];
const current = (): unknown[] =>
  NAMES.map((name) => Object.getOwnPropertyDescriptor(process, name)?.value as unknown);

function failure(body: () => unknown): unknown {
  try {
    return { returned: runGuarded(body) };
  } catch (error) {
    return error;
  }
}

describe('runGuarded', () => {
  it.each<[call: string, body: () => unknown]>([
    ['process.exit(3)', () => process.exit(3)],
    ['process.exit()', () => process.exit()],
    ['process.abort()', () => process.abort()],
    ['process.reallyExit(1)', () => (Reflect.get(process, 'reallyExit') as (code: number) => never)(1)],
    [`process.kill(${process.pid}, SIGTERM)`, () => process.kill(process.pid)],
    [`process.kill(${process.pid}, SIGKILL)`, () => process.kill(process.pid, 'SIGKILL')],
    ['process.kill(0, SIGTERM)', () => process.kill(0)],
  ])('turns %s into an error', (call, body) => {
    const before = current();
    const error = failure(body);
    expect(error).toBeInstanceOf(UserFunctionError);
    expect(error).toMatchObject({
      message: expect.stringContaining(`${call} was called in a user function`) as string,
      details: { call },
    });
    expect(current()).toEqual(before);
  });

  it('fails even if the function catches the error', () => {
    const error = failure(() => {
      try {
        process.exit(3);
      } catch {
        return 'caught';
      }
    });
    expect(error).toMatchObject({ details: { call: 'process.exit(3)' } });
  });

  it('passes on values, other errors, and questions to processes', () => {
    expect(runGuarded(() => 7)).toBe(7);
    expect(runGuarded(() => process.kill(process.pid, 0))).toBe(true);
    expect(
      failure(() => {
        throw new RangeError('mine');
      }),
    ).toBeInstanceOf(RangeError);
    expect(failure(() => process.kill(2 ** 30))).toMatchObject({ code: 'ESRCH' });
  });

  it('is re-entrant', () => {
    const before = current();
    const error = failure(() => {
      expect(failure(() => process.exit(1))).toMatchObject({ details: { call: 'process.exit(1)' } });
      return process.exit(2);
    });
    expect(error).toMatchObject({ details: { call: 'process.exit(2)' } });
    expect(current()).toEqual(before);
  });

  it('puts the exit code back', () => {
    const before = process.exitCode;
    runGuarded(() => {
      process.exitCode = 99;
    });
    expect(process.exitCode).toBe(before);
  });
});
