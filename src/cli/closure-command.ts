/**
 * `rejoin closure <file>`: the transitive closure of an edge list, as pairs, as a count, or as a report. A report or a
 * count takes the place of the pairs on standard output; pairs then only go to the file of `--out`.
 */
import { createContext } from '../index.js';
import { given, type ClosureFlags } from './flags.js';
import { formatQuantity } from './figures.js';
import { InputNotes, openInput, readKnow, warnOfUnknownSeeds } from './input.js';
import { checkOutFile, streamPairs, writeOutFile } from './output.js';
import { reportJson } from './report-json.js';
import { reportTable } from './report-table.js';
import { StatusLine } from './status-line.js';
import { writeText, type Terminal } from './terminal.js';

/** Runs the command to its end; the context is closed whatever happens. @throws every error of the library */
export async function runClosure(file: string, flags: ClosureFlags, terminal: Terminal): Promise<void> {
  const { signal, stdout } = terminal;
  await checkOutFile(flags.out, file);
  const status = await StatusLine.open(terminal.stderr);
  const context = await createContext(given(flags, 'threads', 'memory', 'partitions'));
  const notes = new InputNotes();
  try {
    const input = await openInput(file, terminal.stdin, signal);
    const know = readKnow(context, input, flags, notes);
    const friend = know.transitiveClosure({
      ...given(
        flags,
        'strategy',
        'filter',
        'direction',
        'from',
        'maxDepth',
        'maxPairs',
        'reflexive',
        'falsePositiveRate',
      ),
      signal,
      onRound: (round) => {
        status.showRound(round);
      },
    });
    status.start('closure');
    await warnOfUnknownSeeds(context, input, flags, status, signal);

    if (flags.out !== undefined) {
      const pairCount = await writeOutFile(friend.batches({ signal }), flags.out, signal);
      status.clear();
      if (flags.count === true && flags.report === undefined) await writeText(stdout, `${pairCount}\n`);
      if (terminal.stderr.isTTY === true)
        status.notice(`${formatQuantity(pairCount, 'pair')} written to ${flags.out}`);
    } else if (flags.count === true || flags.report !== undefined) {
      const pairCount = await friend.count({ signal });
      status.clear();
      if (flags.report === undefined) await writeText(stdout, `${pairCount}\n`);
    } else {
      await streamPairs(clearBefore(friend.batches({ signal }), status), terminal);
    }

    if (flags.report === 'json') await writeText(stdout, `${reportJson(await friend.report())}\n`);
    if (flags.report === 'table') await writeText(stdout, reportTable(await friend.report()));
  } finally {
    notes.tell(file, status);
    status.clear();
    await context.close();
  }
}

/** The same batches; the moving line is gone before the first. */
async function* clearBefore<T>(batches: AsyncIterable<T>, status: StatusLine): AsyncGenerator<T> {
  for await (const batch of batches) {
    status.clear();
    yield batch;
  }
}
