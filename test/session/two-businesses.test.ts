/** Tests two businesses with the same base URL and the same record IDs: files of one are never used for the other. */
import { existsSync, globSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { runBoh } from '../harness/run-boh.ts';
import { serveTwoBusinesses } from '../harness/two-businesses.ts';

const { businesses, requests, boh, folder } = serveTwoBusinesses();

/** Returns the files of the mirrors that no command line names. */
const mirrors = () => globSync(join(folder(), 'config', 'accounts', '*', 'mirror.sqlite'));

function changeDatabase(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

describe('two businesses with one base URL', () => {
  test('history, undo and redo: show and change only the writes of the business in use', async () => {
    await boh('north', 'suppliers update 1 --name Meadow');
    await boh('north', 'suppliers update 1 --name Orchard');
    await boh('south', 'api PUT /suppliers/1 --data {"name":"Meadow"}');
    const readHistory = async (token: string) => JSON.parse((await boh(token, 'history -o json')).stdout);
    expect(await readHistory('north')).toMatchObject([{ number: 2 }, { number: 1 }]);
    expect(await readHistory('south')).toMatchObject([{ number: 1, business: 'Business 8' }]);
    for (const line of ['undo 2 --yes', 'history show 2', 'redo --yes'])
      expect({ line, ...(await boh('south', line)) }).toMatchObject({ exitCode: 5, stdout: '' });
    expect(businesses.south?.supplier.name).toBe('Meadow');
    expect(await boh('north', 'undo 2 --yes')).toMatchObject({ exitCode: 0 });
    expect([businesses.north?.supplier.name, businesses.south?.supplier.name]).toEqual(['Meadow', 'Meadow']);
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

  test('the mirror of a business: is neither shown nor changed with the token of the other business', async () => {
    expect(await boh('north', 'mirror sync --resource suppliers')).toMatchObject({ exitCode: 0 });
    for (const line of [
      'suppliers list --mirror',
      'mirror query select(1)',
      'mirror status',
      'mirror diff --resource suppliers',
      'mirror forget suppliers 1 --yes',
      'mirror reset --yes',
    ])
      expect({ line, ...(await boh('south', line)) }).toMatchObject({ exitCode: 5, stdout: '' });
    expect(await boh('south', 'mirror sync --resource suppliers')).toMatchObject({ exitCode: 0 });
    expect(mirrors()).toHaveLength(2);
    expect(await boh('south', 'mirror reset --yes')).toMatchObject({ exitCode: 0 });
    expect(await boh('north', 'mirror diff --resource suppliers')).toMatchObject({ exitCode: 0 });
  });

  test('a mirror in BOH_MIRROR: list and lint refuse the mirror of the other business, query and status use it', async () => {
    const env = { BOH_MIRROR: `sqlite:${join(folder(), 'mirror.sqlite')}` };
    expect(await boh('north', 'mirror sync --resource suppliers', env)).toMatchObject({ exitCode: 0 });
    for (const line of ['suppliers list --mirror -o id', 'lint suppliers --mirror']) {
      const refusedResult = await boh('south', line, env);
      expect({ line, ...refusedResult }).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refusedResult.stderr).toContain('mirror of another account: Business 7');
    }
    expect(await boh('south', 'suppliers list --mirror -o id --any-account', env)).toMatchObject({
      exitCode: 0,
      stdout: '1\n',
    });
    for (const line of ['mirror query select(1)', 'mirror status --resource suppliers'])
      expect(await boh('south', line, env)).toMatchObject({ exitCode: 0 });
    // Without a token, no other account is in use.
    const signedOut = { ...env, BOH_TOKEN: '' };
    expect(await boh('', 'suppliers list --mirror -o id', signedOut)).toMatchObject({ exitCode: 0 });
  });

  test('mirror reset and forget: refuse the mirror of the other business without a question', async () => {
    const mirror = '--to sqlite:FOLDER/mirror.sqlite';
    expect(await boh('north', `mirror sync --resource suppliers ${mirror}`)).toMatchObject({ exitCode: 0 });
    for (const line of [
      'mirror reset --dry-run',
      'mirror reset',
      'mirror forget suppliers 1 --dry-run',
      'mirror forget suppliers 1',
    ]) {
      const refusedResult = await boh('south', `${line} ${mirror}`);
      expect({ line, ...refusedResult }).toMatchObject({ exitCode: 2, stdout: '' });
      expect(refusedResult.stderr).toContain('mirror of another account: Business 7');
    }
    expect(await boh('north', `mirror diff --resource suppliers ${mirror}`)).toMatchObject({ exitCode: 0 });
  });

  test.each([
    ['that is truncated', (file: string) => truncateSync(file, 5000)],
    ['without the table mirror_facts', (file: string) => changeDatabase(file, 'DROP TABLE mirror_facts')],
    ['of another version of boh', (file: string) => changeDatabase(file, 'PRAGMA user_version = 2')],
  ])('mirror reset: deletes a mirror %s', async (_, damage) => {
    expect(await boh('north', 'mirror sync --resource suppliers')).toMatchObject({ exitCode: 0 });
    const [file = ''] = mirrors();
    damage(file);
    expect(await boh('north', 'mirror reset --yes')).toMatchObject({ exitCode: 0 });
    expect(existsSync(file)).toBe(false);
  });

  test('history forget and prune: keep the entries and runs of the other business', async () => {
    writeFileSync(join(folder(), 'suppliers.csv'), 'id,name\n1,Meadow\n');
    await boh('north', 'suppliers update 1 --phone 1');
    const importLine = 'suppliers import FOLDER/suppliers.csv --mode update --yes';
    expect(await boh('north', importLine)).toMatchObject({ exitCode: 0 });
    const readHistory = async () => JSON.parse((await boh('north', 'history -o json')).stdout);
    const entries = await readHistory();
    const runId = JSON.parse((await boh('north', 'runs list -o json')).stdout)[0].id;
    await boh('south', 'suppliers update 1 --phone 2');
    expect(await boh('south', 'history forget suppliers 1 --yes')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('1 history entry and 0 rows'),
    });
    expect(await boh('south', 'history prune --max-size 0KB --yes')).toMatchObject({ exitCode: 0 });
    expect(await readHistory()).toEqual(entries);
    expect((await boh('north', `runs show ${runId} -o json`)).stdout).toContain('"id": "1"');
    await boh('south', 'suppliers update 1 --phone 3');
    // The ID is that of a record in each business.
    expect(await boh('south', 'history forget suppliers 1 --yes --any-account')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('3 history entries and 1 row'),
    });
    expect(await readHistory()).toMatchObject([{ forgotten: true }, { forgotten: true }]);
  });

  test('a token that may not read its account: has a history of its own', async () => {
    businesses.restricted = { id: 7, supplier: { ...businesses.north?.supplier }, cannotReadWhoami: true };
    await boh('north', 'suppliers update 1 --phone 1');
    await boh('restricted', 'suppliers update 1 --phone 2');
    await boh('restricted', 'suppliers update 1 --phone 3');
    expect(requests.restricted?.filter((request) => request === 'GET /whoami')).toHaveLength(1);
    const countOf = async (token: string) => JSON.parse((await boh(token, 'history -o json')).stdout).length;
    expect([await countOf('north'), await countOf('restricted')]).toEqual([1, 2]);
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
