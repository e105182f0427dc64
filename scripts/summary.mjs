/**
 * Prints the one line `N passed, N failed, N skipped` from the test runner's JSON report, given as a path. A file that
 * failed before any of its tests ran counts as one failed.
 */
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const passed = report.numPassedTests;
const skipped = report.numPendingTests + report.numTodoTests;
const brokenFiles = report.testResults.filter(
  ({ status, assertionResults }) =>
    status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
).length;
console.log(`${passed} passed, ${report.numFailedTests + brokenFiles} failed, ${skipped} skipped`);
