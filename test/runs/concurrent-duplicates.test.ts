/** When two machines write to one account, the run reports at its end the records that both have created. */

import { expect, test } from 'vitest';
import { listRunIds, openRun } from '../../src/engine/runs/ledger/runs.ts';
import { openImportSandbox } from '../bulk/import-sandbox.ts';
import { accountFolderIn } from '../harness/account-folder.ts';

const file = 'sku,name,storage_unit,ingredient_unit,storage_to_ingredient_factor,costing_method\n';
const row = (sku: string) => `${sku},Item,kg,g,1,1\n`;
const requests = (stderr: string) => stderr.match(/^(GET|POST|PUT|DELETE) /gm) ?? [];

/** Opens a sandbox with an unfinished run whose last row is still planned. */
async function openUnfinishedRun(skus: readonly string[]) {
  const sandbox = openImportSandbox();
  const text = file + skus.map(row).join('');
  const result = await sandbox.import('items.csv', text, 'inventory-items --key sku --yes');
  expect(result.rows.map(({ outcome }) => outcome)).toEqual(skus.map(() => 'done'));
  const folder = accountFolderIn(`${sandbox.folder}/config`);
  const [id = ''] = listRunIds(folder);
  const ledger = openRun(folder, id);
  const lastRow = [...ledger.rows('done')].at(-1);
  if (!lastRow) throw new Error('There are rows.');
  await sandbox.boh(`inventory-items delete ${lastRow.id} --yes`);
  ledger.change(lastRow.seq, { state: 'planned', step: 0, id: null });
  ledger.setProperty('state', 'unfinished');
  ledger.setProperty('since', 0);
  ledger.close();
  const createDuplicate = (sku: string) =>
    sandbox.boh(
      `inventory-items create --sku=${sku} --name=Duplicate --storage-unit=kg --ingredient-unit=g --storage-to-ingredient-factor=1 --costing-method=1`,
    );
  return { sandbox, createDuplicate, resume: () => sandbox.boh(`runs resume ${id} --yes -v`) };
}

test('runs resume: lists duplicates if another user created the same records at the same time', async () => {
  const { createDuplicate, resume } = await openUnfinishedRun(['D-1', 'D-2', 'D-3']);
  expect((await createDuplicate('D-2')).exitCode).toBe(0);
  const result = await resume();
  expect(result.exitCode).toBe(0);
  expect(result.stderr).toContain('A record of this run now exists twice');
  expect(result.stderr).toMatch(/^ {2}D-2: \S+ of this run, and \S+$/m);
  expect(result.stderr).not.toContain('D-1: ');
});

test('runs resume and import: check for duplicates with one request', async () => {
  const { resume } = await openUnfinishedRun(['D-1', 'D-2', 'D-3']);
  const result = await resume();
  expect(result.stderr).not.toContain('exists twice');
  expect(result.stderr.slice(result.stderr.lastIndexOf('POST ')).match(/^GET /gm)).toHaveLength(1);
  const sandbox = openImportSandbox();
  const quick = await sandbox.import('a.csv', file + row('Q-1'), 'inventory-items --key sku --yes -v');
  expect(requests(quick.stderr).slice(-2)).toEqual(['POST ', 'GET ']);
});
