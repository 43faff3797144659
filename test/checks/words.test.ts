/** The check for words in `npm run check`. */
import { expect, test } from 'vitest';
import { quaintWords } from '../../scripts/checks/words.ts';

// Built from parts, because the check also reads this file.
const lines = [`It is ${'to'}ld.`, `// ${'some'}body else`, `test('${'a'}new')`, `what ${'became'} of it`];

test.each(lines)('words: %s is reported with its line and a better word', (line) => {
  expect(quaintWords('src/new-part/a.ts', `first\n${line}\n`)).toEqual([
    expect.stringMatching(/^src\/new-part\/a\.ts:2: ".+": write .+\.$/),
  ]);
});

test.each([
  ['docs/reference/tags.md', 'it is generated'],
  ['package-lock.json', 'others wrote it'],
])('words: %s is not read: %s', (file) => {
  expect(quaintWords(file, lines.join('\n'))).toEqual([]);
});

test('words: a page of the reference that is written by hand is read', () => {
  expect(quaintWords('docs/reference/scripting.md', lines.join('\n'))).toHaveLength(lines.length);
});

test.each(['whose', 'an older build', 'rewritten', 'the house account'])('words: %s is allowed', (text) => {
  expect(quaintWords('src/new-part/a.ts', text)).toEqual([]);
});
