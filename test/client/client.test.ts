/** Tests the HTTP requests of the client with nock, without a network. */
import nock from 'nock';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ClientOptions } from '../../src/account/client/client.ts';
import { networkTransport } from '../../src/account/client/network.ts';
import type { Call } from '../../src/account/client/request.ts';
import type { Row } from '../../src/account/client/shape.ts';
import { fakeClock } from './fake-clock.ts';
import { operationOf } from './operations.ts';
import { failureOf } from './rejection.ts';
import { createTestClient, sampleToken } from './test-client.ts';

const baseUrl = 'https://api.example.com';
const transport = networkTransport({ baseUrl, timeoutMs: 600_000, env: {} });

beforeEach(() => nock.disableNetConnect());
// nock intercepts all requests of this process, including those of the following test files.
afterAll(() => nock.restore());
afterEach(() => {
  expect(nock.pendingMocks()).toEqual([]);
  nock.cleanAll();
  nock.enableNetConnect();
});

const service = () => nock(baseUrl);
const client = (options: Partial<ClientOptions> = {}) => createTestClient(transport, options);

const list: Call = { operation: operationOf('suppliers', 'list') };
const get: Call = { operation: operationOf('suppliers', 'get'), ids: ['42'] };
const create: Call = { operation: operationOf('suppliers', 'create'), body: { name: 'Fresh Farms' } };
const remove: Call = { operation: operationOf('suppliers', 'delete'), ids: ['42'] };

async function rowsOf(call: Call, options: Partial<ClientOptions> = {}): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const page of client(options).pages(call)) rows.push(...page.rows);
  return rows;
}

describe('a request', () => {
  test('contains the path unchanged, without normalization', async () => {
    const requests: string[] = [];
    service()
      .get(() => true)
      .times(2)
      .reply(({ url }: Request) => {
        requests.push(url.slice(baseUrl.length));
        return [200, { data: [] }];
      });
    await rowsOf({ ...list, query: { filters: { 'tags.id': 'a,b' }, include: ['items', 'tags'] } });
    await client({ apiPrefix: '/v5' }).raw({ method: 'GET', target: '/suppliers/..%2Fx' });
    expect(requests).toEqual(['/suppliers?filter[tags.id]=a,b&include=items,tags', '/v5/suppliers/..%2Fx']);
  });

  test('contains the token, the user agent and the accepted type', async () => {
    nock(baseUrl, {
      reqheaders: {
        authorization: `Bearer ${sampleToken}`,
        'user-agent': 'boh/1.2.3',
        accept: 'application/json',
      },
    })
      .get('/suppliers/42')
      .reply(200, { data: { id: '42' } });
    expect(await client().get(get)).toEqual({ record: { id: '42' }, body: '{"data":{"id":"42"}}' });
  });

  test.each(['/a b', 'a', '/\u00e9', '/a#b', '/a\nb', ''])(
    'with the raw path "%s": is refused',
    async (target) => {
      expect(await failureOf(client().raw({ method: 'GET', target }))).toMatchObject({ category: 'usage' });
    },
  );
});

describe('lists', () => {
  test('are read with their query on each page; next links are ignored', async () => {
    const next = 'https://evil.example/suppliers?page=2';
    const filters = { name: 'Farms' };
    service()
      .get('/suppliers?filter[name]=Farms')
      .reply(200, { data: [{ id: '1' }], links: { next }, meta: { last_page: null, total: 2 } });
    service()
      .get('/suppliers?filter[name]=Farms&page=2')
      .reply(200, { data: [{ id: '2' }], links: { next: null }, meta: { total: 2 } });
    expect(await rowsOf({ ...list, query: { filters } })).toEqual([{ id: '1' }, { id: '2' }]);
  });

  test('with a page number: only that page is requested', async () => {
    service()
      .get('/suppliers?page=3')
      .reply(200, { data: [{ id: '7' }], meta: { last_page: 9 } });
    expect(await rowsOf({ ...list, query: { page: 3 } })).toEqual([{ id: '7' }]);
  });

  test('outside the contract: are read page by page', async () => {
    service()
      .get('/other?x=1')
      .reply(200, { data: [{ id: '1' }] });
    service().get('/other?x=1&page=2').reply(200, { data: [] });
    const pages = await Array.fromAsync(client().rawPages('/other?x=1'));
    expect(pages.flatMap(({ rows }) => rows)).toEqual([{ id: '1' }]);
  });

  test('outside the contract with the same page repeated: fail', async () => {
    service()
      .get(/^\/other/)
      .times(2)
      .reply(200, { data: [{ id: '1' }] });
    expect(await failureOf(Array.fromAsync(client().rawPages('/other')))).toMatchObject({
      category: 'unavailable',
    });
  });
});

describe('writes', () => {
  test.each([200, 201])('with a %i: return its record', async (status) => {
    service()
      .post('/suppliers', { name: 'Fresh Farms' })
      .reply(status, { data: { id: '42' } });
    expect(await client().write(create)).toMatchObject({ record: { id: '42' } });
  });

  test.each([
    [200, ''],
    [204, ''],
    [200, 'OK'],
    [200, '{"data":'],
  ])('without a record: a %i with the body "%s" is a success', async (status, body) => {
    service().delete('/suppliers/42').reply(status, body);
    expect(await client().write(remove)).toBeUndefined();
  });

  test('with a web page as the response: fail', async () => {
    service().delete('/suppliers/42').reply(200, '<html>Log in to the network</html>');
    expect(await failureOf(client().write(remove))).toMatchObject({
      category: 'unavailable',
      details: { status: 200 },
    });
  });

  test('with a 502: are not repeated', async () => {
    service().post('/suppliers').reply(502, '<html>Bad gateway</html>');
    expect(await failureOf(client().write(create))).toMatchObject({
      category: 'unavailable',
      details: { status: 502 },
    });
  });

  test('documented as GET: are not repeated', async () => {
    service().get('/loyalty_rewards/7?order_id=o1').reply(503);
    const redeem = {
      operation: operationOf('loyalty_rewards', 'redeem'),
      ids: ['7'],
      body: { order_id: 'o1' },
    };
    expect(await failureOf(client().write(redeem))).toMatchObject({ category: 'unavailable' });
  });

  test('with a 429: are sent again after the requested pause', async () => {
    const clock = fakeClock();
    service().post('/suppliers').reply(429, { message: 'Too Many Attempts.' }, { 'Retry-After': '31' });
    service()
      .post('/suppliers')
      .reply(201, { data: { id: '42' } });
    await client({ clock }).write(create);
    expect(clock.waits).toEqual([31_000]);
  });
});

describe('reads', () => {
  test('after errors: are sent at most four times, and each wait is reported', async () => {
    const reasons: string[] = [];
    service().get('/suppliers/42').times(4).reply(500, 'oops');
    const failure = await failureOf(client({ onWait: (reason) => reasons.push(reason) }).get(get));
    expect(failure).toMatchObject({
      category: 'unavailable',
      message: 'The service reported an error (500).',
    });
    expect(reasons).toEqual(Array(3).fill('The service reported an error (500).'));
  });

  test('with a 429 for a third of all requests: are complete', async () => {
    const clock = fakeClock();
    for (let page = 1; page <= 30; page++) {
      const path = page === 1 ? '/suppliers' : `/suppliers?page=${page}`;
      if (page % 3 === 0) service().get(path).reply(429, '', { 'Retry-After': '2' });
      service()
        .get(path)
        .reply(200, { data: [{ id: `${page}` }], meta: { last_page: 30, total: 30 } });
    }
    expect(await rowsOf(list, { clock })).toHaveLength(30);
    expect(clock.waits).toEqual(Array(10).fill(2000));
  });

  test('with a Retry-After of years: fail immediately', async () => {
    service().get('/suppliers/42').reply(429, '', { 'Retry-After': '1000000000' });
    const failure = await failureOf(client().get(get));
    expect(failure).toMatchObject({
      category: 'rate_limited',
      exitCode: 7,
      details: { hint: 'Try again in 11575 days.' },
    });
  });

  test("with X-RateLimit-Remaining: 0: don't wait", async () => {
    const clock = fakeClock();
    service()
      .get('/suppliers/42')
      .times(2)
      .reply(200, { data: { id: '42' } }, { 'X-RateLimit-Remaining': '0' });
    const testClient = client({ clock });
    await testClient.get(get);
    await testClient.get(get);
    expect(clock.waits).toEqual([]);
  });

  test.each([301, 302, 303, 307, 308])('with a redirect (%i) to another host: fail', async (status) => {
    const otherService = nock('https://evil.example')
      .get(() => true)
      .reply(200, { data: { id: 'stolen' } });
    service().get('/suppliers/42').reply(status, '', { Location: 'https://evil.example/suppliers/42' });
    const failure = await failureOf(client().get(get));
    expect(failure).toMatchObject({
      category: 'unavailable',
      message: expect.stringContaining("to evil.example. boh doesn't follow redirects"),
    });
    expect(otherService.isDone()).toBe(false);
    nock.cleanAll();
  });
});

describe('a refused token', () => {
  test('fails all further calls without another request', async () => {
    service()
      .get('/suppliers')
      .reply(200, { data: [{ id: '1' }] });
    service().get('/suppliers?page=2').reply(401, { message: 'Unauthenticated.' });
    const testClient = client();
    expect(await failureOf(Array.fromAsync(testClient.pages(list)))).toMatchObject({
      category: 'not_signed_in',
      exitCode: 3,
    });
    for (const work of [
      testClient.get(get),
      testClient.write(create),
      testClient.raw({ method: 'GET', target: '/x' }),
    ]) {
      expect(await failureOf(work)).toMatchObject({ category: 'not_signed_in' });
    }
  });

  test('with a 403: fails only further calls of the same operation', async () => {
    service().post('/suppliers').reply(403, { message: 'This action is unauthorized.' });
    service()
      .get('/suppliers/42')
      .reply(200, { data: { id: '42' } });
    const testClient = client();
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await failureOf(testClient.write(create))).toMatchObject({
        category: 'not_allowed',
        message: expect.stringContaining('inventory.settings.write'),
      });
    }
    expect(await testClient.get(get)).toMatchObject({ record: { id: '42' } });
  });
});

describe('the token', () => {
  test('is redacted if the response repeats it', async () => {
    const echo = { message: `Bad token ${sampleToken}`, errors: { token: [`${sampleToken} has expired`] } };
    service().get('/suppliers/42').reply(422, echo);
    const failure = await failureOf(client().get(get));
    expect(JSON.stringify([failure.message, failure.details])).not.toContain('CANARY');
    expect(failure.message).toContain('Bad token ••••');
  });

  test('is redacted in reported requests', async () => {
    const requests: unknown[] = [];
    service().get(`/x?token=${sampleToken}`).reply(404, { message: sampleToken });
    service()
      .post('/suppliers')
      .reply(201, { data: { id: sampleToken } });
    const observedClient = client({ onResponse: (...args) => requests.push(args) });
    const failure = await failureOf(observedClient.raw({ method: 'GET', target: `/x?token=${sampleToken}` }));
    const written = await observedClient.write(create);
    expect(JSON.stringify([failure.message, failure.details, written])).not.toContain('CANARY');
    expect(requests).toEqual([
      [{ method: 'GET', target: '/x?token=••••' }, { status: 404 }, 0],
      [{ method: 'POST', target: '/suppliers' }, { status: 201 }, 0],
    ]);
  });

  test("that is shorter than a secret: isn't redacted", async () => {
    service().get('/suppliers/42').reply(422, { message: 'the test' });
    expect((await failureOf(client({ token: { reveal: () => 't' } }).get(get))).message).toContain(
      'the test',
    );
  });
});
