import { describe, expect, test } from 'vitest';
import { parseYamlValues } from '../../src/base/yaml-values.ts';

const problemsOf = (text: string) => parseYamlValues(text).flatMap(({ problems }) => problems);
const parsed = (text: string) => parseYamlValues(text)[0]?.value;

describe('anchors', () => {
  test('aliases and merge keys: are resolved', () => {
    expect(parsed('a: &a {x: 1}\nb: *a\nc: {<<: *a, y: 2}\nd: [&s text, *s]')).toEqual({
      a: { x: 1 },
      b: { x: 1 },
      c: { x: 1, y: 2 },
      d: ['text', 'text'],
    });
  });

  test('an anchor that is set again: applies to the aliases after it', () => {
    expect(parsed('[&a 1, *a, &a 2, *a]')).toEqual([1, 1, 2, 2]);
  });

  test.each([
    ['of a missing anchor', 'a: 1\nb: *none', 'line 2, column 4: refers to the anchor none'],
    [
      'before its anchor',
      'a: *x\nb: &x 1',
      "line 1, column 4: refers to the anchor x, which isn't set before it",
    ],
    ['inside its anchor', 'a: &x\n  - *x', 'line 2, column 5: refers to the anchor x, which contains it'],
    ['as a merge key that is no map', 'a: &x 1\n<<: *x', 'line 2, column 5: Merge sources must be maps'],
  ])('an alias %s: is a problem with its line', (_, text, problem) => {
    expect(problemsOf(text)).toEqual([expect.stringContaining(problem)]);
  });

  test('content that is repeated exponentially: is refused without expanding it', () => {
    const levels = Array.from(
      { length: 30 },
      (_, level) => `l${level + 1}: &l${level + 1} [${`*l${level},`.repeat(9)}]`,
    );
    expect(problemsOf(`l0: &l0 [x]\n${levels.join('\n')}`)).toEqual([
      expect.stringContaining('repeats the same content through anchors too often'),
    ]);
  });

  test('thousands of aliases of one anchor: are refused', () => {
    expect(problemsOf(`- &a x\n${'- *a\n'.repeat(50_000)}`)[0]).toContain('too often');
  });

  test('hundreds of aliases of one text: are resolved', () => {
    expect(parsed(`- &a x\n${'- *a\n'.repeat(900)}`)).toEqual(Array.from({ length: 901 }, () => 'x'));
  });
});

test.each([
  ['an unknown tag', 'a: !lookup x', 'line 1, column 4: Unresolved tag: !lookup'],
  ['a duplicate key', 'a: 1\na: 2', 'line 2, column 1: Map keys must be unique'],
  ['too many levels', `a: ${'['.repeat(100_000)}`, 'is nested too deep'],
])('%s: is a problem, and the library prints nothing', (_, text, problem) => {
  expect(problemsOf(text)).toEqual([expect.stringContaining(problem)]);
});

test('keys that are maps: are text, and the library prints nothing', () => {
  expect(parsed('? {a: 1}\n: 2')).toEqual({ '{ a: 1 }': 2 });
});
