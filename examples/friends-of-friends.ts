/**
 * Friends of friends: people whom one could be introduced to. `maxDepth` bounds the length of the paths; whoever is
 * known already, and oneself, is taken away.
 */
import { createContext } from 'rejoin';

const acquaintances: [string, string][] = [
  ['An', 'Bình'],
  ['Bình', 'Chi'],
  ['Chi', 'Dung'],
  ['An', 'Em'],
  ['Em', 'Giang'],
];

await using context = await createContext({ threads: 2 });
const oneWay = context.parallelize(acquaintances);
const know = oneWay.union(oneWay.map(([a, b]) => [b, a]));

const withinTwoSteps = know.transitiveClosure({ maxDepth: 2 });
const introductions = withinTwoSteps.subtract(know).filter(([who, whom]) => who !== whom);

for (const [who, whom] of (await introductions.groupByKey().collect()).sort()) {
  console.log(`${who} could meet ${whom.sort().join(' and ')}`);
}
