/**
 * Datasets that come from outside: rows of the driver, ranges of numbers, lines and edge lists of files. Each is a
 * procedure of the lineage: prepared when a job needs it (a missing file is found then), read by the tasks.
 */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { OptionError } from '../errors.js';
import { edgeListSettings, type EdgeListNotes, type EdgeListOptions } from '../io/edge-list.js';
import { statText, type TextLocation } from '../io/byte-source.js';
import { checkObject, checkPartitions } from '../options.js';
import type { Materialized, PlanNode, ProcedureScope } from '../plan/lineage.js';
import type { Source } from '../plan/pipeline.js';
import type { Session } from './session.js';

/** Text that is not in a file: what messages call it, and its bytes (UTF-8). */
export interface TextBytes {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Options of `edges`. */
export interface EdgesOptions extends EdgeListOptions {
  readonly partitions?: number;
  /** Told on the driver, once each time a partition was read, what was skipped or looks odd. */
  readonly onNotes?: (notes: EdgeListNotes) => void;
}

const SOURCE_TASKS = new URL('./source-tasks.js', import.meta.url).href;
/** Bytes of text that are about as much work as one tuple of a kernel. */
const BYTES_PER_WEIGHT = 16;

/** Rows of the driver, cut into equal slices. The array is copied now; rows themselves are not. */
export function parallelizeNode(session: Session, rows: readonly unknown[], partitions?: number): PlanNode {
  if (!Array.isArray(rows)) {
    throw new OptionError('parallelize: expected an array of rows; make one with Array.from(iterable)', {
      option: 'rows',
    });
  }
  const partitionCount = partitionsOf(session, partitions, 'parallelize');
  const copy: readonly unknown[] = rows.slice();
  return session.lineage.procedure('parallelize', {
    detail: `${copy.length} rows`,
    partitionCount,
    cacheAs: 'rows',
    materialize: (scope) => {
      const blocks = Array.from({ length: partitionCount }, (_, partition) => {
        const [start, end] = slice(copy.length, partition, partitionCount);
        const block = scope.writeRows(copy.slice(start, end));
        scope.keep({ ranges: [block.range] });
        return block;
      });
      return Promise.resolve({
        source: (partition): Source => ({ kind: 'blocks', blocks: blocks.slice(partition, partition + 1) }),
      });
    },
  });
}

/** The numbers start, start + step, … below `end` (above, if `step` is negative). */
export function rangeNode(
  session: Session,
  start: number,
  end: number,
  options: { readonly step?: number; readonly partitions?: number },
): PlanNode {
  checkObject(options, 'range: the third argument, { step, partitions }');
  const { step = 1 } = options;
  for (const [option, value] of Object.entries({ start, end, step })) {
    if (!Number.isSafeInteger(value) || (option === 'step' && value === 0)) {
      throw new OptionError(
        `range: ${option} is ${String(value)}; expected a whole number${option === 'step' ? ' other than 0' : ''}`,
        {
          option,
        },
      );
    }
  }
  const partitionCount = partitionsOf(session, options.partitions, 'range');
  const count = Math.max(0, Math.ceil((end - start) / step));
  return session.lineage.procedure('range', {
    detail: `${start} to ${end} by ${step}`,
    partitionCount,
    cacheAs: 'rows',
    materialize: () =>
      Promise.resolve({
        source: (partition): Source => {
          const [first, last] = slice(count, partition, partitionCount);
          const rowCount = last - first;
          const args = { start: start + first * step, step, count: rowCount };
          return {
            kind: 'module',
            url: SOURCE_TASKS,
            exportName: 'readRange',
            args,
            rowCount,
            weight: rowCount,
          };
        },
      }),
  });
}

/** The lines of a text file. */
export function textFileNode(session: Session, path: string | URL, partitions?: number): PlanNode {
  const partitionCount = partitionsOf(session, partitions, 'textFile');
  const file = pathOf(path, 'textFile');
  return session.lineage.procedure('textFile', {
    detail: file,
    partitionCount,
    cacheAs: 'rows',
    materialize: async () => {
      const location = await statText(file);
      return textSource(location, 'readLines', {}, partitionCount);
    },
  });
}

/** The pairs of an edge list. */
export function edgesNode(session: Session, text: string | URL | TextBytes, options: EdgesOptions): PlanNode {
  checkObject(options, 'edges');
  const { partitions, onNotes, ...list } = options;
  const settings = edgeListSettings(list);
  const partitionCount = partitionsOf(session, partitions, 'edges');
  const inMemory = Object(text) === text && 'bytes' in (text as object) ? (text as TextBytes) : undefined;
  if (
    inMemory !== undefined &&
    !(inMemory.bytes instanceof Uint8Array && typeof inMemory.name === 'string')
  ) {
    throw new OptionError(
      `edges: expected { name, bytes } with a text and a Uint8Array, got ${inspect(inMemory, { depth: 0 })}`,
      { option: 'bytes' },
    );
  }
  const file = inMemory === undefined ? pathOf(text as string | URL, 'edges') : inMemory.name;
  const node: PlanNode = session.lineage.procedure('edges', {
    detail: file,
    partitionCount,
    cacheAs: 'rows',
    materialize: async (scope) => {
      const location = inMemory === undefined ? await statText(file) : holdText(scope, inMemory);
      return textSource(location, 'readEdges', { settings }, partitionCount, node.id, onNotes);
    },
  });
  return node;
}

function textSource(
  location: TextLocation,
  exportName: string,
  args: Readonly<Record<string, unknown>>,
  partitionCount: number,
  noteTo?: number,
  onNotes?: (notes: EdgeListNotes) => void,
): Materialized {
  const sizeBytes = location.kind === 'file' ? location.sizeBytes : location.range.length;
  return {
    source: (partition): Source => ({
      kind: 'module',
      url: SOURCE_TASKS,
      exportName,
      args: { ...args, location, split: { partition, partitionCount } },
      weight: Math.ceil(sizeBytes / partitionCount / BYTES_PER_WEIGHT),
      ...(noteTo === undefined ? {} : { noteTo }),
    }),
    onNote: (note) => onNotes?.(note as EdgeListNotes),
  };
}

function holdText(scope: ProcedureScope, { name, bytes }: TextBytes): TextLocation {
  const range = scope.writeBytes(bytes);
  scope.keep({ ranges: [range] });
  return { kind: 'memory', name, range };
}

/** The rows of a slice: [first, end). */
function slice(count: number, partition: number, partitionCount: number): readonly [number, number] {
  return [
    Math.floor((count * partition) / partitionCount),
    Math.floor((count * (partition + 1)) / partitionCount),
  ];
}

function partitionsOf(session: Session, given: number | undefined, where: string): number {
  return given === undefined ? session.engine.settings.partitions : checkPartitions(given, where);
}

function pathOf(path: string | URL, where: string): string {
  if (path instanceof URL) return fileURLToPath(path);
  if (typeof path === 'string' && path !== '') return resolve(path);
  throw new OptionError(`${where}: expected the path of a file, got ${inspect(path)}`, { option: 'path' });
}
