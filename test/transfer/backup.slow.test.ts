/** Backups of a sandbox in this process: they are complete, verified and updated, and never lose records. */
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Handler } from '../../src/account/client/transport.ts';
import { Session } from '../../src/account/session/session.ts';
import type { Settings } from '../../src/account/settings/settings.ts';
import { api } from '../../src/api/resources/index.ts';
import { type BackupManifest, manifestName } from '../../src/engine/transfer/backup/manifest.ts';
import { verifyBackup } from '../../src/engine/transfer/backup/read-lines.ts';
import { type BackupOptions, writeBackup } from '../../src/engine/transfer/backup/write-backup.ts';
import { randomNumbers } from '../harness/random-numbers.ts';
import { repetitions, reportTried } from '../harness/repetitions.ts';
import { type Client, openClient } from '../sandbox/client.ts';
import { settings } from '../session/test-session.ts';

type Interceptor = (target: string) => ReturnType<Handler> | undefined;

function backUp(
  client: Client,
  folder: string,
  options: Partial<BackupOptions> = {},
  intercept: Interceptor = () => undefined,
  wire: Partial<Settings['wire']> = {},
) {
  const session = new Session({
    api,
    settings: { ...settings, wire: { ...settings.wire, ...wire } },
    env: {},
    embedded: async () => ({
      handle: (request) => intercept(request.target) ?? client.sandbox.handle(request),
      ownerToken: () => client.token,
    }),
  });
  const defaults = { env: {}, version: '0', sinceLast: false, now: () => new Date() };
  return writeBackup({ session, folder, ...defaults, ...options });
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'boh-backup-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'backup');
}

type Record = { [name: string]: unknown; id: string };

function recordsIn(folder: string, { resources }: BackupManifest): Map<string, Map<string, Record>> {
  const linesOf = (file: string) => readFileSync(join(folder, file), 'utf8').trimEnd().split('\n');
  return new Map(
    resources.map(({ resource, file }) => [
      resource,
      new Map(
        linesOf(file)
          .map((line) => JSON.parse(line) as Record)
          .map((record) => [record.id, record]),
      ),
    ]),
  );
}

const problemsOf = async (folder: string) => {
  try {
    const { resources } = await verifyBackup(folder);
    return resources.flatMap(({ resource, problem }) => (problem === null ? [] : [resource]));
  } catch (error) {
    return [(error as Error).message];
  }
};

describe('a backup', () => {
  test('contains all records of all lists, with deleted records and links, and only its owner may read it', async () => {
    const client = await openClient();
    const folder = temporaryFolder();
    const manifest = await backUp(client, folder);
    expect(manifest.resources.map(({ resource }) => resource)).toEqual(
      api.dependencyOrder().map(({ resource }) => resource.name),
    );
    expect(manifest).toMatchObject({ left_out: [], business: { name: 'Saffron Table' } });
    for (const { resource, records, deleted, file, unseen } of manifest.resources) {
      const query = deleted === null ? '' : '?filter[is_deleted]=true';
      expect([resource, records]).toEqual([resource, client.get(`/${resource}${query}`).json.meta.total]);
      expect([unseen, statSync(join(folder, file)).mode & 0o777]).toEqual([[], 0o600]);
    }
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder)).toHaveLength(manifest.resources.length + 1);
    const records = recordsIn(folder, manifest);
    const items = [...(records.get('suppliers')?.values() ?? [])].flatMap(({ items }) => items as Record[]);
    expect(items[0]).toMatchObject({ id: expect.any(String), pivot: { order_unit: expect.any(String) } });
    expect(await problemsOf(folder)).toEqual([]);
  });

  test('contains no secret', async () => {
    const client = await openClient();
    const body = { name: 'Canary', lang: 'en', pin: '90214', password: 'canary-password' };
    expect(client.post('/users', body).status).toBeLessThan(300);
    const folder = temporaryFolder();
    const manifest = await backUp(client, folder);
    for (const record of recordsIn(folder, manifest).get('users')?.values() ?? []) {
      expect(Object.keys(record)).not.toContain('pin');
      expect(Object.keys(record)).not.toContain('password');
    }
    for (const file of readdirSync(folder))
      expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/90214|canary-/);
  });

  test('contains a record that is deleted between the lists of deleted and active records', async () => {
    const client = await openClient({ variant: { 'wire.deleted_filter': 'only' } });
    const folder = temporaryFolder();
    const [id] = client.get('/tags').json.data.map((row: Record) => row.id);
    const intercept: Interceptor = (target) => {
      if (target.startsWith('/tags') && !target.includes('is_deleted')) client.delete(`/tags/${id}`);
      return undefined;
    };
    const manifest = await backUp(client, folder, {}, intercept, { deletedFilter: 'only' });
    expect(await problemsOf(folder)).toEqual([]);
    expect(recordsIn(folder, manifest).get('tags')?.get(id)?.deleted_at).toEqual(expect.any(String));
    const nextBackup = await backUp(client, folder, { sinceLast: true }, undefined, {
      deletedFilter: 'only',
    });
    expect(recordsIn(folder, nextBackup).get('tags')?.get(id)?.deleted_at).toEqual(expect.any(String));
    const deletedBefore = new Map(manifest.resources.map(({ resource, deleted }) => [resource, deleted]));
    const missingResources = nextBackup.resources.filter(
      ({ resource, deleted }) => deleted !== null && deleted < (deletedBefore.get(resource) ?? 0),
    );
    expect(missingResources).toEqual([]);
  });

  test('contains active records if the service lists deleted records separately, and the setting is missing', async () => {
    const client = await openClient({ variant: { 'wire.deleted_filter': 'only' } });
    const [deletedId] = client.get('/tags').json.data.map((row: Record) => row.id);
    client.delete(`/tags/${deletedId}`);
    const folder = temporaryFolder();
    const tags = recordsIn(folder, await backUp(client, folder)).get('tags');
    expect(
      [...(tags?.values() ?? [])].filter(({ deleted_at: deletedAt }) => deletedAt === null).length,
    ).toBeGreaterThan(1);
    expect(tags?.get(deletedId)?.deleted_at).toEqual(expect.any(String));
  });

  test('with any byte changed: fails the verification', async () => {
    const folder = temporaryFolder();
    const manifest = await backUp(await openClient(), folder);
    const files = [manifestName, ...manifest.resources.map(({ file }) => file)];
    const random = randomNumbers(7);
    const draw = (below: number) => Math.floor(random() * below);
    const changeCount = repetitions(60);
    for (let round = 0; round < changeCount; round++) {
      const file = join(folder, files[round % files.length] ?? '');
      const bytes = readFileSync(file);
      const changed = Buffer.from(bytes);
      const index = draw(bytes.length);
      changed[index] = (changed[index] ?? 0) ^ (1 + draw(255));
      writeFileSync(file, changed);
      expect(await problemsOf(folder), `${file}, byte ${index}`).toHaveLength(1);
      writeFileSync(file, bytes);
    }
    expect(await problemsOf(folder)).toEqual([]);
    reportTried({ tried: `${changeCount} changed bytes`, seed: 7 });
  });

  test('with a file missing, truncated or extended: fails the verification', async () => {
    const folder = temporaryFolder();
    const manifest = await backUp(await openClient(), folder);
    const entry = manifest.resources.find(({ resource }) => resource === 'customers');
    const file = join(folder, entry?.file ?? '');
    const text = readFileSync(file, 'utf8');
    for (const damagedText of [
      '',
      text.slice(0, -1),
      text.slice(0, text.indexOf('\n') + 1),
      `${text}{"id":"x"}\n`,
    ]) {
      writeFileSync(file, damagedText);
      expect(await problemsOf(folder)).toEqual(['customers']);
    }
    renameSync(file, `${file}.away`);
    expect(await problemsOf(folder)).toEqual(['customers']);
    expect((await verifyBackup(folder)).otherFiles).toEqual([`${entry?.file}.away`]);
    await expect(verifyBackup(join(folder, 'nowhere'))).rejects.toMatchObject({ category: 'not_found' });
  });
});

describe('--since-last', () => {
  test('new, changed, deleted and linked records: writes the same records as a full backup', async () => {
    const client = await openClient();
    const [folder, full] = [temporaryFolder(), temporaryFolder()];
    await backUp(client, folder);
    const createdId = client.post('/customers', { name: 'New', dial_code: 966, phone: '550009999' }).json.data
      .id;
    const [firstId, secondId] = client.get('/suppliers').json.data.map(({ id }: Record) => id);
    client.put(`/suppliers/${firstId}`, { name: 'Renamed' });
    client.delete(`/suppliers/${secondId}`);
    const item = client.get('/inventory_items').json.data.at(-1).id;
    client.post(`/suppliers/${firstId}/items/${item}`, { order_unit: 'box', order_to_storage_factor: 3 });
    const [inventoryCount] = client.get('/inventory_counts').json.data;
    client.delete(`/inventory_counts/${inventoryCount.id}`);
    const manifest = await backUp(client, folder, { sinceLast: true });
    const records = recordsIn(folder, manifest);
    expect(records).toEqual(recordsIn(full, await backUp(client, full)));
    expect(records.get('customers')?.get(createdId)).toMatchObject({ name: 'New' });
    expect(records.get('suppliers')?.get(secondId)?.deleted_at).toEqual(expect.any(String));
    const reads = Object.fromEntries(manifest.resources.map(({ resource, read }) => [resource, read]));
    expect(reads).toMatchObject({ suppliers: 'changes', inventory_counts: 'complete' });
    expect(await problemsOf(folder)).toEqual([]);
  });

  test('after a previous backup: reads only the changes', async () => {
    const client = await openClient();
    const folder = temporaryFolder();
    await backUp(client, folder);
    const requests: string[] = [];
    const changed = await backUp(client, folder, { sinceLast: true }, (target) => {
      requests.push(decodeURIComponent(target));
      return undefined;
    });
    const customers = requests.filter((target) => target.startsWith('/customers?'));
    expect(customers.length).toBeGreaterThan(0);
    for (const target of customers) expect(target).toContain('filter[updated_after]=');
    expect(changed.resources.find(({ resource }) => resource === 'customers')?.read).toBe('changes');
  });

  test('other scopes than in the previous backup: reads newly visible lists completely, and reports hidden fields', async () => {
    const client = await openClient();
    const folder = temporaryFolder();
    const [id] = client.get('/customers').json.data.map((row: Record) => row.id);
    const entryOf = ({ resources }: BackupManifest) =>
      resources.find(({ resource }) => resource === 'customers');
    const narrow = client.with('customers.list', 'general.read');
    const resources = api.collections.filter(({ name }) => name === 'customers');
    await backUp(client, folder, { resources });
    client.put(`/customers/${id}`, { name: 'Changed' });
    const narrowResult = await backUp(narrow, folder, { resources, sinceLast: true });
    expect(entryOf(narrowResult)).toMatchObject({ read: 'changes', unseen: ['house_account_limit'] });
    const incremental = await backUp(client, folder, { resources, sinceLast: true });
    expect(entryOf(incremental)).toMatchObject({ read: 'complete', unseen: [] });
  });

  test('a modified backup: is refused', async () => {
    const client = await openClient();
    const folder = temporaryFolder();
    await expect(backUp(client, folder, { sinceLast: true })).rejects.toMatchObject({ category: 'usage' });
    const manifest = await backUp(client, folder);
    const entry = manifest.resources.find(({ resource }) => resource === 'customers');
    const file = join(folder, entry?.file ?? '');
    writeFileSync(file, readFileSync(file, 'utf8').replace('Huda', 'Hoda'));
    await expect(backUp(client, folder, { sinceLast: true })).rejects.toMatchObject({
      category: 'unavailable',
      message: expect.stringContaining('its content has changed'),
    });
    await backUp(client, folder);
    expect(await problemsOf(folder)).toEqual([]);
  });
});

describe("a backup that can't read everything", () => {
  test('with missing scopes: skips and reports these resources and fields', async () => {
    const client = (await openClient()).with('customers.list', 'general.read');
    const { resources, left_out: skipped } = await backUp(client, temporaryFolder());
    expect(resources.map(({ resource }) => resource)).toContain('tags');
    const customers = resources.find(({ resource }) => resource === 'customers');
    expect(customers?.unseen).toContain('house_account_limit');
    expect(skipped.map(({ resource }) => resource)).toEqual(expect.arrayContaining(['users', 'suppliers']));
    expect([...resources, ...skipped]).toHaveLength(api.collections.length);
    for (const { reason } of skipped) expect(reason).not.toBe('');
  });

  test('with a failed list: leaves the previous backup unchanged', async () => {
    const client = await openClient();
    const folder = temporaryFolder();
    const previousBackup = await backUp(client, folder);
    const refused = { status: 422, headers: {}, body: '{"message":"Not now."}' };
    const failTags: Interceptor = (target) => (target.startsWith('/tags') ? refused : undefined);
    await expect(backUp(client, folder, {}, failTags)).rejects.toThrow(/tags: .* was not changed/);
    expect((await verifyBackup(folder)).manifest).toEqual(previousBackup);
    expect(await problemsOf(folder)).toEqual([]);
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('with fewer resources than the previous backup: is refused', async () => {
    const client = await openClient();
    const folder = temporaryFolder();
    await backUp(client, folder);
    const resources = api.collections.filter(({ name }) => name === 'tags');
    await expect(backUp(client, folder, { resources })).rejects.toThrow(/contains .*customers/);
    const otherFolder = temporaryFolder();
    const manifest = await backUp(client, otherFolder, { resources });
    expect(manifest.resources.map(({ resource }) => resource)).toEqual(['tags']);
    writeFileSync(join(`${otherFolder}/..`, 'letter.txt'), 'x');
    await expect(backUp(client, join(otherFolder, '..'))).rejects.toThrow('contains other files');
    await expect(backUp(client, join(otherFolder, manifestName))).rejects.toThrow('not a folder');
  });
});
