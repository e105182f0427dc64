/**
 * What user code can do to the thread that it runs on: end it, fill its heap, never finish loading. It costs an attempt,
 * or the job; never the program.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContext, fromModule } from 'rejoin';
import { describe, expect, it } from 'vitest';

describe('lost threads', () => {
  it('a thread that exits costs a retry; one that always does fails the job after 4 attempts', async () => {
    const context = await createContext({ threads: 2, memory: '64MiB' });
    const always = context.range(0, 4, { partitions: 2 }).map((n) => {
      if (n === 3) process.exit(7);
      return n;
    });
    await expect(always.collect()).rejects.toMatchObject({
      code: 'ERR_REJOIN_TASK_LOST',
      message: expect.stringMatching(
        /partition 1: the task lost its thread 4 times \(worker exited with code: 7\)/,
      ) as string,
      details: { partition: 1, attempts: 4 },
    });
    expect(context.metrics().lostAttempts).toBeGreaterThanOrEqual(4);
    expect(
      await context
        .range(10)
        .map((n) => n)
        .count(),
    ).toBe(10);
    await context.close();
  });

  it('results of a job whose threads die equal those of an undisturbed one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rejoin-'));
    const context = await createContext({ threads: 2, memory: '64MiB' });
    const dieOnce = fromModule<(row: [number, string]) => [number, number]>(
      new URL('./fixtures/dying.mjs', import.meta.url),
      'dieOnce',
    );
    const rows = await context
      .range(0, 400, { partitions: 20 })
      .map((n) => [n, folder] as [number, string], { folder })
      .map(dieOnce)
      .reduceByKey((a, b) => a + b)
      .collect();
    expect(rows.sort(([a], [b]) => a - b)).toEqual(
      Array.from({ length: 10 }, (_, k) => [
        k,
        Array.from({ length: 40 }, (_, i) => k + 10 * i).reduce((a, b) => a + b),
      ]),
    );
    // One thread for each of 7 rows; tasks that shared a thread's fate do not exist: one at a time runs on each.
    expect(context.metrics().lostAttempts).toBe(7);
    await context.close();
    expect(context.metrics().usedBytes).toBe(0);
    await rm(folder, { recursive: true });
  });

  it('a heap exhausted by small objects costs the thread, not the process', async () => {
    const context = await createContext({
      threads: 1,
      memory: '64MiB',
      threadHeap: '48MiB',
      maxTaskAttempts: 2,
    });
    const greedy = context.range(0, 1, { partitions: 1 }).map((n) => {
      const kept: object[] = [];
      for (let i = 0; i < 1e9; i++) kept.push({ i, n });
      return kept.length;
    });
    await expect(greedy.collect()).rejects.toMatchObject({
      code: 'ERR_REJOIN_TASK_LOST',
      message: expect.stringMatching(/heap|memory/) as string,
    });
    expect(
      await context
        .range(3)
        .map((n) => n)
        .collect(),
    ).toEqual([0, 1, 2]);
    await context.close();
  });

  it('inline, process.exit in a function, in what it starts, or in its module is an error instead', async () => {
    const context = await createContext({ threads: 0, memory: '64MiB' });
    const rows = context.range(3);
    const exits = fromModule<(row: number) => number>(
      new URL('./fixtures/exits.mjs', import.meta.url),
      'label',
    );
    const ended = [
      rows.map(() => process.exit(3)),
      rows.map((n) => {
        void Promise.resolve().then(() => process.exit(3));
        return n;
      }),
      rows.map(exits),
    ];
    for (const dataset of ended) await expect(dataset.collect()).rejects.toThrow(/process\.exit\([39]\)/);
    expect(await context.range(3).count()).toBe(3);
    await context.close();
    expect(context.metrics().usedBytes).toBe(0);
  });
});

describe('a module whose top level never ends', () => {
  const hangs = fromModule<(row: number) => number>(
    new URL('./fixtures/hangs.mjs', import.meta.url),
    'label',
  );

  it.each([0, 1])('does not hold up an abort, nor a close (threads: %i)', async (threads) => {
    const context = await createContext({ threads, memory: '64MiB' });
    const controller = new AbortController();
    const aborted = context.range(3).map(hangs).collect({ signal: controller.signal });
    setTimeout(() => {
      controller.abort(new Error('enough'));
    }, 50);
    await expect(aborted).rejects.toThrow('enough');
    const closed = context.range(3).map(hangs).collect();
    setTimeout(() => void context.close(), 50);
    await expect(closed).rejects.toMatchObject({ code: 'ERR_REJOIN_STATE' });
    await context.close();
    expect(context.metrics().usedBytes).toBe(0);
  });
});
