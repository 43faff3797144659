/** Tests snapshots: exact copies with names, which can be restored while the sandbox is in use. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import {
  deleteSnapshot,
  listSnapshots,
  restoreSnapshot,
  saveSnapshot,
} from '../../src/sandbox/snapshots/snapshots.ts';
import { sandboxFile } from '../../src/sandbox/store/sandbox-files.ts';
import { repetitions, reportTried } from '../harness/repetitions.ts';
import { type Client, openClient } from './client.ts';

/** The demo business is created once; each test starts with a copy. */
const template = sandboxFile({ BOH_CONFIG_DIR: mkdtempSync(join(tmpdir(), 'boh-template-')) }, 'default');
beforeAll(async () => (await openClient({ file: template })).sandbox.close());
afterAll(() => rmSync(dirname(dirname(template)), { recursive: true }));

let env: { BOH_CONFIG_DIR: string };
let client: Client;
let file: string;
beforeEach(async () => {
  env = { BOH_CONFIG_DIR: mkdtempSync(join(tmpdir(), 'boh-snapshots-')) };
  file = sandboxFile(env, 'default');
  cpSync(template, file);
  client = await openClient({ file });
});
afterEach(() => {
  client.sandbox.close();
  rmSync(env.BOH_CONFIG_DIR, { recursive: true, force: true, maxRetries: 10 });
});

const save = (name: string, isReplacing = false) => saveSnapshot(env, name, file, { isReplacing });
const names = () => client.get('/suppliers').json.data.map(({ name }: { name: string }) => name);
const total = () => client.get('/suppliers').json.meta.total;
const add = (name: string) => client.post('/suppliers', { name });

describe('a snapshot', () => {
  it('restores the earlier state after creates and deletes', async () => {
    add('Before');
    const before = names();
    await save('base');
    add('After');
    client.delete(`/suppliers/${client.get('/suppliers').json.data[0].id}`);
    await restoreSnapshot(env, 'base', file, api);
    expect(names()).toEqual(before);
    expect(client.sandbox.database.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
  });

  it('is restored while another client has the sandbox open, which can then write', async () => {
    const otherClient = await openClient({ file });
    await save('base');
    otherClient.post('/suppliers', { name: 'Other' });
    const changedTotal = total();
    await restoreSnapshot(env, 'base', file, api);
    expect(otherClient.get('/suppliers').json.meta.total).toBe(changedTotal - 1);
    expect(otherClient.post('/suppliers', { name: 'Again' }).status).toBe(201);
    expect(total()).toBe(changedTotal);
    otherClient.sandbox.close();
  });

  it("can't replace a file of another program", async () => {
    writeFileSync(join(env.BOH_CONFIG_DIR, 'sandboxes', 'snapshots'), 'a file');
    await expect(save('base')).rejects.toMatchObject({ category: 'unavailable' });
    expect(listSnapshots(env)).toEqual([]);
  });

  it('is consistent although records are created while it is saved', async () => {
    const saving = save('base');
    for (let count = 0; count < 20; count++) add(`S${count}`);
    await saving;
    await restoreSnapshot(env, 'base', file, api);
    expect(client.sandbox.database.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
    const actualCount = client.sandbox.database.get(
      'SELECT count(*) AS count FROM suppliers WHERE deleted_at IS NULL',
    )?.count;
    expect(total()).toBe(actualCount);
  });

  it('waits until another process has finished writing', async () => {
    await save('base');
    const otherClient = await openClient({ file });
    otherClient.sandbox.database.script('BEGIN IMMEDIATE');
    const restoring = restoreSnapshot(env, 'base', file, api);
    await new Promise(setImmediate);
    otherClient.sandbox.database.script('COMMIT');
    await expect(restoring).resolves.toBeUndefined();
    otherClient.sandbox.close();
  });

  it('is restored repeatedly while requests are sent: none is refused or reads a partial state', async () => {
    add('Before');
    await save('base');
    const reader = await openClient({ file });
    const token = reader.sandbox.createToken({ scopes: ['inventory.settings.read'] });
    await save('other');
    const totals = new Set<number>();
    const statuses = new Set<number>();
    const reading = (async () => {
      for (let count = 0; count < 400; count++) {
        const headers = { authorization: `Bearer ${token}` };
        const response = await reader.sandbox.respond({
          method: 'GET',
          target: '/suppliers',
          headers,
          body: '',
        });
        statuses.add(response.status);
        totals.add(JSON.parse(response.body).meta.total);
        await new Promise(setImmediate);
      }
    })();
    for (let count = 0; count < 6; count++)
      await restoreSnapshot(env, count % 2 ? 'base' : 'other', file, api);
    await reading;
    expect([[...statuses], [...totals]]).toEqual([[200], [total()]]);
    expect(reader.get('/suppliers').status).toBe(200);
    reader.sandbox.close();
  });

  it('keeps every token if the restoring process is killed', {
    timeout: 600_000,
  }, async () => {
    const tokenBefore = client.sandbox.createToken({ scopes: ['inventory.settings.read'] });
    await save('base');
    const tokenAfter = client.sandbox.createToken({ scopes: ['inventory.settings.read'] });
    const script = fileURLToPath(new URL('restore-until-killed.ts', import.meta.url));
    for (let round = 0; round < repetitions(3); round++) {
      const child = spawn(process.execPath, [script, env.BOH_CONFIG_DIR, 'base', file], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      await once(child.stdout, 'data');
      await sleep(round * 7);
      child.kill('SIGKILL');
      await once(child, 'exit');
      for (const token of [tokenBefore, tokenAfter]) {
        client.token = token;
        expect([round, client.get('/suppliers').status]).toEqual([round, 200]);
      }
      expect(client.sandbox.database.checkIntegrity()).toEqual([]);
    }
    reportTried({ tried: `${repetitions(3)} kills` });
  });

  it("doesn't change tokens", async () => {
    await save('base');
    const token = client.sandbox.createToken({ scopes: ['inventory.settings.read'] });
    await restoreSnapshot(env, 'base', file, api);
    client.token = token;
    expect(client.get('/suppliers').status).toBe(200);
  });

  it('can be restored repeatedly, and to another sandbox', async () => {
    await save('base');
    add('After');
    const otherClient = await openClient({ file: sandboxFile(env, 'other') });
    for (let count = 0; count < 3; count++)
      await restoreSnapshot(env, 'base', otherClient.sandbox.database.file, api);
    expect(otherClient.get('/suppliers').json.meta.total).toBe(total() - 1);
    otherClient.sandbox.close();
  });

  it('is replaced only with isReplacing', async () => {
    await save('base');
    add('After');
    const changedTotal = total();
    await expect(save('base')).rejects.toThrow('A snapshot named base already exists.');
    await save('base', true);
    add('Later');
    await restoreSnapshot(env, 'base', file, api);
    expect(total()).toBe(changedTotal);
  });

  it('is listed until it is deleted, which leaves no files', async () => {
    await save('b');
    await save('a');
    expect(listSnapshots(env)).toEqual([
      { name: 'a', bytes: expect.any(Number), savedAt: expect.any(Date) },
      { name: 'b', bytes: expect.any(Number), savedAt: expect.any(Date) },
    ]);
    await restoreSnapshot(env, 'a', file, api);
    deleteSnapshot(env, 'a');
    deleteSnapshot(env, 'b');
    expect(readdirSync(join(env.BOH_CONFIG_DIR, 'sandboxes', 'snapshots'))).toEqual([]);
  });

  it('with an unknown name is not found', async () => {
    await expect(restoreSnapshot(env, 'base', file, api)).rejects.toThrow('Snapshot base not found.');
    expect(() => deleteSnapshot(env, 'base')).toThrow('Snapshot base not found.');
    await expect(save('../base')).rejects.toThrow("isn't a valid name");
    expect(listSnapshots(env)).toEqual([]);
  });

  it("that isn't a sandbox is refused, and the data is unchanged", async () => {
    await save('base');
    const before = total();
    const damagedSnapshot = join(env.BOH_CONFIG_DIR, 'sandboxes', 'snapshots', 'broken.sqlite');
    writeFileSync(
      damagedSnapshot,
      'not a database at all, but long enough to be looked at as one'.repeat(100),
    );
    await expect(restoreSnapshot(env, 'broken', file, api)).rejects.toThrow(
      `The snapshot ${damagedSnapshot} is damaged`,
    );
    expect(total()).toBe(before);
  });

  it('is not partially restored if the disk is full', async ({ skip }) => {
    const disk = join(env.BOH_CONFIG_DIR, 'disk');
    let smallDiskClient: Client | undefined;
    mkdirSync(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=14m', 'tmpfs', disk], { stdio: 'ignore' });
    } catch {
      return skip('mounting a small disk requires root permissions');
    }
    try {
      const smallDiskEnv = { BOH_CONFIG_DIR: disk };
      const smallDiskFile = sandboxFile(smallDiskEnv, 'default');
      mkdirSync(dirname(smallDiskFile));
      cpSync(template, smallDiskFile);
      smallDiskClient = await openClient({ file: smallDiskFile });
      await saveSnapshot(smallDiskEnv, 'base', smallDiskFile, { isReplacing: false });
      smallDiskClient.post('/suppliers', { name: 'After' });
      const names = () =>
        smallDiskClient?.get('/suppliers')?.json.data.map(({ name }: { name: string }) => name);
      const before = names();
      let refusals = 0;
      for (let freeBytes = 0; freeBytes < 4_000_000; freeBytes += 500_000) {
        const { bavail, bsize } = statfsSync(disk);
        writeFileSync(join(disk, 'ballast'), Buffer.alloc(Math.max(0, bavail * bsize - freeBytes)));
        const failure: unknown = await restoreSnapshot(smallDiskEnv, 'base', smallDiskFile, api).catch(
          (error: unknown) => error,
        );
        rmSync(join(disk, 'ballast'));
        if (failure === undefined) break;
        refusals += 1;
        expect(failure).toMatchObject({ category: 'unavailable', problem: 'full' });
        expect([names(), (smallDiskClient as Client).sandbox.database.checkIntegrity()]).toEqual([
          before,
          [],
        ]);
      }
      expect(refusals).toBeGreaterThan(1);
      await restoreSnapshot(smallDiskEnv, 'base', smallDiskFile, api);
      expect(names()).toEqual(before.filter((name: string) => name !== 'After'));
    } finally {
      smallDiskClient?.sandbox.close();
      execFileSync('umount', [disk]);
    }
  });

  it('with damaged pages is reported, and the data is unchanged', async () => {
    await save('base');
    const snapshot = join(env.BOH_CONFIG_DIR, 'sandboxes', 'snapshots', 'base.sqlite');
    const before = total();
    for (let page = 30; page < 60; page++) {
      const descriptor = openSync(snapshot, 'r+');
      writeSync(descriptor, Buffer.alloc(4000, 'not a page '), 0, 4000, page * 4096);
      closeSync(descriptor);
    }
    await expect(restoreSnapshot(env, 'base', file, api)).rejects.toThrow(
      `The snapshot ${snapshot} is damaged`,
    );
    expect([total(), client.sandbox.database.checkIntegrity()]).toEqual([before, []]);
  });
});
