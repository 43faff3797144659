/** The check for doc comments in `npm run check`. */
import { expect, test } from 'vitest';
import { undocumentedExports } from '../../scripts/checks/doc-comments.ts';

test.each([
  'export const limit = 3;',
  'export async function* rows() {}',
  'export abstract class Table {}',
  'export default class Table {}',
  'export type Id = string;',
])('doc comments: %s is reported without one, and only in src', (line) => {
  expect(undocumentedExports('src/a.ts', `/** A file. */\n\n${line}\n`)).toEqual([
    expect.stringMatching(/^src\/a\.ts:3: \w+ has no doc comment\.$/),
  ]);
  expect(undocumentedExports('src/a.ts', `/** Documents it. */\n${line}\n`)).toEqual([]);
  expect(undocumentedExports('test/a.ts', `${line}\n`)).toEqual([]);
});

test('doc comments: the second overload of a function needs none', () => {
  const overloads = '/** Reads. */\nexport function read(a: 1): 1;\nexport function read(a: 2): 2;\n';
  expect(undocumentedExports('src/a.ts', overloads)).toEqual([]);
});
