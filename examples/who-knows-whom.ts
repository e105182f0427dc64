/**
 * The main job, on real data: Friend is the transitive closure of Know.
 *
 *     Friend(x, y) ← Know(x, y)
 *     Friend(x, y) ← Friend(x, z) ⋈ Know(z, y)
 *
 * First who knows whom in *Les Misérables* (acquaintance goes both ways), then which airports can be reached from which.
 * Usage: who-knows-whom [person]
 */
import { createContext } from 'rejoin';
import { compareStrategies } from './comparison.js';
import { FLIGHTS_FILE, readAcquaintances, readAirportCities } from './vega-data.js';

// A reader that has seen enough (`npm start | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const [person = 'Valjean'] = process.argv.slice(2);
await using context = await createContext();

console.log('Who knows whom in Les Misérables');
const acquaintances = context.parallelize(await readAcquaintances());
const know = acquaintances.union(acquaintances.map(([a, b]) => [b, a]));
const friend = know.transitiveClosure({ strategy: 'semi-naive', filter: 'intersection' });
const withinTwo = know.transitiveClosure({ from: [person], maxDepth: 2 });

const knowCount = await know.count();
const friendCount = await friend.count();
const acquainted = await know
  .filter(([who]) => who === person, { person })
  .values()
  .take(5);
const friends = await friend
  .filter(([who]) => who === person, { person })
  .map(([, whom]) => whom)
  .collect();
console.log(`  Know has ${knowCount} pairs, its closure Friend ${friendCount}.`);
console.log(`  ${person} knows ${acquainted.join(', ')}, …`);
console.log(`  and by acquaintances of acquaintances ${await withinTwo.count()} people,`);
console.log(`  in any number of steps ${friends.length}: ${friends.slice(0, 5).join(', ')}, …`);
console.log(await compareStrategies(know));

console.log('\nAirports by direct flights, USA 2008');
const cities = await readAirportCities();
const flights = context.edges(FLIGHTS_FILE, { header: true, columns: [1, 2] });
const reachable = flights.transitiveClosure({ strategy: 'semi-naive', filter: 'intersection' });
const deadEnds = await flights.values().distinct().subtract(flights.keys().distinct()).collect();
console.log(
  `  ${await flights.count()} direct connections, ${await reachable.count()} with changes of plane.`,
);
console.log(
  `  Nobody flies on from ${deadEnds.map((code) => `${code} (${cities.get(code) ?? '?'})`).join(', ')}:`,
);
console.log('  a filter prunes each pair that ends there before it is shuffled to the join.');
console.log(await compareStrategies(flights));
