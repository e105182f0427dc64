/** The dialects of edge lists, one a row; what is malformed, with its line number, in whichever split it is. */
import { describe, expect, it } from 'vitest';
import { InputError, OptionError } from '../../src/errors.js';
import { edgeListSettings, type EdgeListOptions } from '../../src/io/edge-list.js';
import { edgesOf, inMemory, readEdges, thrown } from './edges-of.js';

type Pairs = readonly (readonly [string | number, string | number])[];

const dialects: readonly (readonly [string, string, EdgeListOptions, Pairs])[] = [
  [
    'tabs',
    'a\tb\nc\td\n',
    {},
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  [
    'CRLF',
    'a\tb\r\nc\td\r\n',
    {},
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  [
    'mixed line ends',
    'a\tb\r\nc\td\ne\tf',
    {},
    [
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'f'],
    ],
  ],
  [
    'no newline at the end',
    'a b\nc d',
    {},
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  [
    'a carriage return at the end of the text',
    'a b\nc d\r',
    {},
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  [
    'runs of spaces, around too',
    '  a   b \n\t c \t d\t\r\n',
    { separator: 'space' },
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  ['spaces detected in spite of an indenting tab', '\ta  b\n', {}, [['a', 'b']]],
  [
    'commas',
    'a,b\nc,d\n',
    {},
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  [
    'quoted separators and quotes',
    '"a,1","b ""x"""\n"c",d\n',
    {},
    [
      ['a,1', 'b "x"'],
      ['c', 'd'],
    ],
  ],
  [
    'quoted newlines',
    '"a\nb",c\r\nd,"e\r\n\nf"\r\ng,h',
    {},
    [
      ['a\nb', 'c'],
      ['d', 'e\r\n\nf'],
      ['g', 'h'],
    ],
  ],
  ['comment signs and blank lines inside quotes', '"a\n#b\n\n%c",d\n', {}, [['a\n#b\n\n%c', 'd']]],
  [
    'semicolons, quoted',
    'a;b\n"c;d";e',
    { separator: ';' },
    [
      ['a', 'b'],
      ['c;d', 'e'],
    ],
  ],
  ['bars, unquoted', '"a"|b\n', { separator: '|' }, [['"a"', 'b']]],
  ['quotes between tabs are ids', '"a"\t"b\n', {}, [['"a"', '"b']]],
  ['a tab wins over a comma', 'a,b\tc\n', {}, [['a,b', 'c']]],
  ['a comma wins over a space', 'a b,c\n', {}, [['a b', 'c']]],
  ['spaces inside ids between tabs', 'a b\t c \n', {}, [['a b', ' c ']]],
  [
    'ids of spaces between tabs',
    'a\tb\n \t  \n',
    {},
    [
      ['a', 'b'],
      [' ', '  '],
    ],
  ],
  [
    'ids as they stand',
    '007\t7\n7\t7.0\n',
    {},
    [
      ['007', '7'],
      ['7', '7.0'],
    ],
  ],
  [
    'any UTF-8',
    'é\t日本\n😀\tß\n',
    {},
    [
      ['é', '日本'],
      ['😀', 'ß'],
    ],
  ],
  ['comments and blank lines', '# x\n\n% y z\n  \n\t\n  # w\na b\n#\n', {}, [['a', 'b']]],
  [
    'blank lines of tabs in a file with tabs',
    'a\tb\n\t\n\t\t\r\nc\td',
    {},
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  ['another comment character', '// x\n#a\tb\n', { comment: '/' }, [['#a', 'b']]],
  [
    'no comments',
    '#a\tb\n%c\td',
    { comment: 'none' },
    [
      ['#a', 'b'],
      ['%c', 'd'],
    ],
  ],
  ['a separator that is a default comment character', 'a#b\n%c\n', { separator: '#' }, [['a', 'b']]],
  ['a byte-order mark', '\uFEFFa\tb\n', {}, [['a', 'b']]],
  ['a byte-order mark before a comment', '\uFEFF# x\na\tb\n', {}, [['a', 'b']]],
  [
    'a byte-order mark elsewhere is text',
    'a\tb\n\uFEFFc\td\n',
    {},
    [
      ['a', 'b'],
      ['\uFEFFc', 'd'],
    ],
  ],
  ['a header', '# x\n\nfrom\tto\na\tb', { header: true }, [['a', 'b']]],
  [
    'a header after a line of spaces, which is blank',
    ' \t  \nfrom\tto\na\tb\n',
    { header: true },
    [['a', 'b']],
  ],
  ['nothing but ids of spaces', ' \t  \n', { separator: 'tab' }, [[' ', '  ']]],
  ['a quoted header', '"from\nhere",to\na,b', { header: true }, [['a', 'b']]],
  [
    'chosen columns',
    '1 a b 9\n2 c d 9',
    { columns: [2, 3] },
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  [
    'columns in reverse',
    '1,a,"b"\n2,c,d',
    { columns: [3, 1] },
    [
      ['b', '1'],
      ['d', '2'],
    ],
  ],
  [
    'both directions',
    'a b\nc c',
    { undirected: true },
    [
      ['a', 'b'],
      ['b', 'a'],
      ['c', 'c'],
      ['c', 'c'],
    ],
  ],
  [
    'numbers',
    '1 -7\n007 2.5e3\n-0 1e-2\n',
    { numeric: true },
    [
      [1, -7],
      [7, 2500],
      [0, 0.01],
    ],
  ],
  [
    'padded numbers between commas',
    '1, 2\n 3 ,4\n',
    { numeric: true },
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ['backslashes as they stand', 'a\\tb\tc\\\\\n', {}, [['a\\tb', 'c\\\\']]],
  [
    'escapes',
    'a\\tb\tc\\\\t\n\\n\t\\r\\\\\\\\\n',
    { escapes: true },
    [
      ['a\tb', 'c\\t'],
      ['\n', '\r\\\\'],
    ],
  ],
  ['backslashes where commas were detected', 'a\\tb,c\\\n', { escapes: true }, [['a\\tb', 'c\\']]],
  ['nothing', '', {}, []],
  ['only a byte-order mark', '\uFEFF', {}, []],
  ['only comments', '# a\n\n% b', { header: true }, []],
];

describe('dialects', () => {
  it.each(dialects)('%s', (_, text, options, expected) => {
    for (const partitionCount of [1, 2, 3, 7, 40]) {
      expect(edgesOf(text, options, partitionCount)).toEqual(expected);
    }
  });

  it('reads -0 as 0', () => {
    expect(Object.is(edgesOf('-0 1', { numeric: true })[0]?.[0], 0)).toBe(true);
  });

  it('reads ids longer than a chunk, each once', () => {
    const long = 'x'.repeat(2_500_000);
    expect(edgesOf(`a\tb\n${long}\t${long}y\nc\td`, {}, 5)).toEqual([
      ['a', 'b'],
      [long, `${long}y`],
      ['c', 'd'],
    ]);
  });
});

const FILLER = 'a\tb\r\n'.repeat(5000);
const NUMBERS = '1 2\n'.repeat(5000);
const malformed: readonly (readonly [string, string, EdgeListOptions, number, string])[] = [
  [
    'one column',
    `${FILLER}c\r\n${FILLER}`,
    {},
    5001,
    'expected at least 2 columns separated by tabs, found 1; the line is "c";',
  ],
  ['an empty id', `${FILLER}\n\n\tc\n`, {}, 5003, 'column 1 is empty; expected an id; the line is "\\tc"'],
  ['an empty last id', `${FILLER}c\t`, {}, 5001, 'column 2 is empty'],
  [
    'too few for the chosen columns',
    'a b c\n# x\na b',
    { columns: [2, 3] },
    3,
    'at least 3 columns separated by spaces, found 2',
  ],
  ['a long line', `a b\n${'c'.repeat(5000)}`, {}, 2, `the line is "${'c'.repeat(80)}"…`],
  [
    'text for a number',
    `${NUMBERS}1 x`,
    { numeric: true },
    5001,
    'column 2 is "x"; expected a decimal number such as',
  ],
  ['an unknown escape', `${FILLER}a\\x\tb`, { escapes: true }, 5001, 'column 1 has a backslash'],
  ['an escape cut off', `a\\\tb`, { escapes: true }, 1, 'column 1 has a backslash'],
  ['an unclosed quote', 'a,b\n"c,d\ne,f\n', {}, 2, 'is not closed'],
  ['a quote inside a field', 'a,b\n\n"x\ny",z\nc,d"e"\n', {}, 5, 'a quote (") is inside a field'],
  ['a quoted field after a space', 'a, "b"\n', {}, 1, 'a quote (") is inside a field'],
  ['text after a closing quote', '"x\ny"z,b\n', {}, 1, 'after its closing quote'],
];

describe('malformed lines', () => {
  it.each(malformed)('%s', (_, text, options, line, message) => {
    for (const partitionCount of [1, 2, 3, 8]) {
      const error = thrown(() => edgesOf(text, options, partitionCount));
      expect(error).toBeInstanceOf(InputError);
      expect(error).toMatchObject({ details: { file: 'test', line } });
      expect((error as Error).message).toContain(`test:${line}: `);
      expect((error as Error).message).toContain(message);
    }
  });

  it.each([
    '0x10',
    '1_000',
    '+1',
    '1.',
    '.5',
    'NaN',
    'Infinity',
    '1e999',
    '9007199254740993',
    '1e',
    '--1',
    '１',
  ])('%s is no number', (text) => {
    expect(() => edgesOf(`${text}\t1`, { numeric: true })).toThrow('expected a decimal number');
  });

  it('are counted and skipped if asked', () => {
    const text = `${FILLER}bad\n${FILLER}\tworse\n${FILLER}`;
    for (const partitionCount of [1, 2, 8]) {
      const { rows, notes } = readEdges(inMemory(text), { skipInvalid: true }, partitionCount);
      expect(rows).toHaveLength(15_000);
      expect(notes.reduce((sum, { skipped }) => sum + skipped, 0)).toBe(2);
      expect(Math.min(...notes.map(({ firstSkippedLine }) => firstSkippedLine ?? Infinity))).toBe(5001);
    }
  });

  it('cost only their first line if a quote is not closed', () => {
    const { rows, notes } = readEdges(inMemory('a,b\n"c,d\ne,f\ng,"h\n"'), { skipInvalid: true });
    expect(rows).toEqual([
      ['a', 'b'],
      ['e', 'f'],
      ['g', 'h\n'],
    ]);
    expect(notes).toEqual([{ skipped: 1, firstSkippedLine: 2, extraColumns: undefined }]);
  });

  it('end an unclosed quote after a mebibyte', () => {
    const text = `a,b\n"c,d\n${'e,f\n'.repeat(600_000)}`;
    expect(readEdges(inMemory(text), { skipInvalid: true }).rows).toHaveLength(600_001);
  });
});

describe('bytes that are not UTF-8', () => {
  const bytes = Buffer.concat([
    Buffer.from(`é\tb\n${FILLER}`),
    Buffer.from([0xff, 0x09, 0x62, 0x0a]),
    Buffer.from('c\td'),
  ]);

  it('are an error with their line', () => {
    for (const partitionCount of [1, 4]) {
      expect(() => edgesOf(bytes, {}, partitionCount)).toThrow('test:5002: this line is not UTF-8; convert');
    }
  });

  it('are skipped if asked, a header too', () => {
    expect(readEdges(inMemory(bytes), { skipInvalid: true }, 3).rows).toHaveLength(5002);
    const header = Buffer.concat([Buffer.from([0xff, 0x0a]), Buffer.from('a,x\tb\n')]);
    expect(edgesOf(header, { skipInvalid: true, header: true })).toEqual([['a,x', 'b']]);
  });

  it('are skipped in linear time', () => {
    const latin1 = Buffer.from('\xe9t\xe9 x\n'.repeat(200_000), 'latin1');
    const { rows, notes } = readEdges(inMemory(Buffer.concat([latin1, Buffer.from('a b\n')])), {
      skipInvalid: true,
    });
    expect(rows).toEqual([['a', 'b']]);
    expect(notes).toEqual([{ skipped: 200_000, firstSkippedLine: 1, extraColumns: undefined }]);
  });

  it('are explained if the format is known', () => {
    expect(() => edgesOf(Buffer.from([0x1f, 0x8b, 8, 0]))).toThrow('compressed with gzip');
    expect(() => edgesOf(Buffer.from('\uFEFFa b\n', 'utf16le'))).toThrow('UTF-16');
  });
});

describe('notes', () => {
  it('tell of columns that are left out, the same in every split', () => {
    const { notes } = readEdges(inMemory(`# x\n${'a b 3\n'.repeat(5000)}`), {}, 4);
    expect(notes.map(({ extraColumns }) => extraColumns)).toEqual(Array(4).fill({ line: 2, columns: 3 }));
  });

  it('find a later line with more columns', () => {
    for (const [text, line] of [
      [`${FILLER}a\tb\tc\td\n`, 5001],
      ['a,b\n"x\ny",z\na,b,c,d\n', 4],
    ] as const) {
      const { notes } = readEdges(inMemory(text), {}, 3);
      expect(notes.filter(({ extraColumns }) => extraColumns !== undefined)).toEqual([
        { skipped: 0, firstSkippedLine: undefined, extraColumns: { line, columns: 4 } },
      ]);
    }
  });

  it('do not mention chosen columns or a trailing separator', () => {
    expect(readEdges(inMemory('a b c'), { columns: [1, 2] }).notes[0]?.extraColumns).toBeUndefined();
    expect(readEdges(inMemory('a\tb\t\r\nc\td\t\n')).notes[0]?.extraColumns).toBeUndefined();
  });
});

describe('options', () => {
  it.each([
    [{ separator: 'semicolon' }, 'edges: separator is "semicolon"; expected auto, tab, comma, space, or one'],
    [{ separator: '"' }, 'separator is "\\""'],
    [{ separator: '' }, 'separator is ""'],
    [{ comment: '##' }, 'edges: comment is "##"; expected none, or one character'],
    [{ comment: ';', separator: ';' }, 'both the comment character and the separator'],
    [{ columns: [0, 1] }, 'edges: columns is [0,1]; expected two different columns'],
    [{ columns: [2, 2] }, 'columns is [2,2]'],
    [{ columns: [1] }, 'columns is [1]'],
    [{ header: 'yes' }, 'edges: header is "yes"; expected true or false'],
    [{ escapes: true, separator: 'comma' }, 'escapes does not go with separator comma'],
    [{ colums: [1, 2] }, 'edges: unknown option colums; there are separator, comment, columns'],
    [null, 'edges: expected an object of options, got null'],
  ])('%j', (options, message) => {
    const error = thrown(() => edgeListSettings(options as EdgeListOptions));
    expect(error).toBeInstanceOf(OptionError);
    expect((error as Error).message).toContain(message);
  });

  it('are complete, frozen and plain once filled in', () => {
    const settings = edgeListSettings({ separator: 'tab' });
    expect(settings).toMatchObject({ separator: '\t', comment: '#%', columns: [1, 2], numeric: false });
    expect(Object.isFrozen(settings)).toBe(true);
    expect(structuredClone(settings)).toEqual(settings);
  });
});
