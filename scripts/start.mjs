/** `npm start`: sets up, then runs the main job on real data. */
import { join } from 'node:path';
import { callersFolder, root, run, setUp } from './setup.mjs';

setUp();
run(
  process.execPath,
  [join(root, 'build', 'examples', 'who-knows-whom.js'), ...process.argv.slice(2)],
  callersFolder(),
);
