import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exitCodes } from '../../src/base/errors.ts';
import { runBoh } from '../harness/run-boh.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'boh-man-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const page = (name: string) => readFileSync(new URL(`../../man/${name}`, import.meta.url), 'utf8');

test.each([
  [[], 'boh.1'],
  [['suppliers'], 'boh-suppliers.1'],
  [['boh-mirror'], 'boh-mirror.1'],
])('boh man %j: prints %s', async (words, name) => {
  expect(await runBoh(['man', ...words])).toMatchObject({ exitCode: 0, stdout: page(name) });
});

test('boh man: an unknown page is refused with a suggestion', async () => {
  const { exitCode, stderr } = await runBoh(['man', 'supplier']);
  expect(exitCode).toBe(exitCodes.usage);
  expect(stderr).toContain('Unknown man page "supplier". Did you mean "suppliers"?');
});

test('boh man --to: writes all pages to a new folder', async () => {
  const targetFolder = join(folder, 'share/man/man1');
  const { exitCode, stdout } = await runBoh(['man', '--to', targetFolder]);
  const names = readdirSync(new URL('../../man/', import.meta.url));
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: `${names.length} man pages written to ${targetFolder}.\n`,
  });
  expect(readdirSync(targetFolder).sort()).toEqual(names.sort());
  expect(readFileSync(join(targetFolder, 'boh.1'), 'utf8')).toBe(page('boh.1'));
});

test('boh man --to: a file instead of a folder is refused', async () => {
  writeFileSync(join(folder, 'file'), '');
  const { exitCode, stderr } = await runBoh(['man', '--to', join(folder, 'file')]);
  expect(exitCode).toBe(exitCodes.unavailable);
  expect(stderr).toContain("Can't write");
});
