/**
 * Makes a checkout ready: installs from the lock file and builds, each only if needed, and says what it does. Node's own
 * modules only, since nothing may be installed yet. `npm start`, `npm test` and `npm run bench` begin with it.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const MINIMUM_NODE = [20, 19];

/** Runs a program in the checkout; ends the process with its exit code if it fails. */
export function run(command, args, env = process.env) {
  const { status, signal, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env });
  if (error !== undefined) fail(`cannot run ${command}: ${error.message}`);
  if (signal !== null) fail(`${command} was ended by ${signal}`);
  if (status !== 0) process.exit(status ?? 1);
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
  const stamp = join(root, 'node_modules', '.rejoin-installed');
  const wanted = hashOf([join(root, 'package-lock.json'), join(root, 'package.json')]);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.log('Installing the dependencies of the lock file (npm ci) …');
  // npm tells its scripts how to start it; elsewhere it is looked up on the PATH.
  const npm = process.env.npm_execpath;
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  if (npm === undefined) run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args);
  else run(process.execPath, [npm, ...args]);
  writeFileSync(stamp, wanted);
}

/** Builds what is stale; needs the dependencies. */
export function build() {
  const stamp = join(root, 'dist', '.rejoin-built');
  const sources = ['src', 'examples', 'bench'].flatMap((folder) => filesIn(join(root, folder)));
  const wanted = hashOf([...sources, join(root, 'tsconfig.json'), join(root, 'tsconfig.base.json')]);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.log('Building (tsc -b) …');
  run(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b']);
  chmodSync(join(root, 'dist', 'cli', 'main.js'), 0o755);
  writeFileSync(stamp, wanted);
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(
      (entry) => entry.isFile() && /\.(ts|json)$/.test(entry.name) && !entry.parentPath.includes('results'),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function hashOf(files) {
  const hash = createHash('sha256').update(process.versions.node);
  for (const file of files) hash.update(file.slice(root.length)).update('\0').update(readFileSync(file));
  return hash.digest('hex');
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
