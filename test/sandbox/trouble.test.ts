/** A served sandbox whose file is locked, moved, deleted or damaged loses nothing that was acknowledged. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import { dayMs } from '../../src/sandbox/calendar.ts';
import { checkIntegrity } from '../../src/storage/check.ts';
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
  const arrived = () => {
    unsubscribe('http.server.request.start', arrived);
    resolve();
  };
  subscribe('http.server.request.start', arrived);
  return promise;
}

const holders: DatabaseSync[] = [];
afterEach(() => {
  for (const holder of holders.splice(0)) if (holder.isOpen) holder.close();
});

/** Locks the file for writing until the returned function is called. */
function hold({ client }: ServedClient): () => void {
  const holder = new DatabaseSync(client.sandbox.database.file);
  holders.push(holder);
  holder.exec('BEGIN IMMEDIATE');
  return () => holder.close();
}

const outcomeOf = (answer: Response) => answer.headers.get('x-boh-outcome');

async function namesOf({ ask }: ServedClient): Promise<string[]> {
  const { data } = (await (await ask('/suppliers?filter[name]=Waiting')).json()) as {
    data: { name: string }[];
  };
  return data.map(({ name }) => name);
}

describe('while another process writes', () => {
  it('writes wait in order, and nothing else waits', async () => {
    const served = await serve();
    const release = hold(served);
    const names = Array.from({ length: 12 }, (_, index) => `Waiting ${index}`);
    const writing: Promise<Response>[] = [];
    for (const name of names) {
      const arrived = nextRequest();
      writing.push(served.ask('/suppliers', post(name)));
      await arrived;
    }
    for (let count = 0; count < 20; count++) expect((await served.ask('/suppliers')).status).toBe(200);
    expect(await namesOf(served)).toEqual([]);
    release();
    const answers = await Promise.all(writing);
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 201));
    expect(await namesOf(served)).toEqual(names);
    expect(served.bugs).toEqual([]);
  });

  it('reads work past midnight; the changes of the day are applied later', async () => {
    const served = await serve();
    const release = hold(served);
    served.advanceClock(2 * dayMs);
    expect((await served.ask('/suppliers')).status).toBe(200);
    const before = served.client.sandbox.events().length;
    release();
    expect(served.client.sandbox.events().length).toBeGreaterThan(before);
  });

  it("a server that stops doesn't wait for blocked writes", async () => {
    const served = await serve({ busyTimeoutMs: 3_600_000 });
    hold(served);
    const waiting: Promise<Response>[] = [];
    for (const name of ['Waiting 1', 'Waiting 2']) {
      const arrived = nextRequest();
      waiting.push(served.ask('/suppliers', post(name)));
      await arrived;
    }
    await served.close();
    for (const answer of await Promise.all(waiting)) {
      expect([answer.status, outcomeOf(answer)]).toEqual([503, 'not_sent']);
    }
    expect(served.bugs).toEqual([]);
  });
});

describe('a file that is moved or deleted', () => {
  const file = ({ client }: ServedClient) => client.sandbox.database.file;

  it('loses no acknowledged write while moved; reads work, and writes work once it is back', async () => {
    const served = await serve();
    await served.ask('/suppliers', post('Waiting 1'));
    renameSync(file(served), `${file(served)}.elsewhere`);
    const answer = await served.ask('/suppliers', post('Waiting 2'));
    expect([answer.status, outcomeOf(answer)]).toEqual([503, 'not_sent']);
    expect(await answer.json()).toEqual({ message: expect.stringContaining('was moved or deleted') });
    expect(await namesOf(served)).toEqual(['Waiting 1']);
    renameSync(`${file(served)}.elsewhere`, file(served));
    expect((await served.ask('/suppliers', post('Waiting 3'))).status).toBe(201);
    expect(await namesOf(served)).toEqual(['Waiting 1', 'Waiting 3']);
    expect(served.bugs).toEqual([]);
  });

  it('loses no acknowledged write when deleted, and the next sandbox in its place is sound', async () => {
    const served = await serve();
    await served.ask('/suppliers', post('Waiting 1'));
    rmSync(file(served));
    const next = await openClient({ file: file(served) });
    expect((await served.ask('/suppliers', post('Waiting 2'))).status).toBe(503);
    expect(next.post('/suppliers', { name: 'Waiting 3' }).status).toBe(201);
    await served.close();
    served.client.sandbox.close();
    expect(checkIntegrity(next.sandbox.database)).toEqual([]);
    next.sandbox.close();
    const last = await openClient({ file: file(served) });
    const names = last
      .get('/suppliers?filter[name]=Waiting')
      .json.data.map(({ name }: { name: string }) => name);
    expect([names, checkIntegrity(last.sandbox.database)]).toEqual([['Waiting 3'], []]);
    last.sandbox.close();
  });
});

describe('damaged data', () => {
  const facts = ['business', 'clock', 'faults', 'progress', 'settings'];
  const values = ['{"', '7', '[]', '"x"', 'null', '{"frozen":"soon"}', '{"plan":{"seed":1,"rules":[7]}}'];
  it.each(facts)('in the fact "%s" is reported as damage', async (fact) => {
    const served = await serve();
    const { database } = served.client.sandbox;
    for (const value of values) {
      database.run('INSERT OR REPLACE INTO sandbox_facts (name, value) VALUES (?, ?)', fact, value);
      for (const path of ['/whoami', '/suppliers']) {
        const answer = await served.ask(path);
        const { message = 'none' } = (await answer.json()) as { message?: string };
        expect([fact, value, answer.status]).not.toContain(500);
        if (answer.status === 503) expect(message).toContain('is damaged');
      }
    }
    expect(served.bugs).toEqual([]);
  });

  it('in the JSON of a cell, a token or an event is reported as damage', async () => {
    const served = await serve();
    const { database } = served.client.sandbox;
    const demandDamage = async (path: string, headers = {}) => {
      const answer = await served.ask(path, { headers });
      expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('is damaged')]);
    };
    const token = served.client.sandbox.createToken({ scopes: [] });
    database.run("UPDATE sandbox_tokens SET scopes = '{'");
    await demandDamage('/whoami', { authorization: `Bearer ${token}` });
    database.run("UPDATE users SET notifications = 'not JSON'");
    await demandDamage('/users');
    database.run("UPDATE sandbox_events SET users = '[7]'");
    expect(() => served.client.sandbox.events()).toThrow('is damaged');
    expect(served.bugs).toEqual([]);
  });
});
