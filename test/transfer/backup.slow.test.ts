/** Backups of a sandbox in this process: complete, verified, updated, and refused if they would lose records. */
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Handler } from '../../src/client/transport.ts';
import { api } from '../../src/resources/index.ts';
import { openSession } from '../../src/session/session.ts';
import type { Settings } from '../../src/settings/settings.ts';
import { type BackupManifest, manifestName } from '../../src/transfer/backup/manifest.ts';
import { verifyBackup } from '../../src/transfer/backup/read-lines.ts';
import { type BackupOptions, writeBackup } from '../../src/transfer/backup/write-backup.ts';
import { draws } from '../harness/draws.ts';
import { reportTried, rounds } from '../harness/rounds.ts';
import { type Client, openClient } from '../sandbox/client.ts';
import { settings } from '../session/open.ts';

type Meddle = (target: string) => ReturnType<Handler> | undefined;

function backedUp(
  client: Client,
  folder: string,
  options: Partial<BackupOptions> = {},
  meddle: Meddle = () => undefined,
  wire: Partial<Settings['wire']> = {},
) {
  const session = openSession({
    api,
    settings: { ...settings, wire: { ...settings.wire, ...wire } },
    env: {},
    embedded: async () => ({
      handle: (request) => meddle(request.target) ?? client.sandbox.handle(request),
      ownerToken: () => client.token,
    }),
  });
  const rest = { env: {}, version: '0', sinceLast: false, now: () => new Date() };
  return writeBackup({ session, folder, ...rest, ...options });
}

function folderOf(): string {
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

const problemsIn = async (folder: string) => {
  try {
    const { resources } = await verifyBackup(folder);
    return resources.flatMap(({ resource, problem }) => (problem === null ? [] : [resource]));
  } catch (error) {
    return [(error as Error).message];
  }
};

describe('a backup', () => {
  test('contains every record of every list, deleted ones and links too; only its owner may read it', async () => {
    const client = await openClient();
    const folder = folderOf();
    const manifest = await backedUp(client, folder);
    expect(manifest.resources.map(({ resource }) => resource)).toEqual(
      api.dependencyOrder().map(({ resource }) => resource.name),
    );
    expect(manifest).toMatchObject({ left_out: [], business: { name: 'Saffron Table' } });
    for (const { resource, records, deleted, file, unseen } of manifest.resources) {
      const asked = deleted === null ? '' : '?filter[is_deleted]=true';
      expect([resource, records]).toEqual([resource, client.get(`/${resource}${asked}`).json.meta.total]);
      expect([unseen, statSync(join(folder, file)).mode & 0o777]).toEqual([[], 0o600]);
    }
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder)).toHaveLength(manifest.resources.length + 1);
    const records = recordsIn(folder, manifest);
    const items = [...(records.get('suppliers')?.values() ?? [])].flatMap(({ items }) => items as Record[]);
    expect(items[0]).toMatchObject({ id: expect.any(String), pivot: { order_unit: expect.any(String) } });
    expect(await problemsIn(folder)).toEqual([]);
  });

  test('contains no secret', async () => {
    const client = await openClient();
    const body = { name: 'Canary', lang: 'en', pin: '90214', password: 'canary-password' };
    expect(client.post('/users', body).status).toBeLessThan(300);
    const folder = folderOf();
    const manifest = await backedUp(client, folder);
    for (const record of recordsIn(folder, manifest).get('users')?.values() ?? []) {
      expect(Object.keys(record)).not.toContain('pin');
      expect(Object.keys(record)).not.toContain('password');
    }
    for (const file of readdirSync(folder))
      expect(readFileSync(join(folder, file), 'utf8')).not.toMatch(/90214|canary-/);
  });

  test('contains a record that is deleted between the lists of deleted and active ones', async () => {
    const client = await openClient({ variant: { 'wire.deleted_filter': 'only' } });
    const folder = folderOf();
    const [id] = client.get('/tags').json.data.map((row: Record) => row.id);
    const meddle: Meddle = (target) => {
      if (target.startsWith('/tags') && !target.includes('is_deleted')) client.delete(`/tags/${id}`);
      return undefined;
    };
    const manifest = await backedUp(client, folder, {}, meddle, { deletedFilter: 'only' });
    expect(await problemsIn(folder)).toEqual([]);
    expect(recordsIn(folder, manifest).get('tags')?.get(id)?.deleted_at).toEqual(expect.any(String));
    const next = await backedUp(client, folder, { sinceLast: true }, undefined, { deletedFilter: 'only' });
    expect(recordsIn(folder, next).get('tags')?.get(id)?.deleted_at).toEqual(expect.any(String));
    const deletedBefore = new Map(manifest.resources.map(({ resource, deleted }) => [resource, deleted]));
    const lost = next.resources.filter(
      ({ resource, deleted }) => deleted !== null && deleted < (deletedBefore.get(resource) ?? 0),
    );
    expect(lost).toEqual([]);
  });

  test('contains active records if the service lists deleted ones separately without a setting for it', async () => {
    const client = await openClient({ variant: { 'wire.deleted_filter': 'only' } });
    const [gone] = client.get('/tags').json.data.map((row: Record) => row.id);
    client.delete(`/tags/${gone}`);
    const folder = folderOf();
    const tags = recordsIn(folder, await backedUp(client, folder)).get('tags');
    expect([...(tags?.values() ?? [])].filter(({ deleted_at: at }) => at === null).length).toBeGreaterThan(1);
    expect(tags?.get(gone)?.deleted_at).toEqual(expect.any(String));
  });

  test('with any byte changed: fails the verification', async () => {
    const folder = folderOf();
    const manifest = await backedUp(await openClient(), folder);
    const files = [manifestName, ...manifest.resources.map(({ file }) => file)];
    const drawn = draws(7);
    const draw = (below: number) => Math.floor(drawn() * below);
    const count = rounds(60);
    for (let round = 0; round < count; round++) {
      const file = join(folder, files[round % files.length] ?? '');
      const bytes = readFileSync(file);
      const changed = Buffer.from(bytes);
      const at = draw(bytes.length);
      changed[at] = (changed[at] ?? 0) ^ (1 + draw(255));
      writeFileSync(file, changed);
      expect(await problemsIn(folder), `${file}, byte ${at}`).toHaveLength(1);
      writeFileSync(file, bytes);
    }
    expect(await problemsIn(folder)).toEqual([]);
    reportTried({ tried: `${count} changed bytes`, seed: 7 });
  });

  test('with a file missing, truncated or extended: fails the verification', async () => {
    const folder = folderOf();
    const manifest = await backedUp(await openClient(), folder);
    const entry = manifest.resources.find(({ resource }) => resource === 'customers');
    const file = join(folder, entry?.file ?? '');
    const text = readFileSync(file, 'utf8');
    for (const other of [
      '',
      text.slice(0, -1),
      text.slice(0, text.indexOf('\n') + 1),
      `${text}{"id":"x"}\n`,
    ]) {
      writeFileSync(file, other);
      expect(await problemsIn(folder)).toEqual(['customers']);
    }
    renameSync(file, `${file}.away`);
    expect(await problemsIn(folder)).toEqual(['customers']);
    expect((await verifyBackup(folder)).otherFiles).toEqual([`${entry?.file}.away`]);
    await expect(verifyBackup(join(folder, 'nowhere'))).rejects.toMatchObject({ category: 'not_found' });
  });
});

describe('--since-last', () => {
  test('new, changed, deleted and linked records: gives the same as a full backup', async () => {
    const client = await openClient();
    const [folder, full] = [folderOf(), folderOf()];
    await backedUp(client, folder);
    const made = client.post('/customers', { name: 'New', dial_code: 966, phone: '550009999' }).json.data.id;
    const [first, second] = client.get('/suppliers').json.data.map(({ id }: Record) => id);
    client.put(`/suppliers/${first}`, { name: 'Renamed' });
    client.delete(`/suppliers/${second}`);
    const item = client.get('/inventory_items').json.data.at(-1).id;
    client.post(`/suppliers/${first}/items/${item}`, { order_unit: 'box', order_to_storage_factor: 3 });
    const [count] = client.get('/inventory_counts').json.data;
    client.delete(`/inventory_counts/${count.id}`);
    const manifest = await backedUp(client, folder, { sinceLast: true });
    const found = recordsIn(folder, manifest);
    expect(found).toEqual(recordsIn(full, await backedUp(client, full)));
    expect(found.get('customers')?.get(made)).toMatchObject({ name: 'New' });
    expect(found.get('suppliers')?.get(second)?.deleted_at).toEqual(expect.any(String));
    const reads = Object.fromEntries(manifest.resources.map(({ resource, read }) => [resource, read]));
    expect(reads).toMatchObject({ suppliers: 'changes', inventory_counts: 'whole' });
    expect(await problemsIn(folder)).toEqual([]);
  });

  test('a previous backup: reads only the changes', async () => {
    const client = await openClient();
    const folder = folderOf();
    await backedUp(client, folder);
    const asked: string[] = [];
    const changed = await backedUp(client, folder, { sinceLast: true }, (target) => {
      asked.push(decodeURIComponent(target));
      return undefined;
    });
    const customers = asked.filter((target) => target.startsWith('/customers?'));
    expect(customers.length).toBeGreaterThan(0);
    for (const target of customers) expect(target).toContain('filter[updated_after]=');
    expect(changed.resources.find(({ resource }) => resource === 'customers')?.read).toBe('changes');
  });

  test('other scopes than before: reads newly visible lists completely, and reports hidden ones', async () => {
    const client = await openClient();
    const folder = folderOf();
    const [id] = client.get('/customers').json.data.map((row: Record) => row.id);
    const entryOf = ({ resources }: BackupManifest) =>
      resources.find(({ resource }) => resource === 'customers');
    const narrow = client.with('customers.list', 'general.read');
    const resources = api.collections.filter(({ name }) => name === 'customers');
    await backedUp(client, folder, { resources });
    client.put(`/customers/${id}`, { name: 'Changed' });
    const less = await backedUp(narrow, folder, { resources, sinceLast: true });
    expect(entryOf(less)).toMatchObject({ read: 'changes', unseen: ['house_account_limit'] });
    const more = await backedUp(client, folder, { resources, sinceLast: true });
    expect(entryOf(more)).toMatchObject({ read: 'whole', unseen: [] });
  });

  test('a changed backup: is refused', async () => {
    const client = await openClient();
    const folder = folderOf();
    await expect(backedUp(client, folder, { sinceLast: true })).rejects.toMatchObject({ category: 'usage' });
    const manifest = await backedUp(client, folder);
    const entry = manifest.resources.find(({ resource }) => resource === 'customers');
    const file = join(folder, entry?.file ?? '');
    writeFileSync(file, readFileSync(file, 'utf8').replace('Huda', 'Hoda'));
    await expect(backedUp(client, folder, { sinceLast: true })).rejects.toMatchObject({
      category: 'unavailable',
      message: expect.stringContaining('its content has changed'),
    });
    await backedUp(client, folder);
    expect(await problemsIn(folder)).toEqual([]);
  });
});

describe("a backup that can't read everything", () => {
  test('because of scopes: leaves out and names resources and fields', async () => {
    const client = (await openClient()).with('customers.list', 'general.read');
    const { resources, left_out: leftOut } = await backedUp(client, folderOf());
    expect(resources.map(({ resource }) => resource)).toContain('tags');
    const customers = resources.find(({ resource }) => resource === 'customers');
    expect(customers?.unseen).toContain('house_account_limit');
    expect(leftOut.map(({ resource }) => resource)).toEqual(expect.arrayContaining(['users', 'suppliers']));
    expect([...resources, ...leftOut]).toHaveLength(api.collections.length);
    for (const { reason } of leftOut) expect(reason).not.toBe('');
  });

  test('because a list breaks off: leaves the previous backup unchanged', async () => {
    const client = await openClient();
    const folder = folderOf();
    const before = await backedUp(client, folder);
    const refused = { status: 422, headers: {}, body: '{"message":"Not now."}' };
    const ends: Meddle = (target) => (target.startsWith('/tags') ? refused : undefined);
    await expect(backedUp(client, folder, {}, ends)).rejects.toThrow(/tags: .* was not changed/);
    expect((await verifyBackup(folder)).manifest).toEqual(before);
    expect(await problemsIn(folder)).toEqual([]);
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('and would lose resources of the previous one: is refused', async () => {
    const client = await openClient();
    const folder = folderOf();
    await backedUp(client, folder);
    const resources = api.collections.filter(({ name }) => name === 'tags');
    await expect(backedUp(client, folder, { resources })).rejects.toThrow(/contains .*customers/);
    const other = folderOf();
    const manifest = await backedUp(client, other, { resources });
    expect(manifest.resources.map(({ resource }) => resource)).toEqual(['tags']);
    writeFileSync(join(`${other}/..`, 'letter.txt'), 'x');
    await expect(backedUp(client, join(other, '..'))).rejects.toThrow('contains other files');
    await expect(backedUp(client, join(other, manifestName))).rejects.toThrow('not a folder');
  });
});
