/**
 * Two real relations from the `vega-datasets` package: who appears with whom in *Les Misérables*, and which airports in
 * the USA had a direct flight in 2008. The package's API fetches over the network, so the files beside its entry are
 * read instead.
 */
import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';

interface Miserables {
  readonly nodes: readonly { readonly name: string }[];
  /** Source and target are positions in `nodes`. */
  readonly links: readonly { readonly source: number; readonly target: number }[];
}

/** The flights as a file for `context.edges`: a header, then origin, destination, count. */
export const FLIGHTS_FILE = dataFile('flights-airport.csv');

/** Who appears with whom, in one direction: [name, name]. */
export async function readAcquaintances(): Promise<[string, string][]> {
  const { nodes, links } = JSON.parse(await readFile(dataFile('miserables.json'), 'utf8')) as Miserables;
  const nameOf = (position: number): string => {
    const name = nodes[position]?.name;
    if (name === undefined)
      throw new Error(`miserables.json: a link names node ${position} of ${nodes.length}`);
    return name;
  };
  return links.map(({ source, target }) => [nameOf(source), nameOf(target)]);
}

/** Airport code → `city, state`. */
export async function readAirportCities(): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(dataFile('airports.csv'), 'utf8');
  const airports: Readonly<Record<string, string>>[] = parse(text, { columns: true });
  return new Map(airports.map(({ iata = '', city = '', state = '' }) => [iata, `${city}, ${state}`]));
}

function dataFile(name: string): URL {
  return new URL(`../data/${name}`, import.meta.resolve('vega-datasets'));
}
