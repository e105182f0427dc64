/** Prints the one line `N passed, N failed, N skipped` from the test runner's JSON report, given as a path. */
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const {
  numPassedTests: passed,
  numFailedTests: failed,
  numPendingTests: pending,
  numTodoTests: todo,
} = report;
console.log(`${passed} passed, ${failed} failed, ${pending + todo} skipped`);
