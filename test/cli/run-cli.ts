/**
 * Runs the built command as its users do: in a process of its own. Every run must end by itself; one that does not is
 * killed and fails the test that started it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CLI_FILE = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** Milliseconds: several times what the slowest run here takes on a busy machine. */
const TIMEOUT_MS = 30_000;

export interface CliRun {
  /** Null: ended by a signal that nobody handled. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliSettings {
  /** Bytes for standard input; it is empty without, and stays open for null. */
  readonly input?: string | Uint8Array | null;
  /** Called with the running process, for signals and closed pipes. */
  readonly onStart?: (child: ChildProcess) => Promise<void>;
}

/** `rejoin …words`. Rejects if the process has not ended within the time limit. */
export function runCli(words: readonly string[], settings: CliSettings = {}): Promise<CliRun> {
  return runProcess(process.execPath, [CLI_FILE, ...words], settings);
}

/** A line of shell in which `$REJOIN` stands for the command; for pipes. */
export function runShell(line: string, settings: CliSettings = {}): Promise<CliRun> {
  return runProcess(
    '/bin/sh',
    ['-c', line.replaceAll('$REJOIN', `"${process.execPath}" "${CLI_FILE}"`)],
    settings,
  );
}

/** Any program, with the same promise that it ends. */
export function runProcess(
  file: string,
  words: readonly string[],
  settings: CliSettings = {},
): Promise<CliRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, words, { stdio: ['pipe', 'pipe', 'pipe'] });
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(
        new Error(
          `${words.join(' ')} did not end within ${TIMEOUT_MS} ms; stderr: ${Buffer.concat(stderr).toString()}`,
        ),
      );
    }, TIMEOUT_MS);
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    // A command that fails before it reads its input closes the pipe; the test looks at its exit code.
    child.stdin.on('error', () => undefined);
    if (settings.input !== null) child.stdin.end(settings.input);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() });
    });
    settings.onStart?.(child).catch(reject);
  });
}

/** A folder for one test file's inputs and outputs. */
export class Workspace {
  private constructor(readonly folder: string) {}

  static async create(): Promise<Workspace> {
    return new Workspace(await mkdtemp(join(tmpdir(), 'rejoin-cli-')));
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Writes a file. Returns its path. */
  async file(name: string, content: string | Uint8Array): Promise<string> {
    await writeFile(this.path(name), content);
    return this.path(name);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The rows of a TSV text, sorted, so that partitions do not matter. */
export function sortedLines(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}

/** `a → b → c → …`, `length` vertices v0, v1, …: length(length − 1)/2 pairs. */
export function chain(length: number): string {
  return Array.from({ length: length - 1 }, (_, i) => `v${i}\tv${i + 1}\n`).join('');
}
