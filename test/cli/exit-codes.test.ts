import { describe, expect, it } from 'vitest';
import { describeError, exitCodeOf, UsageError } from '../../src/cli/exit-codes.js';
import { InputError, LimitError, MemoryBudgetError, OptionError } from '../../src/errors.js';

describe('what a run ends with', () => {
  it.each([
    [new InputError('no such file'), 1],
    [new Error('a bug'), 1],
    ['thrown text', 1],
    [new OptionError('separator is "ab"'), 2],
    [new UsageError('out is the input'), 2],
    [new LimitError('too many', { limit: 'maxPairs' }), 3],
    [new LimitError('too long', { limit: 'deadline' }), 3],
    [new MemoryBudgetError('out of memory budget'), 3],
    [Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }), 0],
  ])('%s → %i', (error, code) => {
    expect(exitCodeOf(error)).toBe(code);
  });

  it('is told in one line, with what to do', () => {
    expect(describeError(new InputError('x.tsv does not exist'), false)).toBe(
      'rejoin: x.tsv does not exist\n',
    );
    expect(describeError(new LimitError('stopped at 5', { limit: 'maxPairs' }), false)).toContain(
      '--max-pairs',
    );
    expect(describeError(new TypeError('x is not a function'), false)).toMatch(/^rejoin: .*--debug.*\n$/);
  });

  it('shows stacks and causes for --debug only', () => {
    const error = new InputError('outer', {}, { cause: new Error('inner') });
    expect(describeError(error, false)).not.toMatch(/ at |inner/);
    expect(describeError(error, true)).toMatch(/InputError: outer\n +at [^]*caused by Error: inner\n +at /);
  });

  it('survives a cause that is its own cause', () => {
    const error = new Error('round');
    error.cause = error;
    expect(describeError(error, true).match(/Error: round/g)).toHaveLength(1);
  });
});
