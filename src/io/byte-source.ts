/**
 * Where text lies, as plain data (`TextLocation`), and random access to its bytes (`ByteSource`): a file, or a range of
 * the arenas for what was piped in. The driver looks at a file once (`statText`); each task opens it for itself.
 *
 * Hazard: a file may change between the two. One that got shorter is an error, never a silently shorter relation; what
 * was appended after the look is not read.
 */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { InputError } from '../errors.js';
import type { MemoryViews } from '../memory/memory-views.js';
import type { Range } from '../memory/range.js';

/** Text that tasks can read; structured-clonable. */
export type TextLocation =
  | { readonly kind: 'file'; readonly path: string; readonly sizeBytes: number }
  | { readonly kind: 'memory'; readonly name: string; readonly range: Range };

/** Random access to the bytes of a text. */
export interface ByteSource {
  /** What messages call it: the path, or the name that was given. */
  readonly name: string;
  readonly sizeBytes: number;
  /**
   * The `length` bytes at `offset`, both within the source: a fresh buffer, never shared memory.
   * @throws InputError if the file has become shorter, or cannot be read.
   */
  read(offset: number, length: number): Buffer;
  /** Must be called once. */
  close(): void;
}

/**
 * Looks at a file that tasks are to read, on the driver.
 * @throws InputError if it is missing, a directory, not readable, or not a regular file.
 */
export async function statText(path: string): Promise<TextLocation> {
  try {
    const found = await stat(path);
    if (found.isDirectory()) {
      throw new InputError(`${path} is a directory; give the path of one text file in it`, { file: path });
    }
    if (!found.isFile()) {
      throw new InputError(
        `${path} is a pipe or a device, which cannot be read in parts; pass its content through standard input ` +
          '(file name -), or write it to a file first',
        { file: path },
      );
    }
    await access(path, constants.R_OK);
    return { kind: 'file', path, sizeBytes: found.size };
  } catch (error) {
    throw fileError(error, path, 'read');
  }
}

/** Opens a text in the thread that reads it. @throws InputError if the file cannot be opened. */
export function openBytes(location: TextLocation, views: MemoryViews): ByteSource {
  return location.kind === 'memory'
    ? openRange(location.name, location.range, views)
    : openFile(location.path, location.sizeBytes);
}

function openRange(name: string, range: Range, views: MemoryViews): ByteSource {
  return {
    name,
    sizeBytes: range.length,
    // The view is fetched at each read, since memory may have grown meanwhile; a copy, since decoders refuse shared memory.
    read: (offset, length) => Buffer.from(views.bytes(range).subarray(offset, offset + length)),
    close: () => undefined,
  };
}

function openFile(path: string, sizeBytes: number): ByteSource {
  const descriptor = attempt(path, () => openSync(path, 'r'));
  return {
    name: path,
    sizeBytes,
    read: (offset, length) => {
      const bytes = Buffer.allocUnsafe(length);
      let filled = 0;
      while (filled < length) {
        const from = filled;
        const count = attempt(path, () => readSync(descriptor, bytes, from, length - from, offset + from));
        if (count === 0) {
          throw new InputError(
            `${path} ended at byte ${offset + filled}, but had ${sizeBytes} bytes when the job began: it was changed ` +
              'while it was read; run again when it is complete',
            { file: path },
          );
        }
        filled += count;
      }
      return bytes;
    },
    close: () => {
      closeSync(descriptor);
    },
  };
}

function attempt<T>(path: string, operation: () => T): T {
  try {
    return operation();
  } catch (error) {
    throw fileError(error, path, 'read');
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist; check the path',
  ENOTDIR: 'a part of its path is a file, not a directory; check the path',
  EISDIR: 'it is a directory; give the path of a file',
  EACCES: 'permission is denied; check the rights on it and on its directory',
  EPERM: 'permission is denied; check the rights on it and on its directory',
  EROFS: 'its file system is read-only; choose another place',
  ELOOP: 'it is a symbolic link that leads to itself',
  ENAMETOOLONG: 'its name is too long',
  EMFILE: 'this process has too many files open',
  ENOSPC: 'the disk is full',
};

/** An error of the file system → an `InputError` that says which file, and what to do; other errors as they are. */
export function fileError(error: unknown, path: string, deed: 'read' | 'write'): unknown {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return error;
  const code = String(error.code);
  const reason = REASONS[code] ?? error.message;
  return new InputError(
    `cannot ${deed} ${path}: ${reason}`,
    { file: path, systemCode: code },
    { cause: error },
  );
}
