import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UserFunctionError } from '../../../src/errors.js';
import { ExitGuard, type GuardedAttempt } from '../../../src/exec/function/exit-guard.js';

const NAMES = ['exit', 'reallyExit', 'abort', 'kill'];
const current = (): unknown[] =>
  NAMES.map((name) => Object.getOwnPropertyDescriptor(process, name)?.value as unknown);
const place = { operation: 'map', stage: 3, partition: 5 };

let before: unknown[];
let guard: ExitGuard;
let attempt: GuardedAttempt;
beforeEach(() => {
  before = current();
  guard = new ExitGuard();
  attempt = guard.attempt(place);
});
afterEach(() => {
  guard.close();
  expect(current()).toEqual(before);
});

function failure(body: () => unknown): unknown {
  try {
    return { returned: attempt.step(body) };
  } catch (error) {
    return error;
  }
}

describe('GuardedAttempt', () => {
  it.each<[call: string, body: () => unknown]>([
    ['process.exit(3)', () => process.exit(3)],
    ['process.exit()', () => process.exit()],
    ['process.abort()', () => process.abort()],
    ['process.reallyExit(1)', () => (Reflect.get(process, 'reallyExit') as (code: number) => never)(1)],
    [`process.kill(${process.pid}, SIGTERM)`, () => process.kill(process.pid)],
    [`process.kill(${process.pid}, SIGKILL)`, () => process.kill(process.pid, 'SIGKILL')],
    ['process.kill(0, SIGTERM)', () => process.kill(0)],
  ])('turns %s into an error', (call, body) => {
    const error = failure(body);
    expect(error).toBeInstanceOf(UserFunctionError);
    expect(error).toMatchObject({
      message: expect.stringContaining(
        `${call} was called by a user function (in map, stage 3, partition 5)`,
      ) as string,
      details: { call, ...place },
    });
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

  it('passes on values, other errors, and questions to processes', async () => {
    expect(attempt.step(() => 7)).toBe(7);
    expect(attempt.step(() => process.kill(process.pid, 0))).toBe(true);
    expect(
      failure(() => {
        throw new RangeError('mine');
      }),
    ).toBeInstanceOf(RangeError);
    expect(failure(() => process.kill(2 ** 30))).toMatchObject({ code: 'ESRCH' });
    expect(await attempt.settle()).toBeUndefined();
  });

  it('notes calls that microtasks make, and throws in none of them', async () => {
    let after = false;
    attempt.step(() => {
      void (async () => {
        for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
        process.exit(4);
        // Reached: an error here would be one that nobody handles.
        after = true;
      })();
    });
    expect(await attempt.settle()).toMatchObject({ details: { call: 'process.exit(4)' } });
    expect(after).toBe(true);
  });

  it('fails the next step after such a call', async () => {
    attempt.step(() => void Promise.resolve().then(() => process.exit(4)));
    await Promise.resolve();
    await Promise.resolve();
    expect(failure(() => 7)).toMatchObject({ details: { call: 'process.exit(4)' } });
  });

  it('throws in calls of timers that outlive the attempt', async () => {
    const late = new Promise((resolve) => {
      attempt.step(() => {
        setTimeout(() => {
          try {
            process.exit(4);
          } catch (error) {
            resolve(error);
          }
        }, 20);
      });
    });
    expect(await attempt.settle()).toBeUndefined();
    expect(await late).toMatchObject({ details: { call: 'process.exit(4)' } });
  });

  it('throws while modules load, also when that is caught', async () => {
    const load = attempt.load(async () => {
      await Promise.resolve();
      process.exit(5);
    });
    await expect(load).rejects.toMatchObject({ details: { call: 'process.exit(5)' } });
    const caught = guard.attempt(place).load(
      () =>
        Promise.resolve()
          .then(() => process.exit(6))
          .catch(() => 1) as Promise<never>,
    );
    await expect(caught).rejects.toMatchObject({ details: { call: 'process.exit(6)' } });
  });

  it('puts the exit code back', () => {
    const exitCode = process.exitCode;
    attempt.step(() => {
      process.exitCode = 99;
    });
    expect(process.exitCode).toBe(exitCode);
  });
});

describe('ExitGuard', () => {
  it("lets the program's own calls through, also beside an attempt", async () => {
    guard.close();
    const original = Object.getOwnPropertyDescriptor(process, 'exit') ?? {};
    const calls: unknown[] = [];
    Object.defineProperty(process, 'exit', { ...original, value: (code: number) => calls.push(code) });
    try {
      guard = new ExitGuard();
      attempt = guard.attempt(place);
      const driver = Promise.resolve().then(() => process.exit(1));
      attempt.step(() => 7);
      await driver;
      process.exit(2);
      expect(calls).toEqual([1, 2]);
      expect(await attempt.settle()).toBeUndefined();
    } finally {
      guard.close();
      Object.defineProperty(process, 'exit', original);
    }
  });

  it('leaves alone what was put over it', () => {
    const original = Object.getOwnPropertyDescriptor(process, 'exit') ?? {};
    const later = (): undefined => undefined;
    Object.defineProperty(process, 'exit', { ...original, value: later });
    guard.close();
    expect(process.exit).toBe(later);
    Object.defineProperty(process, 'exit', { ...original, value: before[0] });
  });
});
