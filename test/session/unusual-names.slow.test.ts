/** Tests that every command finds records with unusual names, and that a second run changes nothing. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runBoh } from '../harness/run-boh.ts';
import { openManifestWorkspace } from '../manifest/workspace.ts';
import { unusualNames } from './unusual-names.ts';

interface Supplier {
  id: string;
  name: string;
  code: string;
}

/** Opens a workspace whose sandbox has a supplier with each name, or each code. */
async function openSuppliers(field: 'name' | 'code', names: readonly string[] = unusualNames) {
  const workspace = await openManifestWorkspace();
  const env = { BOH_CONFIG_DIR: join(workspace.folder, '.config') };
  const boh = (...args: string[]) => runBoh(['--sandbox', ...args], { env });
  const bodies = names.map((text, index) => ({ name: `Supplier ${index}`, [field]: text }));
  workspace.write('all.ndjson', bodies.map((body) => `${JSON.stringify(body)}\n`).join(''));
  const importResult = await boh(
    'suppliers',
    'import',
    join(workspace.folder, 'all.ndjson'),
    '--mode',
    'create',
    '--yes',
  );
  expect(importResult).toMatchObject({ exitCode: 0 });
  const list = async () =>
    JSON.parse((await boh('suppliers', 'list', '--all', '-o', 'json')).stdout) as Supplier[];
  const ids = new Map((await list()).map((row) => [row[field], row.id]));
  const write = (name: string, value: unknown) => workspace.write(name, JSON.stringify(value));
  return { ...workspace, boh, list, ids, write };
}

type Suppliers = Awaited<ReturnType<typeof openSuppliers>>;

/** The commands that find a supplier by a name or code. Each returns its ID, or the reason why it has none. */
const searches: Record<string, (workspace: Suppliers, field: string, text: string) => Promise<string>> = {
  '@FIELD:VALUE': async ({ boh }, field, text) =>
    idIn(await boh('suppliers', 'get', `@${field}:${text}`, '-o', 'json')),
  '@NAME': async ({ boh, ids }, _, text) => {
    // Text that starts with the name of a filter and a colon is a lookup by that filter.
    if (/^\w+:/.test(text)) return ids.get(text) ?? '';
    return idIn(await boh('suppliers', 'get', `@${text}`, '-o', 'json'));
  },
  'import --key of NDJSON': async (workspace, field, text) => {
    const file = workspace.write('row.ndjson', { [field]: text, contact_name: 'Imported' });
    return idIn(await workspace.boh('suppliers', 'import', file, '--key', field, '--yes', '-o', 'json'));
  },
  'import --key of CSV': async (workspace, field, text) => {
    const cell = `"${text.replaceAll('"', '""')}"`;
    const file = join(workspace.folder, 'row.csv');
    const { writeFileSync } = await import('node:fs');
    writeFileSync(file, `${field},contact_name\n${cell},From CSV\n`);
    return idIn(await workspace.boh('suppliers', 'import', file, '--key', field, '--yes', '-o', 'json'));
  },
  upsert: async ({ boh }, field, text) => {
    const body = JSON.stringify({ name: 'Supplier', [field]: text, contact_name: 'Upserted' });
    return idIn(await boh('suppliers', 'upsert', '--key', field, '--data', body, '-o', 'json'));
  },
  'create --if-missing': async ({ boh }, field, text) => {
    const body = JSON.stringify({ name: 'Supplier', [field]: text });
    return idIn(
      await boh('suppliers', 'create', '--if-missing', '--key', field, '--data', body, '-o', 'json'),
    );
  },
  apply: async (workspace, field, text) => {
    const file = workspace.write('one.json', {
      suppliers: [{ $key: [field], [field]: text, contact_name: 'Applied' }],
    });
    const applyResult = await workspace.boh('apply', file, '--yes', '-o', 'json');
    expect(applyResult).toMatchObject({ exitCode: 0 });
    const { changes } = JSON.parse((await workspace.boh('plan', file, '-o', 'json')).stdout) as {
      changes: unknown[];
    };
    expect(changes).toEqual([]);
    return idIn(applyResult);
  },
  'import-links': async (workspace, field, text) => {
    const lookup = text.startsWith('@') || /^\w+:/.test(text) ? `@${field}:${text}` : text;
    const row = { supplier: lookup, item: 'SKU-001', order_unit: 'box', order_to_storage_factor: 2 };
    const file = workspace.write('links.ndjson', row);
    return idIn(await workspace.boh('suppliers', 'import-links', 'item', file, '--yes', '-o', 'json'));
  },
};

/** Returns the ID of the first record in the output of a command, or its messages if it failed. */
function idIn({ exitCode, stdout, stderr }: { exitCode: number; stdout: string; stderr: string }): string {
  if (exitCode !== 0) return stderr;
  const json = stdout.startsWith('[') || stdout.startsWith('{') ? stdout : '{}';
  const firstValue = json.includes('}\n{') ? json.split('\n')[0] : json;
  const result = JSON.parse(firstValue ?? '');
  return (Array.isArray(result) ? result[0]?.id : result.id) ?? `no id in ${stdout}`;
}

describe.each(['name', 'code'] as const)('a record with an unusual %s', (field) => {
  it.each(Object.keys(searches))('is found by %s, which adds no duplicate', async (search) => {
    const workspace = await openSuppliers(field);
    const supplierCount = (await workspace.list()).length;
    const foundIds: Record<string, string> = {};
    for (const text of unusualNames)
      foundIds[text] = (await searches[search]?.(workspace, field, text)) ?? '';
    expect(foundIds).toEqual(Object.fromEntries(unusualNames.map((text) => [text, workspace.ids.get(text)])));
    expect(await workspace.list()).toHaveLength(supplierCount);
  });
});

/** Returns another spelling of the same key: more spaces, decomposed letters, invisible marks. */
function respell(text: string): string {
  return `\u200f  ${text.normalize('NFD').replaceAll(/\s+/g, ' \u00a0')} \u200e`;
}

it.each(Object.keys(searches).filter((search) => !search.startsWith('import')))(
  'a name in another spelling: is found by %s',
  async (search) => {
    // After a space, @ and the names of filters have no meaning.
    const names = unusualNames.filter((name) => !/^[@]|^\w+:|^Ma\u200b/.test(name));
    const workspace = await openSuppliers('name', names);
    const foundIds: Record<string, string> = {};
    for (const text of names)
      foundIds[text] = (await searches[search]?.(workspace, 'name', respell(text))) ?? '';
    expect(foundIds).toEqual(Object.fromEntries(names.map((text) => [text, workspace.ids.get(text)])));
  },
);

it('file with unusual names: a second import, a plan, a diff and a plan of pulled files show no change', async () => {
  const workspace = await openSuppliers('name');
  const rows = unusualNames.map((name) => ({ name, contact_name: 'Anyone' }));
  const file = workspace.write('rows.json', rows);
  for (const actions of [['update'], ['skip']]) {
    const result = await workspace.boh('suppliers', 'import', file, '--key', 'name', '--yes', '-o', 'json');
    expect(result).toMatchObject({ exitCode: 0 });
    const resultRows = JSON.parse(result.stdout) as { action: string }[];
    expect([...new Set(resultRows.map(({ action }) => action))]).toEqual(actions);
  }
  const suppliers = unusualNames.map((name) => ({ $key: ['name'], name, contact_name: 'Anyone' }));
  const manifest = workspace.write('manifest.json', { suppliers });
  expect(JSON.parse((await workspace.boh('plan', manifest, '-o', 'json')).stdout).changes).toEqual([]);
  expect(await workspace.boh('diff', manifest)).toMatchObject({ exitCode: 0 });
  const pulledFolder = join(workspace.folder, 'pulled');
  expect(await workspace.boh('pull', pulledFolder, '--resource', 'suppliers')).toMatchObject({ exitCode: 0 });
  expect(JSON.parse((await workspace.boh('plan', pulledFolder, '-o', 'json')).stdout).changes).toEqual([]);
});

it('tags with unusual names: are found by relation columns of imports and by manifests', async () => {
  const workspace = await openSuppliers('name', ['Any']);
  const names = unusualNames.filter((name) => !/^@|^\w+:/.test(name));
  const tags = names.map((name) => ({ name, type: 'supplier' }));
  const file = workspace.write('tags.json', tags);
  expect(await workspace.boh('tags', 'import', file, '--mode', 'create', '--yes')).toMatchObject({
    exitCode: 0,
  });
  const rows = names.map((name, index) => ({ name: `Tagged ${index}`, tags: [name] }));
  const taggedFile = workspace.write('tagged.json', rows);
  for (const action of ['create', 'skip']) {
    const result = await workspace.boh(
      'suppliers',
      'import',
      taggedFile,
      '--key',
      'name',
      '--yes',
      '-o',
      'json',
    );
    expect(result).toMatchObject({ exitCode: 0 });
    const resultRows = JSON.parse(result.stdout) as { action: string }[];
    expect([...new Set(resultRows.map(({ action }) => action))]).toEqual([action]);
  }
  const manifest = workspace.write('tagged-manifest.json', {
    suppliers: rows.map((row) => ({ $key: ['name'], ...row })),
  });
  expect(JSON.parse((await workspace.boh('plan', manifest, '-o', 'json')).stdout).changes).toEqual([]);
});

it('copy of records with unusual names: a second copy adds nothing', async () => {
  const workspace = await openSuppliers('name');
  const env = { BOH_CONFIG_DIR: join(workspace.folder, '.config') };
  const boh = (...args: string[]) => runBoh(args, { env });
  for (const [profile, sandbox] of [
    ['source', 'default'],
    ['target', 'other'],
  ] as const)
    await runBoh(['profiles', 'add', profile, '--sandbox'], { env: { ...env, BOH_SANDBOX: sandbox } });
  const copy = () => boh('copy', 'suppliers', '--from', 'source', '--to', 'target', '--yes', '-o', 'json');
  const firstResult = await copy();
  expect(firstResult, firstResult.stderr).toMatchObject({ exitCode: 0 });
  const countSuppliers = async () =>
    JSON.parse((await boh('suppliers', 'list', '--all', '--profile', 'target', '-o', 'json')).stdout).length;
  const countAfterFirst = await countSuppliers();
  expect(countAfterFirst).toBeGreaterThanOrEqual(unusualNames.length);
  const repeatResult = await copy();
  expect(repeatResult, repeatResult.stderr).toMatchObject({ exitCode: 0 });
  expect(await countSuppliers()).toBe(countAfterFirst);
});
