/**
 * What goes wrong: functions that throw, memory that runs out, runs that are stopped. Each ends with a
 * clear error, leaves nothing held, and the context goes on.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createContext, UserFunctionError, type Context } from 'rejoin';
import { afterEach, describe, expect, it } from 'vitest';

const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));

describe.each([0, 2])('faults with %i threads', (threads) => {
  let context: Context;
  const open = async (options: object = {}): Promise<Context> => {
    context = await createContext({ threads, memory: '64MiB', ...options });
    return context;
  };
  afterEach(async () => {
    expect(
      await context
        .range(5)
        .map((n) => n + 1)
        .collect(),
    ).toEqual([1, 2, 3, 4, 5]);
    expect(context.metrics().usedBytes).toBe(0);
    await context.close();
  });

  it('a function that throws fails the job with its message, stack, operation, stage and partition', async () => {
    await open();
    const failing = context.range(0, 8, { partitions: 4 }).map((n) => {
      if (n === 5) throw new RangeError('five is too many');
      return n;
    });
    const error = await failing.collect().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UserFunctionError);
    const { message, details, cause, code } = error as UserFunctionError;
    expect(message).toMatch(/^five is too many/);
    expect(message).toMatch(/map.*stage \d+.*partition 2/);
    expect(code).toBe('ERR_REJOIN_USER_FUNCTION');
    expect(details).toMatchObject({ operation: 'map', partition: 2 });
    expect((cause as Error).name).toBe('RangeError');
    expect((cause as Error).stack).toMatch(/five is too many[\s\S]*rejoin-map/);
  });

  it('what is thrown need not be an error', async () => {
    await open();
    const throwing = context.range(3).filter(() => {
      throw Object.create(null);
    });
    await expect(throwing.count()).rejects.toThrow(UserFunctionError);
  });

  it('a captured variable is an error at the call, naming it', async () => {
    await open();
    const factor = 3;
    expect(() => context.range(3).map((n) => n * factor)).toThrow(/factor/);
    expect(
      await context
        .range(3)
        .map((n) => n * factor, { factor })
        .collect(),
    ).toEqual([0, 3, 6]);
  });

  it('a function that returns a promise is refused', async () => {
    await open();
    await expect(
      context
        .range(3)
        .map((n) => Promise.resolve(n))
        .collect(),
    ).rejects.toThrow(/[Pp]romise/);
    expect(() => context.range(3).map(async (n) => Promise.resolve(n))).toThrow(/async/);
  });

  it('abort ends a run that would go on, with the reason of the signal', async () => {
    await open();
    const controller = new AbortController();
    const slow = context.range(0, 64, { partitions: 64 }).map((n) => {
      const end = Date.now() + 30;
      while (Date.now() < end);
      return n;
    });
    setTimeout(() => {
      controller.abort(new Error('enough'));
    }, 100);
    await expect(slow.collect({ signal: controller.signal })).rejects.toThrow('enough');
    await expect(slow.collect({ signal: controller.signal })).rejects.toThrow('enough');
  });

  it('abort ends a recursion, through its own signal or the action', async () => {
    await open();
    const chain = context.parallelize(Array.from({ length: 3000 }, (_, i): [number, number] => [i, i + 1]));
    for (const own of [true, false]) {
      const controller = new AbortController();
      const friend = chain.transitiveClosure({
        onRound: ({ round }) => {
          if (round === 5) controller.abort(new Error('at round five'));
        },
        ...(own ? { signal: controller.signal } : {}),
      });
      await expect(friend.count(own ? {} : { signal: controller.signal })).rejects.toThrow('at round five');
      await expect(friend.report()).rejects.toThrow(/has not run/);
    }
  });

  it('an observer that throws fails the run', async () => {
    await open();
    const friend = context.parallelize<number, number>([[1, 2]]).transitiveClosure({
      onRound: () => {
        throw new Error('observer');
      },
    });
    await expect(friend.count()).rejects.toThrow('observer');
  });

  it('maxPairs stops with a limit error that says how to raise it', async () => {
    await open();
    const chain = context.parallelize(Array.from({ length: 100 }, (_, i): [number, number] => [i, i + 1]));
    await expect(chain.transitiveClosure({ maxPairs: 500 }).count()).rejects.toMatchObject({
      code: 'ERR_REJOIN_LIMIT',
      message: expect.stringMatching(/more than the limit of 500; raise it/) as string,
    });
    expect(await chain.transitiveClosure({ maxPairs: 5050 }).count()).toBe(5050);
  });

  it('the memory budget ends what exceeds it, and everything is released', async () => {
    await open({ memory: '4MiB' });
    const clique = context.parallelize(Array.from({ length: 3000 }, (_, i): [number, number] => [i, i + 1]));
    await expect(clique.transitiveClosure().count()).rejects.toMatchObject({
      code: 'ERR_REJOIN_MEMORY',
      message: expect.stringMatching(/of 4 MiB in use; raise the budget/) as string,
    });
    expect(context.metrics().usedBytes).toBe(0);
    await expect(
      context
        .range(3e6)
        .map((n) => `row ${n}`)
        .collect(),
    ).rejects.toMatchObject({ code: 'ERR_REJOIN_MEMORY' });
  });

  it('closing during a job rejects the job', async () => {
    await open();
    const doomed = await createContext({ threads });
    const running = doomed
      .range(0, 1000, { partitions: 100 })
      .map((n) => {
        const end = Date.now() + 10;
        while (Date.now() < end);
        return n;
      })
      .collect();
    const outcome = expect(running).rejects.toThrow(/closed|closing/);
    await new Promise((resolve) => setTimeout(resolve, 150));
    await doomed.close();
    await outcome;
    await doomed.close();
    await expect(doomed.close()).resolves.toBeUndefined();
  });

  it('closing while an iterator or an observer waits does not hang; whoever goes on gets an error', async () => {
    await open();
    const waiting = await createContext({ threads, memory: '64MiB' });
    const iterator = waiting.range(0, 100, { partitions: 4 }).toLocalIterator();
    expect(await iterator.next()).toEqual({ value: 0, done: false });
    await waiting.close();
    const rest = (async () => {
      for await (const row of iterator) expect(row).toBeLessThan(25);
    })();
    await expect(rest).rejects.toThrow(/closed/);

    const observed = await createContext({ threads, memory: '64MiB' });
    const friend = observed
      .parallelize<number, number>([
        [1, 2],
        [2, 3],
        [3, 4],
      ])
      .transitiveClosure({ onRound: () => observed.close() });
    await expect(friend.count()).rejects.toThrow(/closed/);
  });

  it('a failing second stage, observer or reader leaves nothing held', async () => {
    await open();
    const rows = context.range(0, 8, { partitions: 8 }).map((n) => 'x'.repeat(2000 + n));
    const failing = rows.reduce(() => {
      throw new Error('x');
    });
    await expect(failing).rejects.toThrow(/^x/);
    const bytes = Buffer.from('a b\n'.repeat(2000));
    const noted = context.edges(
      { name: 'x', bytes },
      {
        onNotes: () => {
          throw new Error('noted');
        },
      },
    );
    await expect(noted.collect()).rejects.toThrow('noted');
    await expect(noted.transitiveClosure().count()).rejects.toThrow('noted');
    expect(context.metrics().usedBytes).toBe(0);
    const getter = context.range(1).map(() => ({
      get a(): number {
        throw new Error('getter');
      },
    }));
    await expect(getter.collect()).rejects.toThrow(UserFunctionError);
    const iterable = context.range(1).flatMap(() => ({
      [Symbol.iterator](): Iterator<number> {
        throw new Error('iterator');
      },
    }));
    await expect(iterable.collect()).rejects.toThrow(/iterator.*flatMap/);
  });

  it('stops within a slice where a partition is read as a whole', async () => {
    await open({ memory: '256MiB' });
    const controller = new AbortController();
    const grouping = context
      .range(0, 3_000_000, { partitions: 1 })
      .keyBy((n) => n % 1000)
      .reduceByKey((a, b) => a + b);
    const turns: number[] = [];
    const clock = setInterval(() => turns.push(0), 5);
    setTimeout(() => {
      controller.abort(new Error('enough'));
    }, 100);
    await expect(grouping.count({ signal: controller.signal })).rejects.toThrow('enough');
    clearInterval(clock);
    // The event loop had its turns meanwhile: without slices there would be one or two.
    expect(turns.length).toBeGreaterThanOrEqual(4);
  });

  it('runs jobs side by side', async () => {
    await open();
    const busy = await createContext({ threads, memory: '64MiB' });
    const jobs = Array.from({ length: 20 }, (_, i) =>
      busy
        .range(i * 10)
        .keyBy((n) => n % 3)
        .reduceByKey((a, b) => a + b)
        .count(),
    );
    expect(await Promise.all(jobs)).toEqual(Array.from({ length: 20 }, (_, i) => (i === 0 ? 0 : 3)));
    const [one, two] = [100, 120].map((n) =>
      busy
        .parallelize(Array.from({ length: n }, (_, i): [number, number] => [i, i + 1]))
        .transitiveClosure()
        .count(),
    );
    expect(await one).toBe(5050);
    expect(await two).toBe(7260);
    await busy.close();
  });
});

describe('memory levels off', () => {
  it('over 200 jobs in one context, and over 100 contexts', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', fixture('memory.mjs')], {
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
    const { jobs, contexts } = JSON.parse(stdout) as Record<string, { early: number; late: number }>;
    const mebibyte = 2 ** 20;
    // Resident growth after the warm-up, against some hundred MiB of data that went through.
    expect((jobs?.late ?? Infinity) - (jobs?.early ?? 0)).toBeLessThan(64 * mebibyte);
    expect((contexts?.late ?? Infinity) - (contexts?.early ?? 0)).toBeLessThan(64 * mebibyte);
  }, 120_000);
});

describe('the process', () => {
  it('ends by itself once contexts are closed, with no thread left', () => {
    const { status, stdout } = spawnSync(process.execPath, [fixture('ends.mjs')], {
      encoding: 'utf8',
      timeout: 30_000,
    });
    expect(status).toBe(0);
    expect(stdout).toBe('closed\n');
  });
});
