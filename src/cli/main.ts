#!/usr/bin/env node
/**
 * The `rejoin` command: parses the line, runs one command, and is the only place that touches the process: its streams,
 * its signals, its exit code. A signal aborts the run, which cleans up and ends; a second one kills as usual.
 *
 * Hazard: a reader of standard output that stalls (a pager) holds a write for ever, so after an abort the process waits
 * only so long for its own end.
 */
import { CommanderError } from 'commander';
import {
  describeError,
  EXIT_CODES,
  exitCodeOf,
  isClosedPipe,
  SIGNAL_EXIT_CODES,
  type StopSignal,
} from './exit-codes.js';
import { createProgram } from './program.js';
import type { Terminal } from './terminal.js';

/** Milliseconds: a task of an aborted run ends within tens of them. */
const GRACE_MS = 5000;

const interrupt = new AbortController();
let stoppedBy: StopSignal | undefined;

for (const signal of Object.keys(SIGNAL_EXIT_CODES) as StopSignal[]) {
  process.once(signal, () => {
    stoppedBy = signal;
    interrupt.abort(new Error(`stopped by ${signal}`));
    setTimeout(() => process.exit(SIGNAL_EXIT_CODES[signal]), GRACE_MS).unref();
  });
}

// Failed writes are reported by the write itself; without a listener, the event would end the process with a stack.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);
process.on('uncaughtException', (error) => {
  process.stderr.write(describeError(error, process.argv.includes('--debug')));
  process.exit(isClosedPipe(error) ? EXIT_CODES.done : EXIT_CODES.failed);
});

process.exitCode = await run(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: interrupt.signal,
});

/** Runs one command line. Returns the exit code; complaints are printed. */
async function run(words: readonly string[], terminal: Terminal): Promise<number> {
  const chosen = { debug: false };
  const program = createProgram(
    {
      // Loaded when it is needed: help and complaints about usage need no engine.
      closure: async (file, flags) => {
        const { runClosure } = await import('./closure-command.js');
        await runClosure(file, flags, terminal);
      },
      compare: async (file, flags) => {
        const { runCompare } = await import('./compare-command.js');
        await runCompare(file, flags, terminal);
      },
    },
    { out: (text) => terminal.stdout.write(text), error: (text) => terminal.stderr.write(text) },
  );
  program.hook('preAction', (_, command) => {
    chosen.debug = command.opts<{ debug?: boolean }>().debug === true;
  });
  try {
    await program.parseAsync(words, { from: 'user' });
    return EXIT_CODES.done;
  } catch (error) {
    const { debug } = chosen;
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage;
    if (stoppedBy !== undefined) {
      terminal.stderr.write(debug ? describeError(error, true) : `rejoin: stopped by ${stoppedBy}\n`);
      return SIGNAL_EXIT_CODES[stoppedBy];
    }
    const code = exitCodeOf(error);
    if (code !== EXIT_CODES.done) terminal.stderr.write(describeError(error, debug));
    return code;
  }
}
