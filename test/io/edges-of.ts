/** Reads edge lists the way tasks do, for the tests of this folder: from memory or a file, split by split. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TextLocation } from '../../src/io/byte-source.js';
import {
  edgeBatches,
  edgeListSettings,
  type EdgeListNotes,
  type EdgeListOptions,
} from '../../src/io/edge-list.js';
import { MemoryViews } from '../../src/memory/memory-views.js';

export const views = new MemoryViews();
const PAGE_BYTES = 65_536;
const { Memory } = (
  globalThis as unknown as {
    WebAssembly: {
      Memory: new (limits: { initial: number; maximum: number; shared: true }) => {
        buffer: SharedArrayBuffer;
        grow(pages: number): number;
      };
    };
  }
).WebAssembly;

/** A text in shared memory, as standard input is held; `name` in messages is `test`. */
export function inMemory(text: string | Uint8Array): TextLocation {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const pages = Math.ceil(bytes.length / PAGE_BYTES) + 1;
  const memory = new Memory({ initial: pages, maximum: pages, shared: true });
  new Uint8Array(memory.buffer).set(bytes, 64);
  views.add(1, memory);
  return { kind: 'memory', name: 'test', range: { arenaId: 1, offset: 64, length: bytes.length } };
}

export function inFile(folder: string, text: string | Uint8Array): TextLocation {
  const path = join(folder, 'edges.txt');
  writeFileSync(path, text);
  return { kind: 'file', path, sizeBytes: Buffer.byteLength(text) };
}

export interface ReadEdges {
  readonly rows: (readonly [string | number, string | number])[];
  /** One for each partition. */
  readonly notes: EdgeListNotes[];
}

/** All splits, one after the other. */
export function readEdges(
  location: TextLocation,
  options: EdgeListOptions = {},
  partitionCount = 1,
): ReadEdges {
  const settings = edgeListSettings(options);
  const rows: (readonly [string | number, string | number])[] = [];
  const notes: EdgeListNotes[] = [];
  for (let partition = 0; partition < partitionCount; partition++) {
    const batches = edgeBatches(location, settings, { partition, partitionCount }, views);
    let next = batches.next();
    for (; next.done !== true; next = batches.next()) for (const row of next.value) rows.push(row);
    notes.push(next.value);
  }
  return { rows, notes };
}

export function edgesOf(
  text: string | Uint8Array,
  options: EdgeListOptions = {},
  partitionCount = 1,
): ReadEdges['rows'] {
  return readEdges(inMemory(text), options, partitionCount).rows;
}

/** What `action` throws. */
export function thrown(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
