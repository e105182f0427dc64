/**
 * How far one gets from one airport: reachability from a seed. With `from`, only paths that start there are followed, so
 * the work is that of one source and not of all pairs.
 * Usage: airport-reachability [code]
 */
import { createContext } from 'rejoin';
import { FLIGHTS_FILE, readAirportCities } from './vega-data.js';

const [start = 'PUB'] = process.argv.slice(2);
await using context = await createContext({ threads: 2 });
const cities = await readAirportCities();
const flights = context.edges(FLIGHTS_FILE, { header: true, columns: [1, 2] }).cache();

console.log(`From ${start} (${cities.get(start) ?? 'an unknown airport'}) one reaches`);
let before = 0;
for (let flightCount = 1; ; flightCount += 1) {
  const reachable = flights.transitiveClosure({ from: [start], maxDepth: flightCount });
  const count = await reachable.count();
  if (count === before) break;
  const [example] = await reachable.values().take(1);
  console.log(
    `  ${count} airports with at most ${flightCount} flights, such as ${cities.get(example ?? '') ?? 'none'}`,
  );
  before = count;
}
if (before === 0) console.log('  no other airport');
