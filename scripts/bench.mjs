/** `npm run bench`: sets up, then runs the benchmarks; arguments go to them. */
import { join } from 'node:path';
import { root, run, setUp } from './setup.mjs';

setUp();
run(process.execPath, [join(root, 'build', 'bench', 'main.js'), ...process.argv.slice(2)]);
