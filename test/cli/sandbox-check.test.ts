/** `boh sandbox check` and `boh doctor` find damage that no other command has reported yet. */
import { closeSync, cpSync, mkdtempSync, openSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runBoh } from '../harness/run-boh.ts';

const template = mkdtempSync(join(tmpdir(), 'boh-template-'));
const folder = mkdtempSync(join(tmpdir(), 'boh-check-'));
const file = join(folder, 'sandboxes', 'default.sqlite');
beforeAll(async () => {
  await runBoh(['sandbox', 'status'], { env: { BOH_CONFIG_DIR: template } });
});
afterAll(() => {
  for (const path of [template, folder]) rmSync(path, { recursive: true, force: true, maxRetries: 10 });
});

const boh = (...argv: string[]) => runBoh(argv, { env: { BOH_CONFIG_DIR: folder } });
const check = async (...argv: string[]) => {
  const { exitCode, stdout } = await boh('sandbox', 'check', ...argv);
  return { exitCode, report: stdout === '' ? undefined : JSON.parse(stdout) };
};

/** Overwrites a part of an index, which SQLite notices only when it reads that part. */
function overwriteIndex(index: string): void {
  const database = new DatabaseSync(file);
  const sql = 'SELECT rootpage FROM sqlite_schema WHERE name = ?';
  const { rootpage } = database.prepare(sql).get(index) as { rootpage: number };
  database.close();
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, '0000000000', rootpage * 4096 - 40);
  closeSync(descriptor);
}

function execSql(sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

describe('boh sandbox check', () => {
  it('an intact sandbox: is reported as intact', async () => {
    cpSync(template, folder, { recursive: true });
    const expectedReport = { name: 'default', file, is_undamaged: true, problems: [] };
    expect(await check()).toEqual({ exitCode: 0, report: expectedReport });
  });

  it('a sandbox that does not exist: fails and creates none', async () => {
    expect((await check('--name', 'nowhere')).exitCode).toBe(2);
    expect((await check('--name', 'nowhere')).exitCode).toBe(2);
  });

  const damageCases: [string, RegExp, () => void][] = [
    ['a stored value', /stored clock/, () => execSql("INSERT INTO sandbox_facts VALUES ('clock', '7')")],
    [
      'a cell',
      /notifications is damaged in one row/,
      () => execSql("UPDATE users SET notifications = 'x' WHERE is_owner = 1"),
    ],
    ['an index', /SQLite reports/, () => overwriteIndex('customers_phone')],
    ['a truncated file', /SQLite reports/, () => truncateSync(file, 100_000)],
  ];
  it.each(damageCases)('damage in %s: is found, also by boh doctor', async (_, pattern, damage) => {
    cpSync(template, folder, { recursive: true });
    damage();
    const { exitCode, report } = await check();
    expect([exitCode, report.is_undamaged, report.problems.join(' ')]).toEqual([
      8,
      false,
      expect.stringMatching(pattern),
    ]);
    const { stdout } = await boh('doctor', '--sandbox', '-o', 'json');
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({
        check: 'Sandboxes',
        status: 'problem',
        message: expect.stringMatching(pattern),
      }),
    );
  });
});
