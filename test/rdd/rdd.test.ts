/** Operations against their array equivalents, over partition and thread counts; what is shuffled, and what is not. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { createContext, fromModule, hashPartitioner, type Context } from 'rejoin';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

type Row = [string, number];

const rows: fc.Arbitrary<Row[]> = fc.array(
  fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', '1'), fc.integer({ min: -9, max: 9 })),
  {
    maxLength: 40,
  },
);
const partitions = fc.constantFrom(1, 2, 3, 8);
const sorted = (list: readonly unknown[]): string[] => list.map((row) => JSON.stringify(row)).sort();

describe('Rdd', () => {
  const contexts: Context[] = [];
  beforeAll(async () => {
    for (const threads of [0, 2]) contexts.push(await createContext({ threads, memory: '256MiB' }));
  });
  afterAll(async () => {
    for (const context of contexts) await context.close();
  });
  const each = (
    check: (context: Context, list: Row[], other: Row[], p: number, q: number) => Promise<void>,
  ): Promise<void> =>
    fc.assert(
      fc.asyncProperty(rows, rows, partitions, partitions, fc.nat(1), (list, other, p, q, which) =>
        check(contexts[which] as Context, list, other, p, q),
      ),
      { numRuns: 25 },
    );

  it('keeps rows and order through narrow operations', () =>
    each(async (context, list, other, p) => {
      const rdd = context.parallelize<string, number>(list, p);
      expect(await rdd.collect()).toEqual(list);
      expect(await rdd.count()).toBe(list.length);
      expect(await rdd.map(([k, v]) => k + String(v)).collect()).toEqual(list.map(([k, v]) => k + String(v)));
      expect(await rdd.filter(([, v]) => v > limit, { limit: 0 }).collect()).toEqual(
        list.filter(([, v]) => v > 0),
      );
      expect(await rdd.flatMap(([k, v]) => (v > 0 ? [k, k] : [])).collect()).toEqual(
        list.flatMap(([k, v]) => (v > 0 ? [k, k] : [])),
      );
      expect(await rdd.keyBy(([, v]) => v % 2).collect()).toEqual(list.map((row) => [row[1] % 2, row]));
      expect(await rdd.mapValues((v) => v * 2).collect()).toEqual(list.map(([k, v]) => [k, v * 2]));
      expect(await rdd.keys().collect()).toEqual(list.map(([k]) => k));
      expect(await rdd.values().collect()).toEqual(list.map(([, v]) => v));
      expect(await rdd.union(context.parallelize<string, number>(other)).collect()).toEqual([
        ...list,
        ...other,
      ]);
      const sizes = await rdd
        .mapPartitions(function* (partition) {
          let size = 0;
          for (const row of partition) size += row.length / 2;
          yield size;
        })
        .collect();
      expect(sizes).toHaveLength(p);
      expect(sizes.reduce((a, b) => a + b, 0)).toBe(list.length);
    }));

  it('groups, combines, joins and subtracts by key', () =>
    each(async (context, list, other, p, q) => {
      const left = context.parallelize<string, number>(list, p);
      const right = context.parallelize<string, number>(other, q);
      const keys = [...new Set(list.map(([k]) => k))];
      const valuesOf = (table: readonly Row[], key: string): number[] =>
        table.filter(([k]) => k === key).map(([, v]) => v);
      expect(sorted(await left.reduceByKey((a, b) => a + b, undefined, q).collect())).toEqual(
        sorted(keys.map((k) => [k, valuesOf(list, k).reduce((a, b) => a + b)])),
      );
      expect(sorted(await left.groupByKey(q).collect())).toEqual(
        sorted(keys.map((k) => [k, valuesOf(list, k)])),
      );
      expect(sorted(await left.join(right).collect())).toEqual(
        sorted(list.flatMap(([k, v]) => valuesOf(other, k).map((w) => [k, [v, w]]))),
      );
      const allKeys = [...new Set([...list, ...other].map(([k]) => k))];
      expect(sorted(await left.cogroup(right, q).collect())).toEqual(
        sorted(allKeys.map((k) => [k, [valuesOf(list, k), valuesOf(other, k)]])),
      );
      expect(sorted(await left.subtract(right).collect())).toEqual(
        sorted(list.filter((row) => !other.some((o) => o[0] === row[0] && o[1] === row[1]))),
      );
      expect(sorted(await left.distinct(q).collect())).toEqual([...new Set(sorted(list))]);
      expect(sorted(await left.repartition(q).collect())).toEqual(sorted(list));
      expect(sorted(await left.partitionBy(q).collect())).toEqual(sorted(list));
      expect(await left.countByKey()).toEqual(new Map(keys.map((k) => [k, valuesOf(list, k).length])));
      expect(await left.lookup('a')).toEqual(valuesOf(list, 'a'));
      expect(await left.partitionBy(q).lookup('a')).toEqual(valuesOf(list, 'a'));
    }));

  it('gives the same content in the same order for any thread count', () =>
    each(async (_, list, other, p, q) => {
      const [inline, threaded] = await Promise.all(
        contexts.map((context) =>
          context
            .parallelize<string, number>(list, p)
            .union(context.parallelize<string, number>(other, q))
            .filter(([, v]) => v !== 0)
            .reduceByKey((a, b) => a + b)
            .collect(),
        ),
      );
      expect(threaded).toEqual(inline);
    }));

  it('takes, reduces and iterates in partition order', async () => {
    for (const context of contexts) {
      const numbers = context.range(3, 40, { step: 2, partitions: 5 });
      const all = Array.from({ length: 19 }, (_, i) => 3 + 2 * i);
      expect(await numbers.collect()).toEqual(all);
      expect(await numbers.take(4)).toEqual(all.slice(0, 4));
      expect(await numbers.take(100)).toEqual(all);
      expect(await numbers.take(0)).toEqual([]);
      expect(await context.range(0, 400_000, { partitions: 1 }).take(300_000)).toHaveLength(300_000);
      expect(await numbers.first()).toBe(3);
      expect(await numbers.reduce((a, b) => a - b)).toBe(
        // Partials first, as documented: fn must be associative to be independent of partitions.
        [0, 1, 2, 3, 4]
          .map((p) =>
            all.slice(Math.floor((19 * p) / 5), Math.floor((19 * (p + 1)) / 5)).reduce((a, b) => a - b),
          )
          .reduce((a, b) => a - b),
      );
      const seen: number[] = [];
      for await (const n of numbers) {
        seen.push(n);
        if (seen.length === 7) break;
      }
      expect(seen).toEqual(all.slice(0, 7));
      expect(await context.range(10, 0, { step: -3 }).collect()).toEqual([10, 7, 4, 1]);
      await expect(context.range(0).first()).rejects.toThrow(/empty/);
      await expect(context.range(0).reduce((a, b) => a + b)).rejects.toThrow(/empty dataset/);
    }
  });

  it('computes only the partitions that take needs', async () => {
    const [inline] = contexts as [Context];
    const before = inline.metrics().tasks;
    await inline
      .range(0, 100, { partitions: 50 })
      .map((n) => n + 1)
      .take(3);
    // Two rows a partition: the first one, then four more at once, as Spark does.
    expect(inline.metrics().tasks - before).toBe(5);
  });

  it('does not shuffle a join of equally partitioned datasets again', async () => {
    for (const context of contexts) {
      const left = context
        .parallelize<string, number>([
          ['a', 1],
          ['b', 2],
        ])
        .partitionBy(4);
      const right = context.parallelize<string, number>([['a', 3]]).partitionBy(hashPartitioner(4));
      await left.count();
      await right.count();
      const before = context.metrics().shuffleWriteRows;
      const joined = left.join(right);
      expect(await joined.collect()).toEqual([['a', [1, 3]]]);
      expect(context.metrics().shuffleWriteRows).toBe(before);
      expect(joined.explain()).toMatch(
        /in place \(equal partitioner\) ← partitionBy.*\n.*\n.*in place \(equal partitioner\)/,
      );
      expect(left.partitionBy(4).explain()).toBe(left.explain());
    }
  });

  it('reuses shuffle output from job to job', async () => {
    const [, threaded] = contexts as [Context, Context];
    const sums = threaded
      .range(100)
      .keyBy((n) => n % 7)
      .reduceByKey((a) => a);
    await sums.count();
    const before = threaded.metrics();
    await sums.collect();
    expect(threaded.metrics().shuffleWriteRows).toBe(before.shuffleWriteRows);
  });

  it('keeps cached partitions, and computes only those that are missing', async () => {
    for (const context of contexts) {
      const kept = context
        .range(0, 80, { partitions: 8 })
        .map((n) => n * 2)
        .cache();
      expect(await kept.take(1)).toEqual([0]);
      expect(await kept.count()).toBe(80);
      const before = context.metrics();
      expect(before.cachedBlocks).toBeGreaterThanOrEqual(8);
      expect(await kept.map((n) => n + 1).reduce((a, b) => a + b)).toBe(80 * 79 + 80);
      expect(context.metrics().cachedBlocks).toBe(before.cachedBlocks);
      expect(kept.explain()).toMatch(/cached/);
      const held = context.metrics().usedBytes;
      kept.unpersist();
      expect(context.metrics().usedBytes).toBeLessThan(held);
      expect(await kept.count()).toBe(80);
    }
  });

  it('runs exported functions of modules, and explains where they come from', async () => {
    const module = new URL('./fixtures/functions.mjs', import.meta.url);
    for (const context of contexts) {
      const labels = context.range(3).map(fromModule<(n: number) => string>(module, 'label'));
      expect(await labels.collect()).toEqual(['#0', '#1', '#2']);
      expect(labels.explain()).toMatch(/map label of file:.*functions\.mjs/);
    }
  });

  it('reads lines of text files, whatever the partitions', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rejoin-'));
    const file = join(folder, 'lines.txt');
    await writeFile(file, 'one\r\ntwo\n\nfour é');
    for (const context of contexts) {
      for (const p of [1, 2, 7])
        expect(await context.textFile(file, p).collect()).toEqual(['one', 'two', '', 'four é']);
      expect(await context.edges(file, { separator: ' ', skipInvalid: true }).collect()).toEqual([
        ['four', 'é'],
      ]);
      await expect(context.textFile(join(folder, 'none.txt')).count()).rejects.toMatchObject({
        code: 'ERR_REJOIN_INPUT',
      });
    }
    // foreach works where the rows are: its effects are seen there, here in a file.
    const log = join(folder, 'log.txt');
    const [, threaded] = contexts as [Context, Context];
    const append = fromModule<(line: string) => void>(
      new URL('./fixtures/functions.mjs', import.meta.url),
      'append',
    );
    await threaded
      .parallelize(['a', 'b', 'c'])
      .map((text) => `${log}|${text}`, { log })
      .foreach(append);
    expect((await readFile(log, 'utf8')).split('').sort()).toEqual(['a', 'b', 'c']);
    await rm(folder, { recursive: true });
  });

  it('gives back rows of every kind, and names what it cannot carry', async () => {
    class Person {
      readonly name = 'V';
    }
    const list = [
      null,
      undefined,
      NaN,
      -0,
      1n,
      'é',
      [1, [2]],
      { a: { b: new Date(0) } },
      new Map([[1, new Set([2])]]),
      Uint8Array.of(7),
    ];
    for (const context of contexts) {
      const back = await context
        .parallelize(list)
        .map((row) => row)
        .collect();
      expect(back).toEqual(list);
      expect(Object.is(back[3], -0)).toBe(true);
      await expect(context.parallelize([{ owner: new Person() }]).count()).rejects.toThrow(/owner.*Person/);
      await expect(
        context
          .parallelize<unknown, number>([[{ a: 1 }, 2]])
          .groupByKey()
          .count(),
      ).rejects.toThrow(/key/);
    }
  });

  it('refuses wrong arguments, saying which', async () => {
    const [inline] = contexts as [Context];
    expect(() => inline.range(1.5)).toThrow(/range: end is 1\.5/);
    expect(() => inline.range(0, 5, { step: 0 })).toThrow(/step is 0/);
    expect(() => inline.parallelize([1], 0)).toThrow(
      /partitions is 0; expected a whole number from 1 to 4096/,
    );
    expect(() => inline.range(4).repartition(-1)).toThrow(/repartition/);
    await expect(inline.range(4).take(-1)).rejects.toThrow(/take/);
    expect(() => (inline.range as (...args: unknown[]) => unknown).call(inline, 3, 10, 2)).toThrow(
      /range: the third argument, \{ step, partitions \}: expected an object, got 2/,
    );
    const know = inline.parallelize<string, string>([['a', 'b']]);
    const closure = (options: unknown) => () => know.transitiveClosure(options as object);
    expect(closure({ from: 'ab' })).toThrow(/from is 'ab'; expected an array or set/);
    expect(closure({ base: 5 })).toThrow(/base: expected a dataset/);
    expect(closure({ signal: 5 })).toThrow(/signal is 5; expected an AbortSignal/);
    expect(closure({ maxdepth: 5 })).toThrow(
      /unknown option maxdepth; there are .*maxDepth.*from, base, signal, onRound; did you mean maxDepth\?/,
    );
    expect(closure({ falsePositiveRate: 1 })).toThrow(
      /falsePositiveRate is 1; expected a number from 1e-9 to below 1/,
    );
    await expect(know.count(Object({ signal: 1 }) as object)).rejects.toThrow(/signal is 1/);
    const rejecting = know.transitiveClosure({ onRound: () => Promise.reject(new Error('later')) });
    await expect(rejecting.count()).rejects.toThrow('later');
    const other = await createContext({ threads: 0 });
    expect(() => inline.range(4).union(other.range(4))).toThrow(/same context/);
    await other.close();
    expect(() => other.range(4)).toThrow(/closed/);
    await expect(createContext({ threads: -1 })).rejects.toThrow(
      /threads is -1; expected a whole number from 0/,
    );
    await expect(createContext({ memory: 'lots' })).rejects.toThrow(
      /memory is "lots"; expected at least 1 MiB/,
    );
    await expect(createContext(Object({ thread: 1 }) as object)).rejects.toThrow(
      /unknown option thread; there are threads/,
    );
  });

  it('creates a context at once, without threads', async () => {
    // Time spent, not time that passed: the machine may be busy.
    const before = process.cpuUsage();
    const context = await createContext({ threads: 2 });
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(20);
    await context[Symbol.asyncDispose]();
  });
});

/** For type checking only: the environment supplies it at run time. */
declare const limit: number;
