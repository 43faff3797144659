/** The quick tests and the slow ones are all tests together, and none is in both: what runs them says so itself. */
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { scripts } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8'));

/** The files that the script of this name would run, each as often as it would. */
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
const isForSoak = (file: string) => file.startsWith('test/soak/');

test('every file of tests is in one of the two parts, and both together are all that CI runs', () => {
  const all = filesOf('test:all');
  expect(all).toEqual(tests.filter((file) => !isForSoak(file)));
  expect([...filesOf('test'), ...filesOf('test:slow')].sort()).toEqual(all);
  const lines = readFileSync(resolve(root, '.ci/run'), 'utf8').split('\n');
  const runs = lines.filter((line) => /^\s+(npm|npx|vitest) .*(test|vitest|cit)/.test(line));
  expect(runs.map((line) => line.trim())).toEqual(['npm run test:all']);
});

/** With the reason. */
const mayStart = {
  'test/history/recording.test.ts': 'one of its tests is about what the end of a process closes',
};

/** The modules that a file imports, those of the checkout by their place in it. */
function importsOf(file: string): string[] {
  const text = readFileSync(resolve(root, file), 'utf8');
  return [...text.matchAll(/ from '([^']+)';$/gm)].map(([, module = '']) =>
    module.startsWith('.') ? relative(root, resolve(root, dirname(file), module)) : module,
  );
}

test('the quick ones start no programs, and none of the threads in which workbooks are read', () => {
  const starts = (module: string) => module === 'node:child_process';
  // It starts one, once for all tests.
  const mayBeUsed = 'test/harness/demo-business.ts';
  const starters = globSync('test/harness/**/*.ts', { cwd: root }).filter(
    (file) => file !== mayBeUsed && importsOf(file).some(starts),
  );
  expect(starters.length).toBeGreaterThan(5);
  const quick = filesOf('test');
  expect(quick.length).toBeGreaterThan(200);
  const isStarter = (it: string) =>
    starts(it) || starters.includes(it) || it.startsWith('test/harness/workbook/');
  const doStart = (file: string) => importsOf(file).some(isStarter);
  expect(quick.filter(doStart).sort(), 'such tests are named *.slow.test.ts').toEqual(Object.keys(mayStart));
});

test('a soak can run every file of tests, once', () => {
  expect(filesOf('test:all', { SOAK: '1' })).toEqual(tests);
});
