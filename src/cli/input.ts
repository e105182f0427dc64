/**
 * The edge list that a command reads: a file, or all of standard input for `-`; and what is worth a notice about it:
 * columns that were left out, lines that were skipped, seeds that occur nowhere.
 *
 * Hazard: notes come partition by partition in any order; they are told once, at the end, with the first line first.
 */
import type { Readable } from 'node:stream';
import type { Context, EdgeListNotes, Rdd } from '../index.js';
import { given, type InputFlags } from './flags.js';
import type { StatusLine } from './status-line.js';

/** A path, or bytes with the name that messages give them. */
export type Input = string | { readonly name: string; readonly bytes: Uint8Array };

/** `-` reads standard input to its end; a path is only looked at when a job needs it. @throws the signal's reason */
export async function openInput(file: string, stdin: Readable, signal: AbortSignal): Promise<Input> {
  signal.throwIfAborted();
  if (file !== '-') return file;
  const chunks: Uint8Array[] = [];
  const stop = (): void => {
    stdin.destroy();
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of stdin) chunks.push(chunk as Uint8Array);
  } catch (error) {
    // A stream that was destroyed half-way complains of its own end; what stopped it is the reason to give.
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
  signal.throwIfAborted();
  return { name: 'standard input', bytes: Buffer.concat(chunks) };
}

/** The notes on one reading of an edge list, gathered over its partitions. */
export class InputNotes {
  #skippedCount = 0;
  #firstSkippedLine = Infinity;
  #extraColumns: NonNullable<EdgeListNotes['extraColumns']> | undefined;

  readonly add = (notes: EdgeListNotes): void => {
    this.#skippedCount += notes.skipped;
    this.#firstSkippedLine = Math.min(this.#firstSkippedLine, notes.firstSkippedLine ?? Infinity);
    const { extraColumns } = notes;
    if (extraColumns !== undefined && extraColumns.line < (this.#extraColumns?.line ?? Infinity)) {
      this.#extraColumns = extraColumns;
    }
  };

  /** Prints what there is to say about `file`. */
  tell(file: string, status: StatusLine): void {
    const name = file === '-' ? 'standard input' : file;
    if (this.#extraColumns !== undefined) {
      const { line, columns } = this.#extraColumns;
      status.notice(
        `warning: ${name}:${line} has ${columns} columns, the first two are used; choose others with --columns ` +
          '(--columns 1,2 silences this)',
      );
    }
    if (this.#skippedCount > 0) {
      const lines = this.#skippedCount === 1 ? '1 malformed line' : `${this.#skippedCount} malformed lines`;
      status.notice(`warning: ${name}: ${lines} skipped, the first is line ${this.#firstSkippedLine}`);
    }
  }
}

/** The pairs of the input; `notes` hears what is odd about it. */
export function readKnow(
  context: Context,
  input: Input,
  flags: InputFlags,
  notes: InputNotes,
): Rdd<[string, string]> {
  const options = given(
    flags,
    'separator',
    'comment',
    'columns',
    'header',
    'undirected',
    'escapes',
    'skipInvalid',
  );
  return context.edges(input, { ...options, onNotes: notes.add });
}

/** Warns of seeds that are in no pair of the input. Costs one more reading, and none without seeds. */
export async function warnOfUnknownSeeds(
  context: Context,
  input: Input,
  flags: InputFlags & { readonly from?: readonly string[] },
  status: StatusLine,
  signal: AbortSignal,
): Promise<void> {
  const { from = [] } = flags;
  if (from.length === 0) return;
  const seeds: Readonly<Record<string, true>> = Object.fromEntries(from.map((seed) => [seed, true as const]));
  const found = await readKnow(context, input, flags, new InputNotes())
    .flatMap((pair) => pair.filter((id) => Object.hasOwn(seeds, id)), { seeds })
    .distinct()
    .collect({ signal });
  const known = new Set(found);
  for (const seed of new Set(from)) {
    if (!known.has(seed)) status.notice(`warning: --from ${JSON.stringify(seed)} is not in the graph`);
  }
}
