/** `npm run bench`: sets up, then runs the benchmarks; arguments go to them, files are sought where the user called from. */
import { join } from 'node:path';
import { callersFolder, root, run, setUp } from './setup.mjs';

setUp();
run(process.execPath, [join(root, 'build', 'bench', 'main.js'), ...process.argv.slice(2)], callersFolder());
