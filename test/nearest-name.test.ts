import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearestName } from '../src/nearest-name.js';

describe('nearestName', () => {
  it.each<[given: string, candidates: string[], nearest: string | undefined]>([
    ['preson', ['person', 'reason', 'prison'], 'person'],
    ['lable', ['label', 'table'], 'label'],
    ['Factor', ['factor', 'factory'], 'factor'],
    ['k', ['j'], 'j'],
    ['inter', ['none', 'intersection'], 'intersection'],
    ['i', ['intersection'], undefined],
    ['alpha', ['omega'], undefined],
    ['x', [], undefined],
    ['', ['ab'], undefined],
  ])('%s among %j is %s', (given, candidates, nearest) => {
    expect(nearestName(given, candidates)).toBe(nearest);
  });

  it('finds a name after any one edit', () => {
    const name = fc.stringMatching(/^[a-z]{4,10}$/);
    fc.assert(
      fc.property(
        name,
        fc.nat(),
        fc.constantFrom('insert', 'delete', 'replace', 'swap'),
        (original, at, edit) => {
          const i = at % (original.length - 1);
          const [before, a = '', b = '', after] = [
            original.slice(0, i),
            original[i],
            original[i + 1],
            original.slice(i + 2),
          ];
          const edited = { insert: `${a}_${b}`, delete: b, replace: `_${b}`, swap: `${b}${a}` }[edit];
          expect(nearestName(before + edited + after, ['ZZZZZZZZZZZZZZ', original])).toBe(original);
        },
      ),
    );
  });
});
