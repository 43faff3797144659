/** Checks that the quick tests and the slow tests together are all tests, and that no test is in both. */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8'));

/** Returns the test files that an npm script runs. A file that it runs twice is listed twice. */
function filesOf(script: string, env: Record<string, string> = {}): string[] {
  const [command, ...words] = scripts[script].replace('vitest run', 'vitest list').split(' ');
  const listed = execFileSync(
    process.execPath,
    [resolve(root, `node_modules/${command}/${command}.mjs`), ...words, '--filesOnly', '--json'],
    { cwd: root, encoding: 'utf8', env: { PATH: process.env.PATH, ...env } },
  );
  return (JSON.parse(listed) as { file: string }[]).map(({ file }) => relative(root, file)).sort();
}

const tests = globSync('test/**/*.test.ts', { cwd: root }).sort();
const isSoakTest = (file: string) => file.startsWith('test/soak/');

test('test files: each is either quick or slow, and CI runs both', () => {
  const allFiles = filesOf('test:all');
  expect(allFiles).toEqual(tests.filter((file) => !isSoakTest(file)));
  expect([...filesOf('test'), ...filesOf('test:slow')].sort()).toEqual(allFiles);
  const lines = readFileSync(resolve(root, '.ci/run'), 'utf8').split('\n');
  const runs = lines.filter((line) => /^\s+(npm|npx|vitest) .*(test|vitest|cit)/.test(line));
  expect(runs.map((line) => line.trim())).toEqual(['npm cit', 'npm run test:slow']);
});

/** Returns the modules that a file imports; those of the checkout by path. */
function importsOf(file: string): string[] {
  const text = readFileSync(resolve(root, file), 'utf8');
  return [...text.matchAll(/ from '([^']+)';$/gm)].map(([, module = '']) =>
    module.startsWith('.') ? relative(root, resolve(root, dirname(file), module)) : module,
  );
}

test('quick tests: start no programs, and no threads that read workbooks', () => {
  const starts = (module: string) => module === 'node:child_process';
  // This module starts a program once for all tests.
  const allowedHarness = 'test/harness/demo-business.ts';
  const starters = globSync('test/harness/**/*.ts', { cwd: root }).filter(
    (file) => file !== allowedHarness && importsOf(file).some(starts),
  );
  expect(starters.length).toBeGreaterThan(5);
  const quick = filesOf('test');
  expect(quick.length).toBeGreaterThan(200);
  const isStarter = (module: string) =>
    starts(module) || starters.includes(module) || module.startsWith('test/harness/workbook/');
  const startsProgram = (file: string) => importsOf(file).some(isStarter);
  expect(quick.filter(startsProgram).sort(), 'such tests are named *.slow.test.ts').toEqual([]);
});

test('npm run soak: can run every test file, once', () => {
  expect(filesOf('test:all', { SOAK: '1' })).toEqual(tests);
});
