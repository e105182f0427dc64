import { readFile } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import {
  isPermittedGlobal,
  LANGUAGE_GLOBALS,
  NODE_GLOBALS,
  refusalReason,
} from '../../../src/exec/function/permitted-globals.js';

const all: readonly string[] = [...LANGUAGE_GLOBALS, ...NODE_GLOBALS];

describe('permitted globals', () => {
  it('are those that docs/functions.md lists', async () => {
    const text = await readFile(new URL('../../../docs/functions.md', import.meta.url), 'utf8');
    const section = /<!-- permitted globals -->(.*?)<!-- end -->/s.exec(text)?.[1] ?? '';
    const listed = [...section.matchAll(/`([^`]+)`/g)].map((match) => match[1]);
    expect(listed.sort()).toEqual([...all].sort());
  });

  it('exist on a worker thread', async () => {
    const worker = new Worker(
      `const { parentPort, workerData } = require('node:worker_threads');
       parentPort.postMessage(workerData.filter((name) => !(name in globalThis)));`,
      { eval: true, workerData: all },
    );
    const missing = await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
    await worker.terminate();
    expect(missing).toEqual([]);
  });

  it('have no reason against them, and others have one', () => {
    expect(all.filter((name) => !isPermittedGlobal(name))).toEqual([]);
    expect(
      ['eval', 'globalThis', 'require', 'setTimeout', 'WebAssembly'].filter(
        (name) => refusalReason(name) === undefined,
      ),
    ).toEqual([]);
    expect(refusalReason('person')).toBeUndefined();
    expect(isPermittedGlobal('toString')).toBe(false);
  });
});
