/**
 * The command line as commander sees it: commands, options, their groups in the help, and what wrong usage is answered
 * with (the nearest right option, and where to read on). Nothing here runs anything: actions are given from outside.
 */
import { readFileSync } from 'node:fs';
import { Argument, Command, Option } from 'commander';
import {
  DEFAULT_FALSE_POSITIVE_RATE,
  DEFAULT_PARTITIONS,
  DIRECTIONS,
  FILTER_KINDS,
  STRATEGIES,
} from '../options.js';
import * as flags from './flags.js';
import type { ClosureFlags, CompareFlags } from './flags.js';

/** What a parsed command line sets going. */
export interface Actions {
  closure(file: string, flags: ClosureFlags): Promise<void>;
  compare(file: string, flags: CompareFlags): Promise<void>;
}

/** Text for the terminal: help and version on standard output, complaints about usage on standard error. */
export interface ProgramOutput {
  out(text: string): void;
  error(text: string): void;
}

/** The program. Its `parseAsync` throws `CommanderError` instead of exiting. */
export function createProgram(actions: Actions, output: ProgramOutput): Command {
  const program = new Command('rejoin')
    .description('Recursive joins in one Node process: transitive closure of an edge list.')
    .version(packageVersion(), '--version', 'print the version')
    .helpOption('--help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .showHelpAfterError('(rejoin --help lists the commands; options come after the command)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        output.out(text);
      },
      writeErr: (text) => {
        output.error(text);
      },
      outputError: (text, write) => {
        write(withLongOption(text).replace(/^error: /, 'rejoin: '));
      },
    });

  const closure = program
    .command('closure')
    .summary('print all pairs (x, y) with a path from x to y')
    .description(
      'Prints all pairs (x, y) with a path of one or more edges from x to y, as tab-separated text.\n' +
        '(x, x) is among them exactly when x lies on a cycle.',
    );
  withInput(closure);
  withQuestion(closure)
    .optionsGroup('Evaluation:')
    .addOption(
      new Option('--strategy <name>', 'evaluation strategy (default: auto)')
        .choices(STRATEGIES)
        .argParser(flags.parseStrategy),
    )
    .addOption(
      new Option('--filter <kind>', 'drops tuples that cannot join, before the shuffle (default: auto)')
        .choices(FILTER_KINDS)
        .argParser(flags.parseFilter),
    )
    .addOption(directionOption('auto'));
  withMeans(closure)
    .optionsGroup('Output:')
    .option('--count', 'print the number of pairs only')
    .option('--out <file>', 'write the pairs to a file: CSV if its name ends in .csv, else TSV')
    .addOption(reportOption('print a report instead of the pairs'));
  withGeneral(closure, 'closure').action((file: string, given: ClosureFlags) => actions.closure(file, given));

  const compare = program
    .command('compare')
    .summary('run every strategy on the same data and compare them')
    .description(
      'Runs naive evaluation, and semi-naive evaluation with each filter, on the same loaded data;\n' +
        'checks that all answers have the same size and prints what each of them did.',
    );
  withInput(compare);
  withQuestion(compare)
    .optionsGroup('Evaluation:')
    .option(
      '--deadline <seconds>',
      'stop a strategy after so long and report it as stopped',
      flags.parseDeadline,
    )
    .addOption(directionOption('left'));
  withMeans(compare)
    .optionsGroup('Output:')
    .addOption(reportOption('form of the comparison (default: table)'));
  withGeneral(compare, 'compare').action((file: string, given: CompareFlags) => actions.compare(file, given));

  program.addHelpText(
    'after',
    '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 stopped at a limit.\nMore: rejoin closure --help',
  );
  return program;
}

function withInput(command: Command): Command {
  return command
    .addArgument(new Argument('<file>', 'edge list, one pair a line; - for standard input'))
    .optionsGroup('Input:')
    .option(
      '--separator <name>',
      'auto, tab, comma, space or one character (default: auto)',
      flags.parseSeparator,
    )
    .option('--columns <from,to>', 'columns of the pair, from 1 (default: the first two)', flags.parseColumns)
    .option(
      '--comment <char>',
      'lines that start so are skipped; none: no line is (default: # and %)',
      flags.parseComment,
    )
    .option('--header', 'skip the first line')
    .option('--undirected', 'add each edge in both directions')
    .option('--escapes', 'read \\t, \\n, \\r and \\\\ inside an id as --out writes them in TSV')
    .option('--skip-invalid', 'count and skip malformed lines instead of failing');
}

function withQuestion(command: Command): Command {
  return command
    .optionsGroup('Question:')
    .option('--from <id>', 'only paths that start here; repeatable', flags.append)
    .option('--max-depth <n>', 'longest path, in edges', flags.parseMaxDepth)
    .option('--reflexive', 'add (x, x) for every vertex, with --from for every seed');
}

function withMeans(command: Command): Command {
  return command
    .option(
      '--false-positive-rate <rate>',
      `rate that Bloom filters are sized for, from 1e-9 to below 1 (default: ${DEFAULT_FALSE_POSITIVE_RATE})`,
      flags.parseRate,
    )
    .option(
      '--partitions <n>',
      `partitions of the data (default: ${DEFAULT_PARTITIONS})`,
      flags.parsePartitions,
    )
    .option(
      '--threads <n>',
      'worker threads; 0 runs inline (default: the cores, at most 8)',
      flags.parseThreads,
    )
    .option(
      '--memory <size>',
      "budget for data, such as 512MiB or 2GB (default: half the machine's, at most 4 GiB)",
      flags.parseMemorySize,
    )
    .option('--max-pairs <n>', 'stop with exit code 3 once more pairs are found', flags.parseMaxPairs);
}

function directionOption(byDefault: string): Option {
  return new Option('--direction <side>', `left- or right-linear evaluation (default: ${byDefault})`)
    .choices(DIRECTIONS)
    .argParser(flags.parseDirection);
}

function reportOption(text: string): Option {
  return new Option('--report <form>', text).choices(flags.REPORT_FORMS).argParser(flags.parseReport);
}

function withGeneral(command: Command, name: string): Command {
  return command
    .optionsGroup('General:')
    .option('--debug', 'print stack traces of errors')
    .helpOption('--help', 'print this help')
    .showHelpAfterError(`(rejoin ${name} --help lists all options)`);
}

/** commander looks for the nearest option only for `--…`: `-count` gets the same help. */
function withLongOption(text: string): string {
  return text.replace(/^(error: unknown option '-([a-z][a-z-]+)')$/m, '$1\n(Did you mean --$2?)');
}

function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest)
    return String(manifest.version);
  throw new Error('package.json has no version');
}
