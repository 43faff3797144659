/** Snapshots: exact named copies, which can be restored while others have the sandbox open. */
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
import { api } from '../../src/resources/index.ts';
import {
  deleteSnapshot,
  listSnapshots,
  restoreSnapshot,
  saveSnapshot,
} from '../../src/sandbox/snapshots/snapshots.ts';
import { sandboxFile } from '../../src/sandbox/store/sandbox-files.ts';
import { checkIntegrity } from '../../src/storage/check.ts';
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
  it('restores the earlier state, whatever has happened since', async () => {
    add('Before');
    const before = names();
    await save('base');
    add('After');
    client.delete(`/suppliers/${client.get('/suppliers').json.data[0].id}`);
    await restoreSnapshot(env, 'base', file, api);
    expect(names()).toEqual(before);
    expect(client.sandbox.database.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
  });

  it('is restored while others have the sandbox open and keep writing', async () => {
    const other = await openClient({ file });
    await save('base');
    other.post('/suppliers', { name: 'Other' });
    const changed = total();
    await restoreSnapshot(env, 'base', file, api);
    expect(other.get('/suppliers').json.meta.total).toBe(changed - 1);
    expect(other.post('/suppliers', { name: 'Again' }).status).toBe(201);
    expect(total()).toBe(changed);
    other.sandbox.close();
  });

  it("can't replace a file of another program", async () => {
    writeFileSync(join(env.BOH_CONFIG_DIR, 'sandboxes', 'snapshots'), 'a letter');
    await expect(save('base')).rejects.toMatchObject({ category: 'unavailable' });
    expect(listSnapshots(env)).toEqual([]);
  });

  it('is of one moment while others write', async () => {
    const saving = save('base');
    for (let count = 0; count < 20; count++) add(`S${count}`);
    await saving;
    await restoreSnapshot(env, 'base', file, api);
    expect(client.sandbox.database.get('PRAGMA integrity_check')).toEqual({ integrity_check: 'ok' });
    const counted = client.sandbox.database.get(
      'SELECT count(*) AS count FROM suppliers WHERE deleted_at IS NULL',
    )?.count;
    expect(total()).toBe(counted);
  });

  it('waits until another process has finished writing', async () => {
    await save('base');
    const other = await openClient({ file });
    other.sandbox.database.script('BEGIN IMMEDIATE');
    const restoring = restoreSnapshot(env, 'base', file, api);
    await new Promise(setImmediate);
    other.sandbox.database.script('COMMIT');
    await expect(restoring).resolves.toBeUndefined();
    other.sandbox.close();
  });

  it('is restored again and again while others send requests, which are never refused or see half of it', async () => {
    add('Before');
    await save('base');
    const served = await openClient({ file });
    const minted = served.sandbox.createToken({ scopes: ['inventory.settings.read'] });
    await save('other');
    const totals = new Set<number>();
    const statuses = new Set<number>();
    const asking = (async () => {
      for (let count = 0; count < 400; count++) {
        const headers = { authorization: `Bearer ${minted}` };
        const answer = await served.sandbox.respond({
          method: 'GET',
          target: '/suppliers',
          headers,
          body: '',
        });
        statuses.add(answer.status);
        totals.add(JSON.parse(answer.body).meta.total);
        await new Promise(setImmediate);
      }
    })();
    for (let count = 0; count < 6; count++)
      await restoreSnapshot(env, count % 2 ? 'base' : 'other', file, api);
    await asking;
    expect([[...statuses], [...totals]]).toEqual([[200], [total()]]);
    expect(served.get('/suppliers').status).toBe(200);
    served.sandbox.close();
  });

  it('keeps every token, whenever the restoring process is killed', {
    timeout: 600_000,
  }, async () => {
    const early = client.sandbox.createToken({ scopes: ['inventory.settings.read'] });
    await save('base');
    const late = client.sandbox.createToken({ scopes: ['inventory.settings.read'] });
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
      for (const token of [early, late]) {
        client.token = token;
        expect([round, client.get('/suppliers').status]).toEqual([round, 200]);
      }
      expect(checkIntegrity(client.sandbox.database)).toEqual([]);
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

  it('can be restored again and again, and to another sandbox', async () => {
    await save('base');
    add('After');
    const other = await openClient({ file: sandboxFile(env, 'other') });
    for (let count = 0; count < 3; count++)
      await restoreSnapshot(env, 'base', other.sandbox.database.file, api);
    expect(other.get('/suppliers').json.meta.total).toBe(total() - 1);
    other.sandbox.close();
  });

  it('is replaced only on request', async () => {
    await save('base');
    add('After');
    const changed = total();
    await expect(save('base')).rejects.toThrow('A snapshot named base already exists.');
    await save('base', true);
    add('Later');
    await restoreSnapshot(env, 'base', file, api);
    expect(total()).toBe(changed);
  });

  it('is listed until it is deleted, and leaves nothing behind', async () => {
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

  it("that isn't a sandbox changes nothing", async () => {
    await save('base');
    const before = total();
    const broken = join(env.BOH_CONFIG_DIR, 'sandboxes', 'snapshots', 'broken.sqlite');
    writeFileSync(broken, 'not a database at all, but long enough to be looked at as one'.repeat(100));
    await expect(restoreSnapshot(env, 'broken', file, api)).rejects.toThrow(
      `The snapshot ${broken} is damaged`,
    );
    expect(total()).toBe(before);
  });

  it('is not partly restored if the disk is full', async ({ skip }) => {
    const disk = join(env.BOH_CONFIG_DIR, 'disk');
    let there: Client | undefined;
    mkdirSync(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=14m', 'tmpfs', disk], { stdio: 'ignore' });
    } catch {
      return skip('a small disk can only be mounted by root, where the machine allows it');
    }
    try {
      const small = { BOH_CONFIG_DIR: disk };
      const own = sandboxFile(small, 'default');
      mkdirSync(dirname(own));
      cpSync(template, own);
      there = await openClient({ file: own });
      await saveSnapshot(small, 'base', own, { isReplacing: false });
      there.post('/suppliers', { name: 'After' });
      const names = () => there?.get('/suppliers')?.json.data.map(({ name }: { name: string }) => name);
      const before = names();
      let refusals = 0;
      for (let room = 0; room < 4_000_000; room += 500_000) {
        const { bavail, bsize } = statfsSync(disk);
        writeFileSync(join(disk, 'ballast'), Buffer.alloc(Math.max(0, bavail * bsize - room)));
        const failure: unknown = await restoreSnapshot(small, 'base', own, api).catch(
          (error: unknown) => error,
        );
        rmSync(join(disk, 'ballast'));
        if (failure === undefined) break;
        refusals += 1;
        expect(failure).toMatchObject({ category: 'unavailable', problem: 'full' });
        expect([names(), checkIntegrity((there as Client).sandbox.database)]).toEqual([before, []]);
      }
      expect(refusals).toBeGreaterThan(1);
      await restoreSnapshot(small, 'base', own, api);
      expect(names()).toEqual(before.filter((name: string) => name !== 'After'));
    } finally {
      there?.sandbox.close();
      execFileSync('umount', [disk]);
    }
  });

  it('that is damaged inside is reported, and changes nothing', async () => {
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
    expect([total(), checkIntegrity(client.sandbox.database)]).toEqual([before, []]);
  });
});
