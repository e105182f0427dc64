/**
 * Makes a checkout ready: installs from the lock file and builds, each only if needed, and says what it does. Node's own
 * modules only, since nothing may be installed yet. `npm start`, `npm test` and `npm run bench` begin with it.
 *
 * What is installed is read from npm's record of the tree, which npm writes when the tree is complete and removes first
 * when it starts anew; the build's stamp is likewise written last. So an interrupted run is repeated, never trusted.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const MINIMUM_NODE = [20, 19];
/** Source folder → where its project emits to, as in the tsconfig of each. */
const OUTPUTS = { src: 'dist', examples: 'build/examples', bench: 'build/bench' };

/** Runs a program, without a shell; ends this process with its exit code if it fails. */
export function run(command, args, cwd = root) {
  const { status, signal, error } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (error !== undefined) fail(`cannot run ${command}: ${error.message}`);
  // As shells report a program that a signal ended.
  if (signal !== null) process.exit(128 + constants.signals[signal]);
  if (status !== 0) process.exit(status);
}

/** Where the user called from: npm itself moves to the top of the checkout. */
export function callersFolder() {
  return process.env.INIT_CWD ?? process.cwd();
}

export function setUp() {
  checkNode();
  install();
  build();
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [wantedMajor, wantedMinor] = MINIMUM_NODE;
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return;
  fail(`Rejoin needs Node ${MINIMUM_NODE.join('.')} or later; this is ${process.versions.node}`);
}

function install() {
  if (isInstalled()) return;
  console.log('Installing the dependencies of the lock file (npm ci) …');
  const [command, ...args] = npm();
  run(command, [...args, 'ci', '--no-audit', '--no-fund', '--loglevel=error']);
}

/** Whether every package of the lock file is there at its version; those for other platforms may be missing. */
function isInstalled() {
  const record = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const there = readJson(record).packages;
  return Object.entries(readJson(join(root, 'package-lock.json')).packages).every(
    ([path, { version, integrity, optional }]) =>
      path === '' ||
      (there[path] === undefined
        ? optional === true
        : there[path].version === version && there[path].integrity === integrity),
  );
}

/** npm as a command without a shell: the one that runs this script, else the one beside Node, else that of the PATH. */
function npm() {
  const { npm_execpath: running } = process.env;
  if (running !== undefined && basename(running) === 'npm-cli.js') return [process.execPath, running];
  const beside = join(dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js');
  return existsSync(beside) ? [process.execPath, beside] : ['npm'];
}

/** Builds what is stale. Needs the dependencies. */
export function build() {
  const typescript = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  if (!existsSync(typescript))
    fail('the dependencies are not installed: run npm ci, or npm test, which does');
  const sources = Object.keys(OUTPUTS).flatMap((folder) => sourcesIn(folder));
  const stamp = join(root, 'dist', '.rejoin-built');
  const wanted = hashOf([
    ...sources,
    'tsconfig.json',
    'tsconfig.base.json',
    'package.json',
    'package-lock.json',
  ]);
  const main = join(root, 'dist', 'cli', 'main.js');
  const complete =
    existsSync(stamp) &&
    [main, join(root, 'build', 'examples'), join(root, 'build', 'bench')].every(existsSync);
  if (complete && readFileSync(stamp, 'utf8') === wanted) return;
  console.log('Building (tsc -b) …');
  rmSync(stamp, { force: true });
  for (const [folder, output] of Object.entries(OUTPUTS)) removeOrphans(folder, output);
  run(process.execPath, [typescript, '-b']);
  // tsc knows no executables; npm and npx run this file itself.
  chmodSync(main, statSync(main).mode | 0o111);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
}

/** Removes what was built from sources that are gone: it would be packed, and found by imports. */
function removeOrphans(folder, output) {
  const sources = new Set(sourcesIn(folder).map((file) => relative(folder, file)));
  for (const file of filesIn(output)) {
    const built = /^(.*?)\.(?:d\.ts|js)(?:\.map)?$/.exec(relative(output, file));
    if (built !== null && !sources.has(`${built[1]}.ts`)) rmSync(join(root, file));
  }
}

function sourcesIn(folder) {
  return filesIn(folder).filter((file) => file.endsWith('.ts') || basename(file) === 'tsconfig.json');
}

/** Files below a folder of the checkout, from its top, in an order of their own. */
function filesIn(folder) {
  const top = join(root, folder);
  if (!existsSync(top)) return [];
  return readdirSync(top, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}

function hashOf(files) {
  const hash = createHash('sha256');
  for (const file of files)
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  return hash.digest('hex');
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
