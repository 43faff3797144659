/** Two businesses at one address, whose records have the same ids: what was written to one is about no other. */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { runBoh } from '../harness/run-boh.ts';
import { twoBusinesses } from '../harness/two-businesses.ts';

const { businesses, boh, folder } = twoBusinesses();

function changed(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

describe('two businesses at one address', () => {
  test('one neither undoes nor shows the writes of the other, even by number', async () => {
    await boh('north', 'suppliers update 1 --name Meadow');
    await boh('south', 'api PUT /suppliers/1 --data {"name":"Meadow"}');
    const number = JSON.parse((await boh('north', 'history -o json')).stdout)[0].number;
    expect(await boh('south', `undo ${number} --yes`)).toMatchObject({ exitCode: 2 });
    expect(businesses.south?.supplier.name).toBe('Meadow');
    expect(await boh('south', `history show ${number}`)).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await boh('north', `undo ${number} --yes`)).toMatchObject({ exitCode: 0 });
    expect(businesses.north?.supplier.name).toBe('Fresh Farms');
  });

  test("one doesn't continue an export of the other", async () => {
    const line = 'suppliers export --since FOLDER/mark --to FOLDER/suppliers.csv';
    expect(await boh('north', line)).toMatchObject({ exitCode: 0 });
    const before = readFileSync(join(folder(), 'suppliers.csv'), 'utf8');
    const refused = await boh('south', line);
    expect(refused).toMatchObject({ exitCode: 2 });
    expect(refused.stderr).toContain('watermark of another account: Business 7');
    expect(readFileSync(join(folder(), 'suppliers.csv'), 'utf8')).toBe(before);
    expect(await boh('north', line)).toMatchObject({ exitCode: 0 });
  });

  test("one is never compared with the other's mirror", async () => {
    expect(await boh('north', 'mirror sync --resource suppliers')).toMatchObject({ exitCode: 0 });
    const refused = await boh('south', 'mirror diff --resource suppliers');
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('mirror of another account: Business 7');
    expect(await boh('north', 'mirror diff --resource suppliers')).toMatchObject({ exitCode: 0 });
  });

  test("one neither reads the other's mirror as its own, nor deletes records from it", async () => {
    expect(await boh('north', 'mirror sync --resource suppliers')).toMatchObject({ exitCode: 0 });
    const count = ['mirror', 'query', 'select count(*) as count from suppliers', '-o', 'json'];
    for (const line of [
      count,
      ['suppliers', 'list', '--mirror'],
      ['mirror', 'status'],
      ['mirror', 'forget', 'suppliers', '1', '--yes'],
    ]) {
      const refused = await boh('south', line);
      expect({ line, ...refused }).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refused.stderr).toContain('mirror of another account: Business 7');
    }
    expect(await boh('north', count)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('1'),
      stderr: '',
    });
    // A command that names a copy uses that one.
    const [file = ''] = globSync(join(folder(), '**', 'mirrors', '*.sqlite'));
    expect(await boh('south', [...count, '--to', `sqlite:${file}`])).toMatchObject({ exitCode: 0 });
    // Nor without a terminal, unless the command line says so.
    const away = ['suppliers', 'list', '--mirror', '-o', 'id'];
    expect(await boh('nobody', away)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('--any-account'),
    });
    expect(await boh('nobody', [...away, '--any-account'])).toMatchObject({ exitCode: 0, stdout: '1\n' });
  });

  test("one neither deletes the other's mirror, nor is asked about it", async () => {
    expect(await boh('north', 'mirror sync --resource suppliers')).toMatchObject({ exitCode: 0 });
    const [file = ''] = globSync(join(folder(), '**', 'mirrors', '*.sqlite'));
    for (const line of [
      'mirror reset --yes',
      'mirror reset --dry-run',
      'mirror reset',
      'mirror forget suppliers 1 --dry-run',
      'mirror forget suppliers 1',
    ]) {
      const refused = await boh('south', line);
      expect({ line, ...refused }).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refused.stderr).toContain('mirror of another account: Business 7');
    }
    expect(await boh('north', 'mirror diff --resource suppliers')).toMatchObject({ exitCode: 0 });
    // Naming the copy is no way around it: the flag is, and the refusal names it.
    for (const line of [
      `mirror reset --yes --to sqlite:${file}`,
      `mirror forget suppliers 1 --yes --to sqlite:${file}`,
    ]) {
      const refused = await boh('south', line);
      expect({ line, ...refused }).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refused.stderr).toContain('--any-account');
    }
    expect(await boh('south', 'mirror reset --yes --any-account')).toMatchObject({ exitCode: 0 });
    expect(existsSync(file)).toBe(false);
  });

  test.each([
    ['is no longer a database', (file: string) => writeFileSync(file, 'damaged '.repeat(2000))],
    ['has lost its table of facts', (file: string) => changed(file, 'DROP TABLE mirror_facts')],
    ['was made by a newer boh', (file: string) => changed(file, 'PRAGMA user_version = 99999')],
  ])('a mirror that %s is still deleted', async (_what, spoil) => {
    expect(await boh('north', 'mirror sync --resource suppliers')).toMatchObject({ exitCode: 0 });
    const [file = ''] = globSync(join(folder(), '**', 'mirrors', '*.sqlite'));
    spoil(file);
    expect(await boh('north', 'mirror reset --yes')).toMatchObject({ exitCode: 0 });
    expect(existsSync(file)).toBe(false);
  });

  test("a token that may not read its account neither reads nor writes the account's copy without --any-account", async () => {
    expect(await boh('north', 'mirror sync --resource suppliers')).toMatchObject({ exitCode: 0 });
    businesses.untold = { id: 7, supplier: { ...businesses.north?.supplier }, isUntold: true };
    for (const line of [
      'suppliers list --mirror -o id',
      'mirror status --resource suppliers',
      'mirror diff --resource suppliers',
    ]) {
      const result = await boh('untold', line);
      expect({ line, ...result }).toMatchObject({ exitCode: 2, stdout: '' });
      expect(result.stderr).toContain('--any-account');
      expect(await boh('untold', `${line} --any-account`)).toMatchObject({ exitCode: 0 });
    }
    const refused = await boh('untold', 'mirror sync --resource suppliers');
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain('is the mirror of Business 7');
    expect(refused.stderr).toContain("doesn't report whether the account in use is the same");
    for (const line of ['mirror forget suppliers 1 --yes', 'mirror reset --yes']) {
      const kept = await boh('untold', line);
      expect({ line, ...kept }).toMatchObject({ exitCode: 2, stdout: '' });
      expect(kept.stderr).toContain('--any-account');
    }
    expect(await boh('north', 'mirror diff --resource suppliers')).toMatchObject({ exitCode: 0 });
  });

  test("forget doesn't delete what the history and runs of the other contain about a record with the same id", async () => {
    writeFileSync(join(folder(), 'suppliers.csv'), 'id,name\n1,Meadow\n');
    await boh('north', 'whoami');
    await boh('north', 'suppliers update 1 --phone 1');
    const run = 'suppliers import FOLDER/suppliers.csv --mode update --yes';
    expect(await boh('north', run)).toMatchObject({ exitCode: 0 });
    const history = async () => JSON.parse((await boh('north', 'history -o json')).stdout);
    const before = await history();
    const runId = JSON.parse((await boh('north', 'runs list -o json')).stdout)[0].id;
    for (const line of ['history forget suppliers 1 --yes', 'history prune --max-size 0KB --yes']) {
      const refused = await boh('south', line);
      expect({ line, ...refused }).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refused.stderr).toContain('--any-account');
    }
    expect(await history()).toEqual(before);
    expect((await boh('north', `runs show ${runId} -o json`)).stdout).toContain('"id": "1"');
    // Its own are forgotten, and those of the other stay.
    await boh('south', 'suppliers update 1 --phone 2');
    expect(await boh('south', 'history forget suppliers 1 --yes')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/1 history entry and 0 rows.*another account remain/s),
    });
    expect(await history()).toEqual(before);
    expect(await boh('north', 'history forget suppliers 1 --yes')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('2 history entries and 1 row'),
    });
    const [newest] = await history();
    expect(newest).toMatchObject({ forgotten: true });
    expect(await boh('south', 'history prune --max-size 0KB --yes --any-account')).toMatchObject({
      exitCode: 0,
    });
  });

  test('a token that may not read its account deletes what it wrote itself, and nothing that may belong to another', async () => {
    businesses.untold = { id: 7, supplier: { ...businesses.north?.supplier }, isUntold: true };
    await boh('north', 'suppliers update 1 --phone 1');
    for (const line of ['history forget suppliers 1 --yes', 'history prune --max-size 0KB --yes']) {
      const refused = await boh('untold', line);
      expect({ line, ...refused }).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refused.stderr).toContain('--any-account');
    }
    expect(JSON.parse((await boh('north', 'history -o json')).stdout)).toMatchObject([{ forgotten: false }]);
    expect(await boh('north', 'history prune --max-size 0KB --yes')).toMatchObject({ exitCode: 0 });
    await boh('untold', 'suppliers update 1 --phone 1');
    expect(await boh('untold', 'history forget suppliers 1 --yes')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('1 history entry'),
    });
  });

  test('one neither resumes a run nor uses a plan or backup of the other, even if ids are numbers', async () => {
    writeFileSync(join(folder(), 'm.yaml'), 'suppliers:\n  - code: F\n    name: Orchard\n');
    expect(await boh('north', 'plan FOLDER/m.yaml --out FOLDER/plan')).toMatchObject({ exitCode: 0 });
    expect(await boh('north', 'backup FOLDER/backup --resource suppliers')).toMatchObject({ exitCode: 0 });
    expect(await boh('south', 'apply --plan FOLDER/plan --yes')).toMatchObject({ exitCode: 2 });
    expect(await boh('south', 'backup FOLDER/backup --resource suppliers')).toMatchObject({ exitCode: 2 });
    expect(businesses.south?.supplier.name).toBe('Fresh Farms');
  });
});

describe('a record that boh api created', () => {
  test('is undone by the suggested command', async () => {
    const env = { BOH_CONFIG_DIR: join(folder(), 'config'), BOH_HISTORY_BEFORE: 'on' };
    const made = await runBoh(['--sandbox', 'api', 'POST', '/suppliers', '--data', '{"name":"Quarry"}'], {
      env,
    });
    const { id } = JSON.parse(made.stdout).data;
    expect(made.stderr).toContain('undo 1');
    expect(await runBoh(['--sandbox', 'undo', '1', '--yes'], { env })).toMatchObject({ exitCode: 0 });
    const gone = await runBoh(['--sandbox', 'suppliers', 'get', id, '-o', 'json'], { env });
    expect(gone.exitCode === 5 || JSON.parse(gone.stdout).deleted_at !== null).toBe(true);
  });
});
