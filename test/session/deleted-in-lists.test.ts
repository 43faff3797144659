/** Services whose lists contain deleted records that no filter asks for: they stay deleted, and are shown only if asked for. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { operation } from '../../src/api/contract/operation.ts';
import { suppliers } from '../../src/api/resources/suppliers.ts';
import { formatFooter } from '../../src/cli/output/wording.ts';
import { serveAltered } from '../harness/altered-sandbox.ts';
import { failureOf } from '../harness/run-boh.ts';
import { openTestSession } from './test-session.ts';

const list = operation(suppliers, 'list') as NonNullable<ReturnType<typeof operation>>;

interface Named {
  id: string;
  name: string;
  deleted_at: string | null;
}

/** Serves suppliers of which the first is deleted, and an active one has the same name. */
async function serveDeleted(alterations = {}) {
  const service = await serveAltered({ listsDeleted: true, ...alterations }, { empty: true });
  const create = (name: string): string =>
    service.direct.post('/suppliers', { name, code: `C-${name}` }).json.data.id;
  const [deletedId, otherDeletedId] = [create('Alba'), create('Bora')];
  for (const id of [deletedId, otherDeletedId]) service.direct.delete(`/suppliers/${id}`);
  const namesakeId = service.direct.post('/suppliers', { name: 'Alba', code: 'C-2' }).json.data.id as string;
  const activeId = create('Corn');
  return { ...service, deletedId, otherDeletedId, namesakeId, activeId };
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'boh-deleted-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

const activeNames = ['Alba', 'Corn'];

test('list: leaves deleted records out, unless they are asked for', async () => {
  const { json } = await serveDeleted();
  const names = async (line: string) => (await json<Named[]>(line)).map(({ name }) => name).sort();
  expect(await names('suppliers list')).toEqual(activeNames);
  expect(await names('suppliers list --is-deleted')).toEqual(['Alba', 'Alba', 'Bora', 'Corn']);
  expect(await names('suppliers list --limit 2')).toEqual(activeNames);
  expect(await names('find Bora')).toEqual([]);
  expect(await names('find Alba')).toEqual(['Alba (C-2)']);
});

test('a list with deleted records: is remembered for later commands', async () => {
  const { boh } = await serveDeleted();
  const folder = temporaryFolder();
  await boh('suppliers list', { BOH_CONFIG_DIR: folder });
  const facts = Object.values(JSON.parse(readFileSync(join(folder, 'cache', 'service.json'), 'utf8')));
  expect(facts).toMatchObject([{ content: { listsDeleted: true } }]);
});

test('list --page: names the number of deleted records that it leaves out', async () => {
  const { boh } = await serveDeleted();
  const { stderr } = await boh('suppliers list --page 1 --columns name');
  expect(stderr).toContain('Page 1 of 1: 2 suppliers, without 2 deleted.');
});

test('pull, plan and apply: deleted records stay deleted', async () => {
  const { boh, direct, deletedId } = await serveDeleted();
  const folder = temporaryFolder();
  expect(await boh(`pull ${folder} --resource suppliers`)).toMatchObject({ exitCode: 0 });
  expect(readFileSync(join(folder, 'suppliers.yaml'), 'utf8')).not.toContain('Bora');
  expect(JSON.parse((await boh(`plan ${folder} -o json`)).stdout)).toEqual({ changes: [] });
  expect((await boh(`apply ${folder} --yes`)).exitCode).toBe(0);
  expect(direct.get(`/suppliers/${deletedId}`).json.data.deleted_at).not.toBeNull();
});

test('export: writes active records, and with --is-deleted also deleted ones with their time of deletion', async () => {
  const { boh } = await serveDeleted();
  const active = await boh('suppliers export --columns name');
  expect(active.stdout.match(/Alba|Bora|Corn/g)).toEqual(['Alba', 'Corn']);
  const all = await boh('suppliers export --columns name --is-deleted');
  expect(all.stdout.match(/Alba|Bora|Corn/g)).toHaveLength(4);
  expect(all.stdout.split('\n')[0]).toContain('deleted');
});

test('@NAME, upsert and import by key: find the active record, not the deleted one with the same name', async () => {
  const { boh, json, direct, namesakeId } = await serveDeleted();
  expect(await json<Named>('suppliers get @name:Alba')).toMatchObject({ id: namesakeId });
  const upsert = await boh('suppliers upsert --key name --name Alba --code C-3 --yes -o json');
  expect([upsert.exitCode, JSON.parse(upsert.stdout).id]).toEqual([0, namesakeId]);
  const file = join(temporaryFolder(), 'suppliers.csv');
  writeFileSync(file, 'name,code\nAlba,C-4\n');
  expect((await boh(`suppliers import ${file} --key name --yes`)).stderr).toContain('1 updated');
  expect(direct.get(`/suppliers/${namesakeId}`).json.data.code).toBe('C-4');
});

test('restore @NAME: finds the deleted record', async () => {
  const { boh, direct, otherDeletedId } = await serveDeleted();
  expect(await boh('suppliers restore @name:Bora --yes')).toMatchObject({ exitCode: 0 });
  expect(direct.get(`/suppliers/${otherDeletedId}`).json.data.deleted_at).toBeNull();
});

test('backup and copy: deleted records stay deleted', async () => {
  const { boh } = await serveDeleted();
  const folder = temporaryFolder();
  expect(await boh(`backup ${folder} --resource suppliers`)).toMatchObject({ exitCode: 0 });
  const { resources } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  expect(resources).toMatchObject([{ records: 4, deleted: 2 }]);
});

test('a refused filter is_deleted: deleted records are found in lists that contain them', async () => {
  const { boh } = await serveDeleted({ refusesDeletedFilter: true });
  const folder = temporaryFolder();
  expect(await boh(`backup ${folder} --resource suppliers`)).toMatchObject({ exitCode: 0 });
  const { resources } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  expect(resources).toMatchObject([{ records: 4, deleted: 2 }]);
  expect(await boh('suppliers restore @name:Bora --yes')).toMatchObject({ exitCode: 0 });
});

test('a refused filter is_deleted: an empty list is complete if other lists contain deleted records', async () => {
  const { boh } = await serveDeleted({ refusesDeletedFilter: true });
  const folder = temporaryFolder();
  const env = { BOH_CONFIG_DIR: folder };
  await boh('suppliers list', env);
  expect(await boh(`backup ${folder}/backup --resource suppliers,customers`, env)).toMatchObject({
    exitCode: 0,
  });
});

test('a refused filter is_deleted: a list without deleted records is not called complete', async () => {
  const { boh } = await serveDeleted({ listsDeleted: false, refusesDeletedFilter: true });
  const result = await boh('suppliers restore @name:Bora --yes');
  expect(failureOf(result).message).toContain('so they may be missing');
});

test('a refused filter is_deleted: backups, exports and mirrors of active records end with exit 9', async () => {
  const { boh } = await serveDeleted({ listsDeleted: false, refusesDeletedFilter: true });
  const folder = temporaryFolder();
  const backup = await boh(`backup ${folder}/backup --resource suppliers`);
  const { resources, left_out: leftOut } = JSON.parse(
    readFileSync(join(folder, 'backup', 'manifest.json'), 'utf8'),
  );
  expect([backup.exitCode, resources[0].records]).toEqual([9, 2]);
  expect(leftOut).toMatchObject([{ resource: 'deleted records of suppliers' }]);
  for (const line of [
    'suppliers export --columns name --is-deleted',
    `mirror sync --resource suppliers --to sqlite:${folder}/mirror.sqlite`,
  ]) {
    const result = await boh(line, { BOH_CONFIG_DIR: folder });
    expect([line, result.exitCode, result.stderr]).toEqual([
      line,
      9,
      expect.stringContaining('deleted records of suppliers'),
    ]);
  }
});

test('a first page of deleted records: further pages are read until one has an active record', async () => {
  const pages = [
    ['a', 'b'],
    ['c', 'd'],
    [null, 'e'],
    [null, null],
  ];
  const { session, requests } = openTestSession(({ target }) => {
    const page = Number(/page=(\d+)/.exec(target)?.[1] ?? 1);
    const data = pages[page - 1]?.map((name, index) => ({
      id: `${page}-${index}`,
      deleted_at: name && '2026-11-01 10:00:00',
    }));
    return { data, meta: { current_page: page, last_page: 4, per_page: 2, total: 8 } };
  });
  const reading = session.list({ operation: list, query: {} }, { isFirstPageOnly: true });
  const rows = await Array.fromAsync(reading.rows());
  expect(rows).toEqual([{ id: '3-0', deleted_at: null }]);
  expect(requests).toHaveLength(3);
  expect(formatFooter(suppliers, reading.summary())).toBe(
    '1 supplier, without 5 deleted, and there are more. To list more: --all or --page 4.',
  );
});
