/** Copies the sources of the checkout into a folder, for tests that change them. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Copies the files that git tracks or would track, links the libraries and makes a git repository, which checks need. */
export function copyCheckout(target: string): void {
  for (const file of filesIn('.')) {
    mkdirSync(dirname(join(target, file)), { recursive: true });
    cpSync(file, join(target, file));
  }
  symlinkSync(resolve('node_modules'), join(target, 'node_modules'));
  git(target, 'init', '--quiet');
}

function filesIn(folder: string): string[] {
  const files = git(folder, 'ls-files', '--cached', '--others', '--exclude-standard').split('\n');
  return files.filter((file) => file !== '' && existsSync(join(folder, file)));
}

function git(folder: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8' });
}

/** Follows docs/guides/add-a-resource.md: adds its file and its lines to the index. Returns the changed files. */
export function followGuide(checkout: string): string[] {
  const guide = readFileSync('docs/guides/add-a-resource.md', 'utf8');
  const [, file = ''] = /Create `(src\/api\/resources\/[\w-]+\.ts)`/.exec(guide) ?? [];
  const [, declaration = ''] = /```ts\n(.*?)```/s.exec(guide) ?? [];
  writeFileSync(join(checkout, file), declaration);
  const [, indexFile = ''] = /an entry in the list in `([^`]+)`/.exec(guide) ?? [];
  let text = readFileSync(join(checkout, indexFile), 'utf8');
  for (const [, precedingLine = '', addedLine = ''] of guide.matchAll(/```diff\n (.*\n)\+(.*\n)```/g)) {
    if (!text.includes(`\n${precedingLine}`)) throw new Error(`${indexFile} has no line ${precedingLine}`);
    text = text.replace(`\n${precedingLine}`, `\n${precedingLine}${addedLine}`);
  }
  writeFileSync(join(checkout, indexFile), text);
  return [file, indexFile];
}
