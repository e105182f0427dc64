/**
 * The flags of the commands, as commander gives them: a flag that was not given is absent, and each has the name and
 * the form of the library's option, so that `given` can hand it over as it is. Numbers are checked while they are
 * parsed, by the library's own checks: bounds stand there and nowhere else.
 */
import { InvalidArgumentError } from 'commander';
import { OptionError } from '../errors.js';
import { edgeListSettings } from '../io/edge-list-options.js';
import { closureSettings, contextSettings, DEFAULT_PARTITIONS, oneOf, parseMemory } from '../options.js';
import type { Direction, FilterKind, Strategy } from '../options.js';

/** How the edge list is read. */
export interface InputFlags {
  readonly separator?: string;
  readonly comment?: string;
  readonly columns?: readonly [number, number];
  readonly header?: boolean;
  readonly undirected?: boolean;
  readonly escapes?: boolean;
  readonly skipInvalid?: boolean;
}

/** What is asked, and with which means. */
interface RunFlags {
  readonly from?: readonly string[];
  readonly maxDepth?: number;
  readonly maxPairs?: number;
  readonly reflexive?: boolean;
  readonly falsePositiveRate?: number;
  readonly direction?: Direction | 'auto';
  readonly partitions?: number;
  readonly threads?: number;
  readonly memory?: string;
  readonly report?: ReportForm;
  readonly debug?: boolean;
}

export interface ClosureFlags extends InputFlags, RunFlags {
  readonly strategy?: Strategy;
  readonly filter?: FilterKind;
  readonly count?: boolean;
  readonly out?: string;
}

export interface CompareFlags extends InputFlags, RunFlags {
  /** Seconds for each strategy. */
  readonly deadline?: number;
}

export type ReportForm = 'table' | 'json';
export const REPORT_FORMS = ['table', 'json'] as const satisfies readonly ReportForm[];

/** Those of the named flags that were given. */
export function given<T extends object, K extends keyof T>(flags: T, ...names: readonly K[]): Pick<T, K> {
  const entries = names
    .filter((name) => flags[name] !== undefined)
    .map((name) => [name, flags[name]] as const);
  return Object.fromEntries(entries) as Pick<T, K>;
}

/** Longest wait that a timer of Node takes: 2³¹ − 1 ms. */
const MAX_DEADLINE_SECONDS = 2_147_483;

export const parseThreads = (text: string): number =>
  accepted(() => contextSettings({ threads: decimal(text) }).threads);
export const parsePartitions = (text: string): number =>
  accepted(() => contextSettings({ partitions: decimal(text) }).partitions);
export const parseMaxDepth = (text: string): number =>
  accepted(() => closureSettings({ maxDepth: decimal(text) }, DEFAULT_PARTITIONS).maxDepth);
export const parseMaxPairs = (text: string): number =>
  accepted(() => closureSettings({ maxPairs: decimal(text) }, DEFAULT_PARTITIONS).maxPairs);
export const parseRate = (text: string): number =>
  accepted(() => closureSettings({ falsePositiveRate: decimal(text) }, DEFAULT_PARTITIONS).falsePositiveRate);

export const parseStrategy = (text: string): Strategy =>
  accepted(() => closureSettings({ strategy: text as Strategy }, DEFAULT_PARTITIONS).strategy);
export const parseFilter = (text: string): FilterKind =>
  accepted(() => closureSettings({ filter: text as FilterKind }, DEFAULT_PARTITIONS).filter);
export const parseDirection = (text: string): Direction | 'auto' =>
  accepted(() => closureSettings({ direction: text as Direction }, DEFAULT_PARTITIONS).direction);

export function parseReport(text: string): ReportForm {
  const form = REPORT_FORMS.find((name) => name === text);
  if (form === undefined) throw refusal(`expected ${oneOf(REPORT_FORMS, text)}`);
  return form;
}

/** The size is kept as text: the library reads it. */
export function parseMemorySize(text: string): string {
  accepted(() => parseMemory(text, 'memory'));
  return text;
}

/** `2,3` → [2, 3]. */
export function parseColumns(text: string): readonly [number, number] {
  const columns = text.split(',').map(decimal) as [number, number];
  try {
    return edgeListSettings({ columns }).columns;
  } catch (error) {
    throw error instanceof OptionError
      ? refusal('expected two different column numbers from 1, such as 2,3')
      : error;
  }
}

/** A tab is hard to type in a shell: `\t` stands for it, beside the word `tab`. */
export function parseSeparator(text: string): string {
  const separator = text === '\\t' || text === '\t' ? 'tab' : text;
  accepted(() => edgeListSettings({ separator }));
  return separator;
}

export function parseComment(text: string): string {
  accepted(() => edgeListSettings({ comment: text }));
  return text;
}

export function parseDeadline(text: string): number {
  const seconds = decimal(text);
  if (!(seconds > 0 && seconds <= MAX_DEADLINE_SECONDS)) {
    throw new InvalidArgumentError(
      `Expected seconds above 0 and at most ${MAX_DEADLINE_SECONDS}, such as 10 or 0.5.`,
    );
  }
  return seconds;
}

/** For an option that may be repeated. */
export function append(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** Plain decimal text → number; anything else (`0x10`, `ten`, nothing) → NaN, which every check refuses. */
function decimal(text: string): number {
  return /^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
}

/** Runs a check of the library; its refusal becomes commander's, without the library's name of the option. */
function accepted<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof OptionError ? refusal(error.message) : error;
  }
}

function refusal(message: string): InvalidArgumentError {
  const expectation = message.slice(Math.max(0, message.indexOf('expected')));
  const sentence = `${expectation.charAt(0).toUpperCase()}${expectation.slice(1)}`;
  return new InvalidArgumentError(sentence.endsWith('?') ? sentence : `${sentence}.`);
}
