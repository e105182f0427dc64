/**
 * `rejoin compare <file>`: the same question by every strategy, on the same loaded data, with a check that all answers
 * have the same size. A run that a limit stops is reported as stopped and the next one starts.
 *
 * Hazard: Know is loaded and cached before the first run, so that none of them pays for reading the file.
 */
import { LimitError } from '../errors.js';
import { createContext, type Rdd } from '../index.js';
import { agreementOf, CONTENDERS, contenderName, type ComparedRun, type Contender } from './compared-run.js';
import { startDeadline } from './deadline.js';
import { DisagreementError, limitOf } from './exit-codes.js';
import { given, type CompareFlags } from './flags.js';
import { InputNotes, openInput, readKnow, warnOfUnknownSeeds } from './input.js';
import { comparisonJson } from './report-json.js';
import { comparisonTable } from './report-table.js';
import { StatusLine } from './status-line.js';
import { writeText, type Terminal } from './terminal.js';

/**
 * Runs the command to its end; the context is closed whatever happens.
 * @throws DisagreementError if two complete answers differ in size; LimitError if a run was stopped; both after the
 * comparison was printed. Every other error of the library as it comes.
 */
export async function runCompare(file: string, flags: CompareFlags, terminal: Terminal): Promise<void> {
  const { signal, stdout } = terminal;
  const status = await StatusLine.open(terminal.stderr);
  const context = await createContext(given(flags, 'threads', 'memory', 'partitions'));
  const notes = new InputNotes();
  try {
    const input = await openInput(file, terminal.stdin, signal);
    status.start('compare');
    const know = readKnow(context, input, flags, notes).cache();
    await know.count({ signal });
    notes.tell(file, status);
    await warnOfUnknownSeeds(context, input, flags, status, signal);

    // Threads start and code is compiled now, at the cost of one round, so that the first row does not pay for all.
    const warmUp: Contender = { strategy: 'semi-naive', filter: 'none' };
    await runContender(know, warmUp, { ...flags, maxDepth: 2 }, signal, status);

    const runs: ComparedRun[] = [];
    for (const contender of CONTENDERS) {
      status.start(contenderName(contender));
      runs.push(await runContender(know, contender, flags, signal, status));
      status.clear();
    }
    const agreement = agreementOf(runs);
    await writeText(
      stdout,
      flags.report === 'json' ? `${comparisonJson(runs)}\n` : `${comparisonTable(runs)}${agreement.text}\n`,
    );
    if (!agreement.holds)
      throw new DisagreementError(`${agreement.text}; this is a bug of Rejoin, please report it`);
    throwIfStopped(runs, flags);
  } finally {
    status.clear();
    await context.close();
  }
}

/** One strategy on the loaded data. A limit gives a stopped run; anything else that goes wrong is thrown. */
async function runContender(
  know: Rdd<[string, string]>,
  contender: Contender,
  flags: CompareFlags,
  stop: AbortSignal,
  status: StatusLine,
): Promise<ComparedRun> {
  const deadline = startDeadline(flags.deadline);
  const friend = know.transitiveClosure({
    // One direction for all, that of the paper, so that rows differ in what they are named after.
    direction: flags.direction ?? 'left',
    ...given(flags, 'from', 'maxDepth', 'maxPairs', 'reflexive', 'falsePositiveRate'),
    ...contender,
    signal: AbortSignal.any([stop, deadline.signal]),
    onRound: (round) => {
      status.showRound(round);
    },
  });
  try {
    await friend.count();
    return await friend.report();
  } catch (error) {
    const stopped = limitOf(error);
    if (stopped === undefined || !(error instanceof Error)) throw error;
    return {
      ...(await friend.partialReport()),
      ...contender,
      complete: false,
      stopped,
      message: error.message,
    };
  } finally {
    deadline.cancel();
  }
}

/** @throws LimitError naming the runs that were stopped, at which limit, and the option that raises it */
function throwIfStopped(runs: readonly ComparedRun[], flags: CompareFlags): void {
  const stopped = runs.filter((run) => !run.complete);
  const [first] = stopped;
  if (first === undefined) return;
  const who = stopped.map((run) => `${contenderName(run)} (--${run.stopped})`).join(', ');
  throw new LimitError(
    `${stopped.length} of ${runs.length} strategies were stopped at a limit: ${who}; raise it with the option named`,
    { limit: first.stopped, value: flags.deadline ?? null },
  );
}
