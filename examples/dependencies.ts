/**
 * Transitive dependencies from a package-lock.json (version 2 or 3): which package pulls in how many others, and which
 * depend on themselves in a circle. (x, x) is in the closure exactly when x lies on a cycle.
 * Usage: dependencies [package-lock.json]
 */
import { readFile } from 'node:fs/promises';
import { createContext } from 'rejoin';

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const [file = 'package-lock.json'] = process.argv.slice(2);
await using context = await createContext({ threads: 2 });

const depends = context.parallelize(dependencyPairs(await readFile(file, 'utf8')));
const needs = depends.transitiveClosure();
const needed = await needs.countByKey();
const heaviest = [...needed].filter(([path]) => path !== '').sort((a, b) => b[1] - a[1]);
const circular = await needs
  .filter(([a, b]) => a === b)
  .keys()
  .collect();

console.log(`${file}: ${await depends.count()} direct dependencies, ${await needs.count()} transitive ones`);
console.log(`the project itself needs ${needed.get('') ?? 0} packages`);
for (const [path, count] of heaviest.slice(0, 5)) console.log(`  ${nameOf(path)} needs ${count}`);
console.log(circular.length === 0 ? 'no circles' : `in a circle: ${circular.map(nameOf).join(', ')}`);

/** [path, path] for each dependency that is installed; '' is the project. */
function dependencyPairs(lockText: string): [string, string][] {
  const { packages } = JSON.parse(lockText) as { packages?: Readonly<Record<string, LockedPackage>> };
  if (packages === undefined) throw new Error(`${file} has no "packages": expected lockfileVersion 2 or 3`);
  const installed = new Set(Object.keys(packages));
  return Object.entries(packages).flatMap(([path, manifest]) => {
    const { dependencies, devDependencies, optionalDependencies, peerDependencies } = manifest;
    const names = Object.keys({
      ...dependencies,
      ...devDependencies,
      ...optionalDependencies,
      ...peerDependencies,
    });
    return names.flatMap((name): [string, string][] => {
      const target = resolveFrom(path, name, installed);
      return target === undefined ? [] : [[path, target]];
    });
  });
}

/** As Node does: the nearest node_modules on the way up. Undefined: not installed (optional, other platform). */
function resolveFrom(path: string, name: string, installed: ReadonlySet<string>): string | undefined {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const candidate = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (installed.has(candidate)) return candidate;
    if (folder === '') return undefined;
  }
}

/** `node_modules/a/node_modules/b` → `b`. */
function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}
