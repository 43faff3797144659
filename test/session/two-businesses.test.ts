/** Tests two businesses with the same base URL and the same record IDs: files of one are never used for the other. */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { runBoh } from '../harness/run-boh.ts';
import { serveTwoBusinesses } from '../harness/two-businesses.ts';

const { businesses, boh, folder } = serveTwoBusinesses();

function changeDatabase(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

describe('two businesses with one base URL', () => {
  test('history show and undo: refuse the writes of the other business', async () => {
    await boh('north', 'suppliers update 1 --name Meadow');
    await boh('south', 'api PUT /suppliers/1 --data {"name":"Meadow"}');
    const number = JSON.parse((await boh('north', 'history -o json')).stdout)[0].number;
    expect(await boh('south', `undo ${number} --yes`)).toMatchObject({ exitCode: 2 });
    expect(businesses.south?.supplier.name).toBe('Meadow');
    expect(await boh('south', `history show ${number}`)).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await boh('north', `undo ${number} --yes`)).toMatchObject({ exitCode: 0 });
    expect(businesses.north?.supplier.name).toBe('Fresh Farms');
  });

  test('export --since: refuses the watermark of the other business', async () => {
    const line = 'suppliers export --since FOLDER/mark --to FOLDER/suppliers.csv';
    expect(await boh('north', line)).toMatchObject({ exitCode: 0 });
    const csv = readFileSync(join(folder(), 'suppliers.csv'), 'utf8');
    const refusedResult = await boh('south', line);
    expect(refusedResult).toMatchObject({ exitCode: 2 });
    expect(refusedResult.stderr).toContain('watermark of another account: Business 7');
    expect(readFileSync(join(folder(), 'suppliers.csv'), 'utf8')).toBe(csv);
    expect(await boh('north', line)).toMatchObject({ exitCode: 0 });
  });

  test('mirror diff: refuses the mirror of the other business', async () => {
    expect(await boh('north', 'mirror sync --resource suppliers')).toMatchObject({ exitCode: 0 });
    const refusedResult = await boh('south', 'mirror diff --resource suppliers');
    expect(refusedResult).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refusedResult.stderr).toContain('mirror of another account: Business 7');
    expect(await boh('north', 'mirror diff --resource suppliers')).toMatchObject({ exitCode: 0 });
  });

  test('commands that read the mirror or delete records from it: refuse the mirror of the other business', async () => {
    expect(await boh('north', 'mirror sync --resource suppliers')).toMatchObject({ exitCode: 0 });
    const countLine = ['mirror', 'query', 'select count(*) as count from suppliers', '-o', 'json'];
    for (const line of [
      countLine,
      ['suppliers', 'list', '--mirror'],
      ['mirror', 'status'],
      ['mirror', 'forget', 'suppliers', '1', '--yes'],
    ]) {
      const refusedResult = await boh('south', line);
      expect({ line, ...refusedResult }).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refusedResult.stderr).toContain('mirror of another account: Business 7');
    }
    expect(await boh('north', countLine)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('1'),
      stderr: '',
    });
    // A command that names a mirror with --to uses it.
    const [file = ''] = globSync(join(folder(), '**', 'mirrors', '*.sqlite'));
    expect(await boh('south', [...countLine, '--to', `sqlite:${file}`])).toMatchObject({ exitCode: 0 });
    // An unknown token needs --any-account.
    const listLine = ['suppliers', 'list', '--mirror', '-o', 'id'];
    expect(await boh('nobody', listLine)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('--any-account'),
    });
    expect(await boh('nobody', [...listLine, '--any-account'])).toMatchObject({ exitCode: 0, stdout: '1\n' });
  });

  test('mirror reset and forget: refuse the mirror of the other business without a question', async () => {
    expect(await boh('north', 'mirror sync --resource suppliers')).toMatchObject({ exitCode: 0 });
    const [file = ''] = globSync(join(folder(), '**', 'mirrors', '*.sqlite'));
    for (const line of [
      'mirror reset --yes',
      'mirror reset --dry-run',
      'mirror reset',
      'mirror forget suppliers 1 --dry-run',
      'mirror forget suppliers 1',
    ]) {
      const refusedResult = await boh('south', line);
      expect({ line, ...refusedResult }).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refusedResult.stderr).toContain('mirror of another account: Business 7');
    }
    expect(await boh('north', 'mirror diff --resource suppliers')).toMatchObject({ exitCode: 0 });
    // --to alone does not override the check; --any-account does.
    for (const line of [
      `mirror reset --yes --to sqlite:${file}`,
      `mirror forget suppliers 1 --yes --to sqlite:${file}`,
    ]) {
      const refusedResult = await boh('south', line);
      expect({ line, ...refusedResult }).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refusedResult.stderr).toContain('--any-account');
    }
    expect(await boh('south', 'mirror reset --yes --any-account')).toMatchObject({ exitCode: 0 });
    expect(existsSync(file)).toBe(false);
  });

  test.each([
    ['that is not a database', (file: string) => writeFileSync(file, 'damaged '.repeat(2000))],
    ['without the table mirror_facts', (file: string) => changeDatabase(file, 'DROP TABLE mirror_facts')],
    ['of another version of boh', (file: string) => changeDatabase(file, 'PRAGMA user_version = 2')],
  ])('mirror reset: deletes a mirror %s', async (_, damage) => {
    expect(await boh('north', 'mirror sync --resource suppliers')).toMatchObject({ exitCode: 0 });
    const [file = ''] = globSync(join(folder(), '**', 'mirrors', '*.sqlite'));
    damage(file);
    expect(await boh('north', 'mirror reset --yes')).toMatchObject({ exitCode: 0 });
    expect(existsSync(file)).toBe(false);
  });

  test('a token that may not read its account: needs --any-account to read or change the mirror', async () => {
    expect(await boh('north', 'mirror sync --resource suppliers')).toMatchObject({ exitCode: 0 });
    businesses.restricted = { id: 7, supplier: { ...businesses.north?.supplier }, cannotReadWhoami: true };
    for (const line of [
      'suppliers list --mirror -o id',
      'mirror status --resource suppliers',
      'mirror diff --resource suppliers',
    ]) {
      const result = await boh('restricted', line);
      expect({ line, ...result }).toMatchObject({ exitCode: 2, stdout: '' });
      expect(result.stderr).toContain('--any-account');
      expect(await boh('restricted', `${line} --any-account`)).toMatchObject({ exitCode: 0 });
    }
    const refusedResult = await boh('restricted', 'mirror sync --resource suppliers');
    expect(refusedResult).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refusedResult.stderr).toContain('is the mirror of Business 7');
    expect(refusedResult.stderr).toContain("doesn't report which business the token belongs to");
    for (const line of ['mirror forget suppliers 1 --yes', 'mirror reset --yes']) {
      const deleteResult = await boh('restricted', line);
      expect({ line, ...deleteResult }).toMatchObject({ exitCode: 2, stdout: '' });
      expect(deleteResult.stderr).toContain('--any-account');
    }
    expect(await boh('north', 'mirror diff --resource suppliers')).toMatchObject({ exitCode: 0 });
  });

  test('history forget and prune: keep the entries and runs of the other business', async () => {
    writeFileSync(join(folder(), 'suppliers.csv'), 'id,name\n1,Meadow\n');
    await boh('north', 'whoami');
    await boh('north', 'suppliers update 1 --phone 1');
    const importLine = 'suppliers import FOLDER/suppliers.csv --mode update --yes';
    expect(await boh('north', importLine)).toMatchObject({ exitCode: 0 });
    const readHistory = async () => JSON.parse((await boh('north', 'history -o json')).stdout);
    const entries = await readHistory();
    const runId = JSON.parse((await boh('north', 'runs list -o json')).stdout)[0].id;
    for (const line of ['history forget suppliers 1 --yes', 'history prune --max-size 0KB --yes']) {
      const refusedResult = await boh('south', line);
      expect({ line, ...refusedResult }).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refusedResult.stderr).toContain('--any-account');
    }
    expect(await readHistory()).toEqual(entries);
    expect((await boh('north', `runs show ${runId} -o json`)).stdout).toContain('"id": "1"');
    // The entries of the business in use are deleted; those of the other business remain.
    await boh('south', 'suppliers update 1 --phone 2');
    expect(await boh('south', 'history forget suppliers 1 --yes')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/1 history entry and 0 rows.*another account remain/s),
    });
    expect(await readHistory()).toEqual(entries);
    expect(await boh('north', 'history forget suppliers 1 --yes')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('2 history entries and 1 row'),
    });
    const [newest] = await readHistory();
    expect(newest).toMatchObject({ forgotten: true });
    expect(await boh('south', 'history prune --max-size 0KB --yes --any-account')).toMatchObject({
      exitCode: 0,
    });
  });

  test('history forget with a token that may not read its account: deletes only the entries of that token', async () => {
    businesses.restricted = { id: 7, supplier: { ...businesses.north?.supplier }, cannotReadWhoami: true };
    await boh('north', 'suppliers update 1 --phone 1');
    for (const line of ['history forget suppliers 1 --yes', 'history prune --max-size 0KB --yes']) {
      const refusedResult = await boh('restricted', line);
      expect({ line, ...refusedResult }).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refusedResult.stderr).toContain('--any-account');
    }
    expect(JSON.parse((await boh('north', 'history -o json')).stdout)).toMatchObject([{ forgotten: false }]);
    expect(await boh('north', 'history prune --max-size 0KB --yes')).toMatchObject({ exitCode: 0 });
    await boh('restricted', 'suppliers update 1 --phone 1');
    expect(await boh('restricted', 'history forget suppliers 1 --yes')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('1 history entry'),
    });
  });

  test('apply --plan and backup: refuse the files of the other business', async () => {
    writeFileSync(join(folder(), 'm.yaml'), 'suppliers:\n  - code: F\n    name: Orchard\n');
    expect(await boh('north', 'plan FOLDER/m.yaml --out FOLDER/plan')).toMatchObject({ exitCode: 0 });
    expect(await boh('north', 'backup FOLDER/backup --resource suppliers')).toMatchObject({ exitCode: 0 });
    expect(await boh('south', 'apply --plan FOLDER/plan --yes')).toMatchObject({ exitCode: 2 });
    expect(await boh('south', 'backup FOLDER/backup --resource suppliers')).toMatchObject({ exitCode: 2 });
    expect(businesses.south?.supplier.name).toBe('Fresh Farms');
  });
});

describe('undo of boh api POST', () => {
  test('deletes the created record', async () => {
    const env = { BOH_CONFIG_DIR: join(folder(), 'config'), BOH_HISTORY_BEFORE: 'on' };
    const createResult = await runBoh(
      ['--sandbox', 'api', 'POST', '/suppliers', '--data', '{"name":"Quarry"}'],
      {
        env,
      },
    );
    const { id } = JSON.parse(createResult.stdout).data;
    expect(createResult.stderr).toContain('undo 1');
    expect(await runBoh(['--sandbox', 'undo', '1', '--yes'], { env })).toMatchObject({ exitCode: 0 });
    const result = await runBoh(['--sandbox', 'suppliers', 'get', id, '-o', 'json'], { env });
    expect(result.exitCode === 5 || JSON.parse(result.stdout).deleted_at !== null).toBe(true);
  });
});
