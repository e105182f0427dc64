/** `npm test`: sets up, then runs all tests; arguments go to the test runner. */
import { join } from 'node:path';
import { root, run, setUp } from './setup.mjs';

setUp();
const data = process.env.REJOIN_DATA;
console.log(
  data === undefined ? 'REJOIN_DATA is not set: tests on real graphs are skipped.' : `Real graphs: ${data}`,
);
run(process.execPath, [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...process.argv.slice(2)]);
