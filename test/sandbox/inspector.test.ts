/** Tests the inspector: a page without injected content, and a stream of requests without secrets. */
import { describe, expect, it } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { storeFaultPlan } from '../../src/sandbox/faults/engine.ts';
import { redactBody } from '../../src/sandbox/inspector/entries.ts';
import { RequestLog } from '../../src/sandbox/inspector/request-log.ts';
import { inspectorRoutes } from '../../src/sandbox/inspector/routes.ts';
import { type ServedClient, serve } from './served.ts';

/** Yields the messages of the stream with their event names. */
async function* stream(
  { request }: Pick<ServedClient, 'request'>,
  lastId = '',
): AsyncGenerator<{ event: string; data: Record<string, unknown>; id: string }> {
  const controller = new AbortController();
  const headers = lastId === '' ? {} : { 'last-event-id': lastId };
  const { body } = await request('/inspector/stream', { signal: controller.signal, headers });
  let text = '';
  try {
    for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      const messages = (text + chunk).split('\n\n');
      text = messages.pop() ?? '';
      for (const message of messages) {
        const [, event = '', data = '', id = ''] =
          /^event: (\w+)\ndata: (.*?)(?:\nid: (.*))?$/s.exec(message) ?? [];
        yield { event, data: JSON.parse(data), id };
      }
    }
  } finally {
    controller.abort();
  }
}

function entryOf(target: string): Parameters<RequestLog['add']>[0] {
  return {
    receivedAtMs: 0,
    method: 'GET',
    target,
    authorization: '',
    requestBody: '',
    status: 200,
    responseBody: '',
    milliseconds: 1,
  };
}

/** Returns the first messages of the stream with this event. */
async function firstMessages(served: ServedClient, eventName: string, count: number) {
  const messages: Record<string, unknown>[] = [];
  for await (const { event, data } of stream(served)) {
    if (event === eventName) messages.push(data);
    if (messages.length === count) break;
  }
  return messages;
}

describe("the inspector's page", () => {
  it('is self-contained, and its policy forbids other content', async () => {
    const response = await (await serve()).request('/');
    const page = await response.text();
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(response.status).toBe(200);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/script-src 'sha256-[^']+'/);
    expect(policy).not.toMatch(/unsafe|https?:/);
    expect(page).not.toMatch(/(src|href)="https?:/);
    expect(page).not.toMatch(/\son\w+="/);
    expect(page).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write/);
  });

  it('labels its landmarks and every field', async () => {
    const page = await (await (await serve()).request('/')).text();
    expect(page).toMatch(/<html lang="en">/);
    expect(page).toMatch(/<header>[\s\S]*<main>[\s\S]*<aside>/);
    for (const id of ['search', 'method', 'status']) {
      expect(page).toMatch(new RegExp(`<label>[^<]+<(input|select) id="${id}"`));
    }
  });
});

describe("the inspector's stream", () => {
  it('reports each request with time, target, status and scope', async () => {
    const served = await serve();
    const { client } = served;
    const token = client.sandbox.createToken({ scopes: ['admin.write', 'orders.limited.pay'] });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = '{"name": "Couriers <b>", "type": 7}';
    await served.request('/payment_methods', { method: 'POST', headers, body });
    await served.request('/customers', { headers });
    const [created, refused] = await firstMessages(served, 'request', 2);
    expect(created).toMatchObject({
      number: 1,
      at: '2026-11-20 12:00:00',
      method: 'POST',
      target: '/payment_methods',
      status: 201,
      milliseconds: expect.any(Number),
      scope: 'orders.limited.pay',
    });
    expect(JSON.parse(String(created?.request))).toEqual({ name: 'Couriers <b>', type: 7 });
    expect(refused).toMatchObject({ number: 2, status: 403, scope: '' });
    expect(JSON.stringify([created, refused])).not.toContain(token);
  });

  it('sends requests as they arrive', async () => {
    const served = await serve();
    const targets: unknown[] = [];
    for await (const { event, data } of stream(served)) {
      // The state is the last of the initial messages: all later messages are live.
      if (event === 'state') await served.request(`/taxes?page=${targets.length + 1}`);
      else targets.push(data.target);
      if (targets.length === 1) break;
    }
    expect(targets).toEqual(['/taxes?page=1']);
  });

  it('sends each request once, also those that arrive while it sends earlier ones', async () => {
    const { client } = await serve();
    const log = new RequestLog();
    const app = inspectorRoutes(client.sandbox, log, {
      apiPrefix: '',
      stopping: new AbortController().signal,
    });
    const add = () => log.add(entryOf('/taxes'));
    for (let count = 0; count < 5; count++) add();
    const request = async (path: string, init?: RequestInit) => app.request(path, init);
    const numbers: unknown[] = [];
    for await (const { event, data } of stream({ request })) {
      if (event === 'request') numbers.push(data.number);
      if (numbers.length === 1) for (let count = 0; count < 5; count++) add();
      if (numbers.length === 10) break;
    }
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it('yields to the event loop between two entries', async () => {
    const { client } = await serve();
    const log = new RequestLog();
    const stopping = new AbortController();
    const app = inspectorRoutes(client.sandbox, log, { apiPrefix: '', stopping: stopping.signal });
    for (let count = 0; count < 50; count++) log.add(entryOf('/taxes'));
    let turns = 0;
    const countTurn = () => {
      turns += 1;
      if (!stopping.signal.aborted) setImmediate(countTurn);
    };
    countTurn();
    let sentCount = 0;
    for await (const { event } of stream({ request: async (path, init) => app.request(path, init) })) {
      if (event === 'request') sentCount += 1;
      if (sentCount === 50) break;
    }
    stopping.abort();
    expect(turns).toBeGreaterThanOrEqual(50);
  });

  it('resumes after a broken connection, and starts over with another server', async () => {
    const served = await serve();
    for (let count = 0; count < 5; count++) await served.request('/taxes');
    const requests = async (lastId: string, count: number) => {
      const messages: { number: unknown; id: string }[] = [];
      for await (const { event, data, id } of stream(served, lastId)) {
        if (event === 'request') messages.push({ number: data.number, id });
        if (messages.length === count) break;
      }
      return messages;
    };
    const before = await requests('', 3);
    const after = await requests(before[2]?.id ?? '', 2);
    expect([...before, ...after].map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
    const otherServerId = (before[2]?.id ?? '').replace(/^./, '_');
    expect((await requests(otherServerId, 5)).map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
  });

  it('reports the state of the sandbox', async () => {
    const served = await serve();
    const { sandbox } = served.client;
    sandbox.clock.freeze();
    const plan = { route: '* /**', probability: 1, fault: 'half_body' } as const;
    storeFaultPlan(sandbox.database, { seed: 1, rules: [plan] });
    const [state] = await firstMessages(served, 'state', 1);
    expect(state).toMatchObject({
      clock: { now: '2026-11-20 12:00:00', isFrozen: true },
      records: { customers: { active: 200, deleted: 2 } },
      faults: 1,
    });
    expect(state?.events).toContainEqual({
      at: expect.any(String),
      type: expect.any(String),
      about: expect.any(String),
    });
  });

  it('reports the fault of a request', async () => {
    const served = await serve();
    const plan = { route: '* /**', probability: 1, fault: 'reset', after_commit: false } as const;
    storeFaultPlan(served.client.sandbox.database, { seed: 1, rules: [plan] });
    await expect(served.request('/whoami')).rejects.toThrow();
    expect((await firstMessages(served, 'request', 1))[0]).toMatchObject({ status: 0, fault: 'reset' });
  });
});

describe('URLs in the inspector', () => {
  it('have tokens, codes and secrets of the contract redacted', async () => {
    const served = await serve();
    const token = served.client.sandbox.createToken({ scopes: ['admin.write'] });
    const headers = { authorization: `Bearer ${token}` };
    for (const target of [
      `/taxes/${token}`,
      `/taxes?page=1&access_token=another-token`,
      `/taxes?filter[pin]=4821&filter%5Bpassword%5D=open%20sesame`,
      '/authorize?client_id=i&state=a-state&code=a-code&x',
      `/nowhere?sort=${token}`,
    ]) {
      await served.request(target, { headers });
    }
    const redacted = await firstMessages(served, 'request', 4);
    expect(redacted.map(({ target }) => target)).toEqual([
      '/taxes/••••',
      '/taxes?page=1&access_token=••••',
      '/taxes?filter[pin]=••••&filter%5Bpassword%5D=••••',
      '/nowhere?sort=••••',
    ]);
    expect(JSON.stringify(redacted)).not.toContain(token);
  });
});

describe('bodies in the inspector', () => {
  it('have secrets of the contract redacted', () => {
    const redacted = redactBody(api, '{"name": "A", "pin": "4821", "password": "open sesame"}', '/users');
    expect(JSON.parse(redacted)).toEqual({ name: 'A', pin: '••••', password: '••••' });
    const nestedBody = redactBody(api, '{"users": [{"p\\u0069n": "4821", "name": "A"}]}', '/users');
    expect(JSON.parse(nestedBody)).toEqual({ users: [{ pin: '••••', name: 'A' }] });
  });

  it('have secrets of a token exchange redacted, but not the codes of suppliers', () => {
    const body = '{"code": "c", "client_secret": "s", "access_token": "t", "client_id": "i"}';
    const redactedFields = { code: '••••', client_secret: '••••', access_token: '••••', client_id: 'i' };
    expect(JSON.parse(redactBody(api, body, '/oauth/token'))).toEqual(redactedFields);
    expect(redactBody(api, '{"code": "SUP-1"}', '/suppliers')).toContain('SUP-1');
    expect(JSON.parse(redactBody(api, body, '/v5/token'))).toEqual(redactedFields);
    expect(JSON.parse(redactBody(api, body, '/elsewhere'))).toEqual({ ...redactedFields, code: 'c' });
  });

  it("are replaced with their length if they aren't JSON", () => {
    expect(redactBody(api, '{"password": "open', '/users')).toBe('(18 characters that are not JSON)');
    expect(redactBody(api, Buffer.from([0xff]), '/users')).toBe('(1 characters that are not JSON)');
    expect(redactBody(api, '', '/users')).toBe('');
  });

  it('are stored only for the newest requests, and only up to a maximum length', () => {
    const log = new RequestLog();
    const long = { requestBody: Buffer.alloc(100_000), responseBody: 'x'.repeat(100_000) };
    for (let count = 0; count < 1000; count++) log.add({ ...entryOf('/'), ...long });
    expect(log.entries.length).toBeLessThan(500);
    expect(log.entries.at(-1)?.number).toBe(1000);
    expect(log.entries[0]?.requestBody.length).toBeLessThan(100);
    expect(log.entries[0]?.responseBody.length).toBeLessThan(100);
  });
});
