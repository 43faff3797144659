/** Tests a served sandbox whose file is locked, moved, deleted or damaged: no acknowledged write is lost. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { dayMs } from '../../src/sandbox/calendar.ts';
import { openClient } from './client.ts';
import { type ServedClient, serve } from './served.ts';

const post = (name: string) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ name }),
});

/** Resolves at the next request to a server of this process. */
function nextRequest(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const received = () => {
    unsubscribe('http.server.request.start', received);
    resolve();
  };
  subscribe('http.server.request.start', received);
  return promise;
}

const lockingConnections: DatabaseSync[] = [];
afterEach(() => {
  for (const connection of lockingConnections.splice(0)) if (connection.isOpen) connection.close();
});

/** Locks the file for writing until the returned function is called. */
function lockForWriting({ client }: ServedClient): () => void {
  const connection = new DatabaseSync(client.sandbox.database.file);
  lockingConnections.push(connection);
  connection.exec('BEGIN IMMEDIATE');
  return () => connection.close();
}

const outcomeOf = (response: Response) => response.headers.get('x-boh-outcome');

async function namesOf({ request }: ServedClient): Promise<string[]> {
  const { data } = (await (await request('/suppliers?filter[name]=Waiting')).json()) as {
    data: { name: string }[];
  };
  return data.map(({ name }) => name);
}

describe('while another process writes', () => {
  it("writes wait, and reads don't wait", async () => {
    const served = await serve();
    const release = lockForWriting(served);
    const names = Array.from({ length: 12 }, (_, index) => `Waiting ${index}`);
    const writing: Promise<Response>[] = [];
    for (const name of names) {
      const received = nextRequest();
      writing.push(served.request('/suppliers', post(name)));
      await received;
    }
    for (let count = 0; count < 20; count++) expect((await served.request('/suppliers')).status).toBe(200);
    expect(await namesOf(served)).toEqual([]);
    release();
    const responses = await Promise.all(writing);
    expect(responses.map(({ status }) => status)).toEqual(names.map(() => 201));
    expect((await namesOf(served)).sort()).toEqual(names.sort());
    expect(served.unexpectedErrors).toEqual([]);
  });

  it('reads after midnight succeed, and due changes are applied later', async () => {
    const served = await serve();
    const release = lockForWriting(served);
    served.advanceClock(2 * dayMs);
    expect((await served.request('/suppliers')).status).toBe(200);
    const before = served.client.sandbox.events().length;
    release();
    expect(served.client.sandbox.events().length).toBeGreaterThan(before);
  });

  it("a server that stops doesn't wait for blocked writes", async () => {
    const served = await serve({ busyTimeoutMs: 3_600_000 });
    lockForWriting(served);
    const waiting: Promise<Response>[] = [];
    for (const name of ['Waiting 1', 'Waiting 2']) {
      const received = nextRequest();
      waiting.push(served.request('/suppliers', post(name)));
      await received;
    }
    await served.close();
    for (const response of await Promise.all(waiting)) {
      expect([response.status, outcomeOf(response)]).toEqual([503, 'not_sent']);
    }
    expect(served.unexpectedErrors).toEqual([]);
  });
});

describe('a file that is moved or deleted', () => {
  const file = ({ client }: ServedClient) => client.sandbox.database.file;

  it('keeps acknowledged writes while moved; reads succeed, and writes succeed once it is moved back', async () => {
    const served = await serve();
    await served.request('/suppliers', post('Waiting 1'));
    renameSync(file(served), `${file(served)}.elsewhere`);
    const response = await served.request('/suppliers', post('Waiting 2'));
    expect([response.status, outcomeOf(response)]).toEqual([503, 'not_sent']);
    expect(await response.json()).toEqual({ message: expect.stringContaining('was moved or deleted') });
    expect(await namesOf(served)).toEqual(['Waiting 1']);
    renameSync(`${file(served)}.elsewhere`, file(served));
    expect((await served.request('/suppliers', post('Waiting 3'))).status).toBe(201);
    expect(await namesOf(served)).toEqual(['Waiting 1', 'Waiting 3']);
    expect(served.unexpectedErrors).toEqual([]);
  });

  it('refuses writes when deleted, and a new sandbox in its place is intact', async () => {
    const served = await serve();
    await served.request('/suppliers', post('Waiting 1'));
    rmSync(file(served));
    const newClient = await openClient({ file: file(served) });
    expect((await served.request('/suppliers', post('Waiting 2'))).status).toBe(503);
    expect(newClient.post('/suppliers', { name: 'Waiting 3' }).status).toBe(201);
    await served.close();
    served.client.sandbox.close();
    expect(newClient.sandbox.database.checkIntegrity()).toEqual([]);
    newClient.sandbox.close();
    const reopened = await openClient({ file: file(served) });
    const names = reopened
      .get('/suppliers?filter[name]=Waiting')
      .json.data.map(({ name }: { name: string }) => name);
    expect([names, reopened.sandbox.database.checkIntegrity()]).toEqual([['Waiting 3'], []]);
    reopened.sandbox.close();
  });
});

describe('damaged data', () => {
  const storedNames = ['business', 'clock', 'faults', 'progress', 'settings'];
  const values = ['{"', '7', '[]', '"x"', 'null', '{"frozen":"soon"}', '{"plan":{"seed":1,"rules":[7]}}'];
  it.each(storedNames)('in the stored value "%s" is reported as damage', async (storedName) => {
    const served = await serve();
    const { database } = served.client.sandbox;
    for (const value of values) {
      database.run('INSERT OR REPLACE INTO sandbox_facts (name, value) VALUES (?, ?)', storedName, value);
      for (const path of ['/whoami', '/suppliers']) {
        const response = await served.request(path);
        const { message = 'none' } = (await response.json()) as { message?: string };
        expect([storedName, value, response.status]).not.toContain(500);
        if (response.status === 503) expect(message).toContain('is damaged');
      }
    }
    expect(served.unexpectedErrors).toEqual([]);
  });

  it('in the JSON of a cell, a token or an event is reported as damage', async () => {
    const served = await serve();
    const { database } = served.client.sandbox;
    const expectDamage = async (path: string, headers = {}) => {
      const response = await served.request(path, { headers });
      expect([response.status, await response.text()]).toEqual([503, expect.stringContaining('is damaged')]);
    };
    const token = served.client.sandbox.createToken({ scopes: [] });
    database.run("UPDATE sandbox_tokens SET scopes = '{'");
    await expectDamage('/whoami', { authorization: `Bearer ${token}` });
    database.run("UPDATE users SET notifications = 'not JSON'");
    await expectDamage('/users');
    database.run("UPDATE sandbox_events SET users = '[7]'");
    expect(() => served.client.sandbox.events()).toThrow('is damaged');
    expect(served.unexpectedErrors).toEqual([]);
  });
});
