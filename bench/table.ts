/** One workload's results as a table for people. */
import Table from 'cli-table3';
import type { Row } from './measure.js';

/** `title` heads the column of contenders. */
export function tableOf(title: string, rows: readonly Row[], deadlineSeconds: number): string {
  const table = new Table({
    head: [title, 'pairs', 'seconds (median)', 'times as fast as the rival', 'peak RSS, MiB'],
    colAligns: ['left', 'right', 'right', 'right', 'right'],
    // Without colours: the table is pasted into documents.
    style: { head: [], border: [] },
  });
  for (const { contender, outcome } of rows) {
    if (outcome.state === 'stopped') table.push([contender, '', `stopped at ${deadlineSeconds} s`, '', '']);
    else if (outcome.state === 'failed') table.push([contender, '', 'failed', '', '']);
    else {
      table.push([
        contender,
        outcome.pairs.toLocaleString('en'),
        (outcome.medianMs / 1000).toFixed(2),
        outcome.timesRival?.toFixed(2) ?? '–',
        (outcome.peakRssBytes / 2 ** 20).toFixed(0),
      ]);
    }
  }
  return table.toString();
}
