/** `npm run experiment`: sets up, then runs the experiment; arguments go to it, files are sought where the user called from. */
import { join } from 'node:path';
import { callersFolder, root, run, setUp } from './setup.mjs';

setUp();
run(
  process.execPath,
  [join(root, 'build', 'bench', 'experiment', 'main.js'), ...process.argv.slice(2)],
  callersFolder(),
);
