/** Services that return relations only with `include`, or only in single records, or not at all: no result lacks them silently. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Alterations, serveAltered } from '../harness/altered-sandbox.ts';
import { failureOf, runBoh } from '../harness/run-boh.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'boh-relations-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

const includes = (requests: readonly string[], path: string) =>
  requests
    .filter((request) => request.startsWith(`GET /${path}`))
    .map((request) => /include=([^&]*)/.exec(request)?.[1]?.split(',').sort().join(',') ?? '');

/** Backs up one resource, and returns the result, the stored records and the includes of the requests. */
async function backUp(command: string, alterations: Alterations, env: Record<string, string> = {}) {
  const service = await serveAltered(alterations);
  const folder = temporaryFolder();
  const config = { BOH_CONFIG_DIR: temporaryFolder(), ...env };
  const backup = async () => {
    const result = await service.boh(`backup ${folder} --resource ${command}`, config);
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    const { file, resource } = manifest.resources[0];
    const records = readFileSync(join(folder, file), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    return { result, manifest, records, requested: includes(service.requests.splice(0), resource) };
  };
  return { service, folder, config, backup };
}

test('backup: includes relations that the document lists as always returned, and remembers that', async () => {
  const { backup } = await backUp('inventory-counts', { onlyIncluded: true });
  const first = await backup();
  expect(first.result).toMatchObject({ exitCode: 0 });
  expect(first.records.every(({ items, branch }) => Array.isArray(items) && branch?.id)).toBe(true);
  expect(first.requested).toEqual(['', 'branch,creator,items,poster']);
  const second = await backup();
  expect(second.requested[0]).toBe('branch,creator,items,poster');
  expect(second.records).toEqual(first.records);
});

test('backup: a service that returns everything gets no more requests', async () => {
  const { backup } = await backUp('inventory-counts', {});
  expect((await backup()).requested).toHaveLength(1);
});

test.each([
  ['with the allowed relations', true],
  ['without them', false],
])('backup: a refusal of relations %s is learned', async (_, namesAllowed) => {
  const { backup } = await backUp('cost-adjustments', {
    onlyIncluded: true,
    refused: { cost_adjustments: ['poster'] },
    namesAllowed,
  });
  const first = await backup();
  expect(first.records.every(({ items, branch, creator }) => items && branch && creator)).toBe(true);
  expect(first.result.exitCode).toBe(9);
  expect(first.manifest.left_out).toMatchObject([{ resource: 'poster of cost_adjustments' }]);
  const second = await backup();
  expect(second.requested[0]).toBe('branch,creator,items');
});

test('backup: reads fields from single records if lists lack them', async () => {
  const { backup, service } = await backUp('modifiers', { onlySingle: { modifiers: ['options'] } });
  const { result, records } = await backup();
  expect(result).toMatchObject({ exitCode: 0 });
  expect(records.length).toBeGreaterThan(0);
  const options = (id: string) => service.direct.get(`/modifiers/${id}?include=options`).json.data.options;
  for (const record of records) expect(record.options).toHaveLength(options(record.id).length);
});

test('backup and verify: name fields that the service never returns', async () => {
  const { backup, service, folder } = await backUp('inventory-counts', {
    absent: { inventory_counts: ['items'] },
  });
  const { result } = await backup();
  expect(result.exitCode).toBe(9);
  expect(failureOf(result).message).toContain('items of inventory_counts');
  const verification = await service.boh(`backup verify ${folder}`);
  expect(verification.stderr).toContain('items of inventory_counts');
  expect(verification.stderr).not.toContain('complete and unchanged');
});

test.each([
  'inventory-counts export --to FOLDER/counts.csv',
  'pull FOLDER --resource gift-card-products',
  'mirror sync --resource inventory-counts --to sqlite:FOLDER/mirror.sqlite',
  'inventory-items levels',
])('%s: a missing field is an incomplete result', async (line) => {
  const absent = { inventory_counts: ['items'], gift_card_products: ['tags', 'groups', 'branches'] };
  const service = await serveAltered({ absent });
  const folder = temporaryFolder();
  const result = await service.boh(line.replace('FOLDER', folder), { BOH_CONFIG_DIR: folder });
  expect([line, result.exitCode, result.stderr]).toEqual([line, 9, expect.stringMatching(/items|groups/)]);
});

test('pull, plan: an unedited pull of a service with relations only by include plans no change', async () => {
  const service = await serveAltered({ onlyIncluded: true, onlySingle: { modifiers: ['options'] } });
  const folder = temporaryFolder();
  const line = '--resource categories,groups,gift-card-products,modifiers,suppliers,taxes,tax-groups';
  expect(await service.boh(`pull ${folder} ${line}`)).toMatchObject({ exitCode: 0 });
  const plan = await service.boh(`plan ${folder} -o json`);
  expect([plan.exitCode, JSON.parse(plan.stdout)]).toEqual([0, { changes: [] }]);
});

test('update with wire.put replace: reads relations that come only with include before it writes', async () => {
  const service = await serveAltered({ onlyIncluded: true });
  const [product] = await service.json<{ id: string }[]>('gift-card-products list --limit 1');
  const id = product?.id ?? '';
  const before = service.direct.get(`/gift_card_products/${id}`).json.data;
  const result = await service.boh(`gift-card-products update ${id} --name New --yes`, {
    BOH_WIRE_PUT: 'replace',
  });
  expect(result).toMatchObject({ exitCode: 0 });
  expect(service.direct.get(`/gift_card_products/${id}`).json.data).toMatchObject({
    groups: before.groups,
    category: before.category,
  });
});

test('rehearse: starts with the last count of a service that returns lines only with include', async () => {
  const service = await serveAltered({ onlyIncluded: true });
  const folder = temporaryFolder();
  const env = { BOH_CONFIG_DIR: folder };
  const count =
    'inventory-counts create --branch-id branch-riverside --status closed --items @SKU-001=9 --yes';
  expect(await service.boh(count, env)).toMatchObject({ exitCode: 0 });
  const file = join(folder, 'order.yaml');
  const references =
    'warehouse: { id: warehouse-central }, creator: { number: "1000" }, poster: { number: "1000" }';
  writeFileSync(
    file,
    `transfer-orders:
  - { $key: [branch, notes], branch: Riverside, notes: Rehearsed, status: accepted, ${references}, items: [{ item: SKU-001, quantity: 2 }] }
`,
  );
  const rehearse = async () => JSON.parse((await service.boh(`rehearse ${file} -o json`, env)).stdout);
  expect((await rehearse()).stock).toContainEqual(expect.objectContaining({ place: 'Riverside', old: 9 }));
  service.alterations.absent = { inventory_counts: ['items'] };
  expect((await rehearse()).not_rehearsed).toContainEqual(
    expect.stringContaining("doesn't return items of inventory counts"),
  );
});

test('copy: sends nothing if the source lacks a field', async () => {
  const [from, to] = [
    await serveAltered({ absent: { suppliers: ['tags'] } }),
    await serveAltered({}, { empty: true }),
  ];
  const folder = temporaryFolder();
  const boh = (line: string, stdin = '') =>
    runBoh(line.split(' '), { env: { BOH_CONFIG_DIR: folder }, stdin });
  for (const [name, service] of [
    ['from', from],
    ['to', to],
  ] as const) {
    const { BOH_BASE_URL, BOH_TOKEN } = service.env;
    expect(await boh(`profiles add ${name} --base-url ${BOH_BASE_URL}`)).toMatchObject({ exitCode: 0 });
    await boh(`auth login --profile ${name} --with-token`, BOH_TOKEN);
  }
  const result = await boh('copy suppliers --from from --to to --yes');
  expect([result.exitCode, result.stderr]).toEqual([9, expect.stringContaining('tags of suppliers')]);
  expect(to.requests.filter((request) => !request.startsWith('GET'))).toEqual([]);
});
