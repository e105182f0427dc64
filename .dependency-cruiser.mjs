/**
 * Import direction: a floor imports only from those below it, and each library comes in by one door. The rules are made
 * from the two tables; a new folder of src/ has to be given its place in the first.
 */
/** From the ground up, above `errors.ts` and `options.ts`. */
const floors = ['memory', 'kernel', 'filter', 'column', 'plan', 'exec', 'io', 'recursion', 'rdd', 'cli'];
/** Library → the folders (or files) of src/ that may import it. */
const doors = {
  'xxhash-wasm': ['filter/'],
  piscina: ['exec/'],
  immutable: ['plan/', 'exec/', 'column/'],
  acorn: ['exec/function/'],
  'eslint-scope': ['exec/function/'],
  valibot: ['options.ts', 'io/', 'cli/'],
  'csv-parse': ['io/'],
  'csv-stringify': ['io/'],
  commander: ['cli/'],
  'cli-table3': ['cli/'],
  'log-update': ['cli/'],
};

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    // Nothing lies above the command line.
    ...floors.slice(0, -1).map((floor, i) => ({
      name: `${floor}-imports-down`,
      severity: 'error',
      from: { path: `^src/${floor}/` },
      to: { path: [...floors.slice(i + 1).map((above) => `^src/${above}/`), '^src/index\\.ts$'] },
    })),
    {
      name: 'ground-imports-nothing',
      severity: 'error',
      from: { path: '^src/(errors|options|nearest-name)\\.ts$' },
      to: { path: [...floors.map((floor) => `^src/${floor}/`), '^src/index\\.ts$'] },
    },
    {
      name: 'no-folder-without-a-floor',
      severity: 'error',
      from: {},
      to: { path: '^src/[^/]+/', pathNot: floors.map((floor) => `^src/${floor}/`) },
    },
    {
      name: 'the-door-leaves-the-command-line-out',
      severity: 'error',
      from: { path: '^src/index\\.ts$' },
      to: { path: '^src/cli/' },
    },
    ...Object.entries(doors).map(([library, folders]) => ({
      name: `one-door-${library}`,
      severity: 'error',
      from: { path: '^src/', pathNot: folders.map((folder) => `^src/${folder.replace('.', '\\.')}`) },
      to: { path: `node_modules/${library}/` },
    })),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
