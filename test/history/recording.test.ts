import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { runBoh } from '../harness/run-boh.ts';
import { createWorkspace, type Workspace } from './sandbox-workspace.ts';

const journalOf = ({ account }: Workspace) => join(account, 'history.sqlite');

/** Returns all bytes of the journal on disk, with its logs. */
const bytesOf = ({ account }: Workspace) =>
  globSync(join(account, 'history.sqlite*'))
    .map((file) => readFileSync(file, 'latin1'))
    .join('');

describe('the history', () => {
  test('after writes: lists them newest first, with the records before and after', async () => {
    const workspace = createWorkspace();
    const { id } = await workspace.json('suppliers', 'create', '--name', 'Coastal Fish', '--phone', '1');
    await workspace.boh('suppliers', 'update', id, '--phone', '2');
    await workspace.boh('suppliers', 'delete', id, '--yes');
    await workspace.boh('suppliers', 'restore', id);
    const entries = await workspace.json('history');
    expect(entries).toMatchObject([
      { number: 4, resource: 'suppliers', verb: 'restore', ids: [id], before: { id }, outcome: 'done' },
      { number: 3, verb: 'delete', before: { id, phone: '2' }, after: null, outcome: 'done' },
      { number: 2, verb: 'update', fields: ['phone'], before: { phone: '1' }, after: { phone: '2' } },
      { number: 1, verb: 'create', fields: ['name', 'phone'], before: null, after: { id, phone: '1' } },
    ]);
    expect(entries[2]).toMatchObject({
      command: `boh --sandbox suppliers update ${id} --phone 2`,
      request: { method: 'PUT', target: `/suppliers/${id}`, body: { phone: '2' } },
    });
  });

  test('history show: prints each field with its current value', async () => {
    const workspace = createWorkspace();
    await workspace.boh('suppliers', 'update', '@Fresh Farms', '--phone', '2');
    await workspace.boh('suppliers', 'update', '@Fresh Farms', '--phone', '3');
    const entry = await workspace.json('history', 'show', '1');
    expect([entry.before.phone, entry.after.phone, entry.now.phone]).toEqual(['555000200', '2', '3']);
    expect((await workspace.boh('history', 'show', '9')).exitCode).toBe(5);
  });

  test('with filters: finds writes by resource, record, field, run and time', async () => {
    const workspace = createWorkspace();
    await workspace.boh('suppliers', 'update', 'supplier-1', '--phone', '2');
    await workspace.boh('suppliers', 'update', 'supplier-1', '--code', 'F1');
    await workspace.boh('tags', 'update', 'tag-1', '--name', 'Vegan');
    const numbers = async (...line: string[]) =>
      (await workspace.json('history', ...line)).map(({ number }: { number: number }) => number);
    expect(await numbers('suppliers')).toEqual([2, 1]);
    expect(await numbers('suppliers', '@Fresh Farms', '--field', 'phone')).toEqual([1]);
    expect(await numbers('supplier', 'supplier-2')).toEqual([]);
    const [{ run }] = await workspace.json('history');
    expect(await numbers('--run', run)).toEqual([3]);
    expect(await numbers('--since', '1h')).toEqual([3, 2, 1]);
    expect(await numbers('--since', new Date(Date.now() + 60_000).toISOString())).toEqual([]);
    expect(await numbers('--limit', '1')).toEqual([3]);
    expect((await workspace.boh('history', '--since', 'yesterday')).exitCode).toBe(2);
    expect((await workspace.boh('history', 'suplliers')).stderr).toContain('suppliers');
    expect((await workspace.boh('history', '-o', 'id')).stdout).toBe('3\n2\n1\n');
  });

  test('a link write: is listed with the link before the write', async () => {
    const workspace = createWorkspace();
    const link = ['suppliers', 'link-item', 'supplier-1', 'inventory-item-1', '--order-unit', 'box'];
    await workspace.boh(...link, '--order-to-storage-factor', '3');
    await workspace.boh('suppliers', 'unlink-item', 'supplier-1', 'inventory-item-1');
    const [unlinked, linked] = await workspace.json('history');
    expect(linked.before.items).toMatchObject([{ id: 'inventory-item-1', pivot: { order_unit: 'crate' } }]);
    expect(unlinked.before.items).toMatchObject([
      { pivot: { order_unit: 'box', order_to_storage_factor: 3 } },
    ]);
  });

  test('requests outside of the contract and rejected requests: are listed with their outcome', async () => {
    const workspace = createWorkspace();
    await workspace.boh('api', 'PUT', '/suppliers/supplier-1', '--data', '{"phone":"9"}');
    await workspace.boh('api', 'POST', '/nothing', '--data', '{"a":1}');
    await workspace.boh('--unchecked', 'suppliers', 'create', '--phone', '1');
    const entries = await workspace.json('history');
    expect(entries).toMatchObject([
      { verb: 'create', outcome: 'refused', error: { category: 'refused', status: 422 } },
      { resource: null, fields: ['a'], outcome: 'refused' },
      { verb: 'update', before: { phone: '555000200' }, outcome: 'done' },
    ]);
  });

  test('an import: needs no additional reads, except for the first record', async () => {
    const workspace = createWorkspace();
    const file = join(workspace.config, 'prices.csv');
    const listedSuppliers = await workspace.json('suppliers', 'list', '--columns', 'id');
    const ids = ['supplier-1', ...listedSuppliers.map(({ id }: { id: string }) => id)].slice(0, 4);
    writeFileSync(
      file,
      `id,phone\n${[...new Set(ids)].map((id, index) => `${id},${71 + index}\n`).join('')}`,
    );
    const { stderr } = await workspace.boh('suppliers', 'import', file, '--yes', '--verbose');
    expect(stderr.match(/GET \/suppliers\/\w+/g)).toEqual(['GET /suppliers/supplier']);
    const entries = (await workspace.json('history')).slice(-1);
    expect(entries).toMatchObject([
      { before: { id: 'supplier-1', phone: '555000200' }, after: { phone: '71' } },
    ]);
    const [{ id: run }] = await workspace.json('runs', 'list');
    expect(entries[0].run).toBe(run);
  });
});

describe('secrets', () => {
  test('typed or in a record: are not in any entry', async () => {
    const workspace = createWorkspace();
    const body = {
      name: 'Sara',
      lang: 'en',
      pin: '83920174',
      password: 'canary-password',
      email: 'sara@example.com',
    };
    await workspace.boh('users', 'create', '--data', JSON.stringify(body));
    await workspace.boh('users', 'update', '@Sara', '--data', '{"pin": "59038271"}');
    await workspace.boh('api', 'PUT', '/users/user-1', '--data={"pin":"71625349"}');
    await workspace.boh(
      'api',
      'POST',
      '/unknown?pin=38475610',
      '--data',
      '{"client_secret":"canary-secret"}',
    );
    await workspace.boh('users', 'delete', '@Sara', '--yes');
    expect((await workspace.json('history')).length).toBe(5);
    const bytes = bytesOf(workspace);
    expect(bytes).toContain('Sara');
    for (const secret of ['83920174', 'canary-password', '59038271', '71625349', '38475610', 'canary-secret'])
      expect(bytes).not.toContain(secret);
  });

  test('the journal file: only its user may read it', async () => {
    const workspace = createWorkspace();
    await workspace.boh('tags', 'update', 'tag-1', '--name', 'Vegan');
    expect(statSync(journalOf(workspace)).mode & 0o777).toBe(0o600);
    expect(statSync(workspace.account).mode & 0o777).toBe(0o700);
  });
});

describe("a journal that can't be written", () => {
  const defects: Record<string, (file: string) => void> = {
    damaged: (file) => writeFileSync(file, 'SQLite format 3\0 and no further content'),
    'of another version': (file) => {
      const database = new DatabaseSync(file);
      database.exec('PRAGMA user_version = 2');
      database.close();
    },
  };

  test.each(Object.entries(defects))('that is %s: writes continue, with one message', async (_, damage) => {
    const workspace = createWorkspace();
    await workspace.boh('tags', 'update', 'tag-1', '--name', 'One');
    damage(journalOf(workspace));
    const result = await workspace.boh('tags', 'update', 'tag-1', '--name', 'Two');
    expect(result.exitCode).toBe(0);
    expect(result.stderr.match(/The history .* but not recorded in it/g)).toHaveLength(1);
    expect((await workspace.json('tags', 'get', 'tag-1')).name).toBe('Two');
  });

  test.each(Object.entries(defects))('that is %s and required: nothing is sent', async (_, damage) => {
    const workspace = createWorkspace();
    await workspace.boh('tags', 'update', 'tag-1', '--name', 'One');
    damage(journalOf(workspace));
    const result = await workspace.bohWith(
      { BOH_HISTORY_REQUIRED: 'true' },
      'tags',
      'update',
      'tag-1',
      '--name',
      'Two',
    );
    expect(result.exitCode).toBe(8);
    expect(result.stderr).toContain('Nothing was sent: history.required is on.');
    expect((await workspace.json('tags', 'get', 'tag-1')).name).toBe('One');
  });
});

describe('the settings of a profile', () => {
  test('history.journal off: records nothing', async () => {
    const workspace = createWorkspace();
    await workspace.bohWith({ BOH_HISTORY_JOURNAL: 'off' }, 'tags', 'update', 'tag-1', '--name', 'One');
    expect(await workspace.json('history')).toEqual([]);
  });

  test('history.before off: reads nothing, and the entry gives the reason for its missing state', async () => {
    const workspace = createWorkspace();
    const withoutBefore = { BOH_HISTORY_BEFORE: 'off' };
    const result = await workspace.bohWith(
      withoutBefore,
      'tags',
      'update',
      'tag-1',
      '--name',
      'One',
      '--verbose',
    );
    expect(result.stderr.match(/^(GET|PUT) /gm)).toEqual(['PUT ']);
    const [entry] = await workspace.json('history');
    expect(entry).toMatchObject({
      before: null,
      before_missing: 'history.before is off',
      after: { name: 'One' },
    });
  });

  test('config set --profile: accepts them', async () => {
    const workspace = createWorkspace();
    await workspace.bohWithoutSandbox({}, 'profiles', 'add', 'shop', '--base-url', 'https://shop.example');
    const set = (value: string) =>
      workspace.bohWithoutSandbox({}, 'config', 'set', 'history.before', value, '--profile', 'shop');
    expect((await set('protected')).exitCode).toBe(0);
    expect((await set('never')).exitCode).toBe(2);
  });
});

describe('a token that may write and not read', () => {
  test('a write: succeeds, and the entry gives the reason why the record could not be read', async () => {
    const workspace = createWorkspace();
    const token = (await workspace.boh('sandbox', 'token', '--scopes', 'inventory.settings.write')).stdout;
    const env = { BOH_CONFIG_DIR: workspace.config };
    await runBoh(['--sandbox', 'auth', 'login', '--with-token'], { env, stdin: token });
    expect(
      (await workspace.bohWithoutSandbox({}, 'suppliers', 'delete', 'supplier-1', '--yes')).exitCode,
    ).toBe(0);
    const [entry] = await workspace.json('history');
    expect(entry).toMatchObject({ verb: 'delete', before: null, outcome: 'done', user: 'Nadia Rahman' });
    expect(entry.before_missing).toContain('inventory.settings.read');
  });
});
