import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import {
  append,
  given,
  parseColumns,
  parseComment,
  parseDeadline,
  parseFilter,
  parseMaxDepth,
  parseMemorySize,
  parsePartitions,
  parseRate,
  parseReport,
  parseSeparator,
  parseStrategy,
  parseThreads,
} from '../../src/cli/flags.js';

describe('values of options', () => {
  it.each([
    [parseThreads, '0', 0],
    [parseThreads, '12', 12],
    [parsePartitions, '1', 1],
    [parseMaxDepth, '3', 3],
    [parseRate, '0.01', 0.01],
    [parseRate, '1e-4', 1e-4],
    [parseDeadline, '0.5', 0.5],
  ])('%o takes %s', (parse, text, value) => {
    expect(parse(text)).toBe(value);
  });

  it.each([
    [parseThreads, '-1', /whole number from 0/],
    [parseThreads, 'two', /whole number from 0/],
    [parseThreads, '0x2', /whole number from 0/],
    [parseThreads, '', /whole number from 0/],
    [parseThreads, '1.5', /whole number from 0/],
    [parsePartitions, '0', /whole number from 1/],
    [parsePartitions, '99999', /whole number from 1 to 4096/],
    [parseMaxDepth, '0', /whole number from 1/],
    [parseRate, '0', /from 1e-9 to below 1/],
    [parseRate, '1', /from 1e-9 to below 1/],
    [parseDeadline, '0', /seconds above 0/],
    [parseDeadline, 'soon', /seconds above 0/],
    [parseMemorySize, '12 lightyears', /512MiB/],
    [parseMemorySize, '1k', /at least 1 MiB/],
    [parseColumns, '2', /two different column numbers/],
    [parseColumns, '0,1', /two different column numbers/],
    [parseColumns, '2,2', /two different column numbers/],
    [parseColumns, '2,x', /two different column numbers/],
    [parseColumns, '1,2,3', /two different column numbers/],
    [parseSeparator, 'commma', /Expected auto, .*; did you mean comma\?$/],
    [parseSeparator, 'foo', /line end\.$/],
    [parseComment, '##', /Expected none, or one character/],
    [parseStrategy, 'naiv', /Expected one of naive, .*; did you mean naive\?$/],
    [parseStrategy, 'fast', /Expected one of naive, semi-naive, look-ahead, .*, auto\.$/],
    [parseFilter, 'inter', /; did you mean intersection\?$/],
    [parseReport, 'jsno', /Expected one of table, json; did you mean json\?$/],
  ])('%o refuses %j and says what it takes', (parse, text, message) => {
    expect(() => parse(text)).toThrow(InvalidArgumentError);
    expect(() => parse(text)).toThrow(message);
  });

  it('keeps sizes as text, names the tab, and gathers what is repeated', () => {
    expect(parseMemorySize('512MiB')).toBe('512MiB');
    expect(parseSeparator('\\t')).toBe('tab');
    expect(parseSeparator('\t')).toBe('tab');
    expect(parseSeparator(';')).toBe(';');
    expect(parseColumns('2,3')).toEqual([2, 3]);
    expect(append('b', append('a'))).toEqual(['a', 'b']);
  });

  it('hands over only what was given', () => {
    const flags: { threads?: number; memory?: string; header?: boolean } = { threads: 0, header: true };
    expect(Object.keys(given(flags, 'threads', 'memory'))).toEqual(['threads']);
  });
});
