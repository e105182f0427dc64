/** Imports that never end; what a module's function must be is tested with the cache. */
import { describe, expect, it } from 'vitest';
import { FunctionError } from '../../../src/errors.js';
import { importFunction } from '../../../src/exec/function/import-function.js';

const url = new URL('./fixtures/endless.js', import.meta.url).href;
const endless = { kind: 'module', id: 'x', url, exportName: 'label', operation: 'map' } as const;
const message =
  /endless\.js cannot be imported: its top level does not finish\. .* move the function into a module/s;

describe('a module whose top level does not finish', () => {
  it('is given up after a time', async () => {
    await expect(importFunction(endless, 20)).rejects.toThrow(FunctionError);
    await expect(importFunction(endless, 20)).rejects.toThrow(message);
  });

  it('is given up when nothing else is left to run', async () => {
    const before = process.listenerCount('beforeExit');
    const importing = importFunction(endless);
    expect(process.listenerCount('beforeExit')).toBe(before + 1);
    process.emit('beforeExit', 0);
    await expect(importing).rejects.toThrow(message);
    expect(process.listenerCount('beforeExit')).toBe(before);
  });
});
