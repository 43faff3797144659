/** The check of file names in `npm run check`: names that Windows or macOS can't check out. */
import { expect, test } from 'vitest';
import { fileNameProblems } from '../../scripts/checks/file-names.ts';

test.each([
  ':memory:-hold',
  'docs/what?.md',
  'a*b',
  'a"b',
  'a<b',
  'a>b',
  'a|b',
  'a\\b',
  'a\nb',
  'trailing.',
  'folder /file.ts',
  'con',
  'src/aux.ts',
  'NUL.tar.gz',
  'com1',
  'lpt9.txt/file',
])("file names: %j is reported, as Windows can't check it out", (path) => {
  expect(fileNameProblems(['README.md', path])).toEqual([expect.stringContaining(path)]);
});

test('file names: two that differ only in case are reported, also folders', () => {
  expect(fileNameProblems(['docs/Guide.md', 'docs/guide.md', 'src/a.ts', 'Src/b.ts'])).toEqual([
    'docs/guide.md and docs/Guide.md are the same file on Windows and macOS.',
    'Src and src are the same file on Windows and macOS.',
  ]);
});

test('file names: ordinary ones, dot files and device-like words are not reported', () => {
  const ordinary = [
    '.gitignore',
    '.ci/run',
    'src/console.ts',
    'auxiliary.md',
    'com.ts',
    'a b.txt',
    'src/a.ts',
    'src/b.ts',
  ];
  expect(fileNameProblems(ordinary)).toEqual([]);
});
