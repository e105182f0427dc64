/** Compiles, and what is marked does not: how rows are inferred. Nothing runs. */
import type { Context, Rdd } from 'rejoin';

export function inference(context: Context): unknown[] {
  const ages = context.parallelize([
    ['V', 60],
    ['J', 50],
  ]);
  const typed: Rdd<[string, number]> = ages;
  const swapped: Rdd<[number, string]> = ages.map(([name, age]) => [age, name]);
  const counted: Rdd<[string, number]> = ages.flatMap(([name]) => [[name, 1]]).reduceByKey((a, b) => a + b);
  const joined: Rdd<[string, [number, number]]> = ages.join(counted);
  const grouped: Rdd<[number, string[]]> = swapped.groupByKey();
  const plain: Rdd<number> = ages.map(([, age]) => age + 1);
  const objects: Rdd<{ name: string }> = ages.map(([name]) => ({ name }));
  const closure: Rdd<[number, number]> = context
    .parallelize([[1, 2]])
    .transitiveClosure({ base: context.parallelize([[1, 1]]) });
  // @ts-expect-error numbers are not pairs
  const wrong = plain.keys();
  // @ts-expect-error text is not a number
  const seeds = context.parallelize([[1, 2]]).transitiveClosure({ from: ['1'] });
  // @ts-expect-error another kind of key
  const base = context.parallelize([[1, 2]]).transitiveClosure({ base: ages });
  return [typed, swapped, counted, joined, grouped, plain, objects, closure, wrong, seeds, base];
}
