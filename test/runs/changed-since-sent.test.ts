/** A write of unknown outcome isn't sent again if its record was changed since, because it may have had its effect before. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openWorkspaceAt, setClock } from '../changes/change-workspace.ts';

const link = ['link-item', 'supplier-1', 'inventory-item-1', '--order-unit', 'crate'];

test.each([
  {
    write: 'restore',
    first: ['delete', 'supplier-1', '--yes'],
    run: ['restore', '--where', 'id=supplier-1'],
    later: ['delete', 'supplier-1', '--yes'],
  },
  {
    write: 'deletion',
    run: ['delete', '--where', 'id=supplier-1', '--max-deletes', '1'],
    later: ['restore', 'supplier-1'],
  },
  {
    write: 'link',
    run: ['import-links', 'item', 'FILE'],
    later: [...link, '--order-to-storage-factor', '6', '--cost', '77'],
  },
  {
    write: 'removal of a link',
    run: ['unlink-item', 'inventory-item-1', '--where', 'id=supplier-1'],
    later: [...link, '--order-to-storage-factor', '9', '--cost', '77'],
  },
])('$write: stays unknown, and the later change stays', async ({ first, run, later }) => {
  const { boh, json, config } = openWorkspaceAt();
  const suppliers = async (words: readonly string[]) => {
    const result = await boh('suppliers', ...words);
    expect(result.exitCode, result.stderr).toBe(0);
  };
  const file = join(config, 'links.csv');
  writeFileSync(file, 'supplier_id,item_id,cost\nsupplier-1,inventory-item-1,22\n');
  if (first) await suppliers(first);
  setClock('2027-01-01 12:10');
  const ledger = join(config, 'run.sqlite');
  await suppliers([...run.map((word) => (word === 'FILE' ? file : word)), '--yes', '--ledger', ledger]);
  const database = new DatabaseSync(ledger);
  database.exec(`UPDATE progress SET state = 'unknown', step = 0`);
  database.exec(`UPDATE facts SET value = '"unfinished"' WHERE name = 'state'`);
  database.close();
  setClock('2027-01-01 12:20');
  await suppliers(later);
  const before = await json('suppliers', 'get', 'supplier-1');
  const writes = (await json('history')).length;

  const resumed = await boh('runs', 'resume', ledger, '--yes');
  expect(resumed.exitCode, resumed.stderr).toBe(9);
  expect(JSON.parse(resumed.stdout)).toMatchObject({ outcome: 'unknown' });
  expect(resumed.stdout).toContain('Someone has changed the record since.');
  expect(await json('suppliers', 'get', 'supplier-1')).toEqual(before);
  expect(await json('history')).toHaveLength(writes);
});

test('creation: stays unknown if its record was changed and deleted since', async () => {
  const { boh, json, config } = openWorkspaceAt();
  const [file, ledger] = [join(config, 'new.csv'), join(config, 'run.sqlite')];
  writeFileSync(file, 'code,name\nLATE,Late Foods\n');
  setClock('2027-01-01 12:10');
  const line = ['suppliers', 'import', file, '--key', 'code', '--yes', '--ledger', ledger];
  const [{ id }] = JSON.parse(`[${(await boh(...line)).stdout}]`);
  const database = new DatabaseSync(ledger);
  database.exec(`UPDATE progress SET state = 'unknown', step = 0, id = NULL`);
  database.exec(`UPDATE facts SET value = '"unfinished"' WHERE name = 'state'`);
  database.close();
  setClock('2027-01-01 12:20');
  expect((await boh('suppliers', 'update', id, '--name', 'Renamed')).exitCode).toBe(0);
  expect((await boh('suppliers', 'delete', id, '--yes')).exitCode).toBe(0);

  const resumed = await boh('runs', 'resume', ledger, '--yes');
  expect(resumed.exitCode, resumed.stderr).toBe(9);
  expect(resumed.stdout).toContain('with its key was deleted since.');
  expect(await json('suppliers', 'list', '--code', 'LATE')).toEqual([]);
});
