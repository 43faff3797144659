/** What the client does on the wire, seen by nock: nothing here reaches a network. */
import nock from 'nock';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ClientOptions } from '../../src/client/client.ts';
import { networkTransport } from '../../src/client/network.ts';
import type { Call } from '../../src/client/request.ts';
import type { Row } from '../../src/client/shape.ts';
import { clientOver, sampleToken } from './client-over.ts';
import { operationOf } from './operations.ts';
import { failureOf } from './rejection.ts';
import { stillClock } from './still-clock.ts';

const baseUrl = 'https://api.example.com';
const transport = networkTransport({ baseUrl, timeoutMs: 600_000, env: {} });

beforeEach(() => nock.disableNetConnect());
// It watches whatever this process sends: files that come after this one are none of its business.
afterAll(() => nock.restore());
afterEach(() => {
  expect(nock.pendingMocks()).toEqual([]);
  nock.cleanAll();
  nock.enableNetConnect();
});

const service = () => nock(baseUrl);
const client = (options: Partial<ClientOptions> = {}) => clientOver(transport, options);

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
  test('has the path unchanged: nothing is normalized', async () => {
    const seen: string[] = [];
    service()
      .get(() => true)
      .times(2)
      .reply(({ url }: Request) => {
        seen.push(url.slice(baseUrl.length));
        return [200, { data: [] }];
      });
    await rowsOf({ ...list, query: { filters: { 'tags.id': 'a,b' }, include: ['items', 'tags'] } });
    await client({ apiPrefix: '/v5' }).raw({ method: 'GET', target: '/suppliers/..%2Fx' });
    expect(seen).toEqual(['/suppliers?filter[tags.id]=a,b&include=items,tags', '/v5/suppliers/..%2Fx']);
  });

  test('contains the token, identifies boh, and accepts JSON', async () => {
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
    'never contains a raw path such as "%s"',
    async (target) => {
      expect(await failureOf(client().raw({ method: 'GET', target }))).toMatchObject({ category: 'usage' });
    },
  );
});

describe('lists', () => {
  test('are read with their own query, and the next link is ignored', async () => {
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

  test('with one page request only that page', async () => {
    service()
      .get('/suppliers?page=3')
      .reply(200, { data: [{ id: '7' }], meta: { last_page: 9 } });
    expect(await rowsOf({ ...list, query: { page: 3 } })).toEqual([{ id: '7' }]);
  });

  test('outside the contract are read in the same way', async () => {
    service()
      .get('/other?x=1')
      .reply(200, { data: [{ id: '1' }] });
    service().get('/other?x=1&page=2').reply(200, { data: [] });
    const pages = await Array.fromAsync(client().rawPages('/other?x=1'));
    expect(pages.flatMap(({ rows }) => rows)).toEqual([{ id: '1' }]);
  });

  test('that repeat themselves outside the contract end too', async () => {
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
  test.each([200, 201])('accept the record of a %i', async (status) => {
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
  ])('without a record accept a %i with "%s", and ignore the body', async (status, body) => {
    service().delete('/suppliers/42').reply(status, body);
    expect(await client().write(remove)).toBeUndefined();
  });

  test('fail if a web page answers instead of the service', async () => {
    service().delete('/suppliers/42').reply(200, '<html>Log in to the network</html>');
    expect(await failureOf(client().write(remove))).toMatchObject({
      category: 'unavailable',
      details: { status: 200 },
    });
  });

  test('are sent once after a 502', async () => {
    service().post('/suppliers').reply(502, '<html>Bad gateway</html>');
    expect(await failureOf(client().write(create))).toMatchObject({
      category: 'unavailable',
      details: { status: 502 },
    });
  });

  test('that are documented as GET are not repeated either', async () => {
    service().get('/loyalty_rewards/7?order_id=o1').reply(503);
    const redeem = {
      operation: operationOf('loyalty_rewards', 'redeem'),
      ids: ['7'],
      body: { order_id: 'o1' },
    };
    expect(await failureOf(client().write(redeem))).toMatchObject({ category: 'unavailable' });
  });

  test('refused by the rate limit wait as long as the service asks, and are sent again', async () => {
    const clock = stillClock();
    service().post('/suppliers').reply(429, { message: 'Too Many Attempts.' }, { 'Retry-After': '31' });
    service()
      .post('/suppliers')
      .reply(201, { data: { id: '42' } });
    await client({ clock }).write(create);
    expect(clock.waits).toEqual([31_000]);
  });
});

describe('reads', () => {
  test('are sent at most four times after faults, and each wait is reported with its reason', async () => {
    const reasons: string[] = [];
    service().get('/suppliers/42').times(4).reply(500, 'oops');
    const failure = await failureOf(client({ onWait: (reason) => reasons.push(reason) }).get(get));
    expect(failure).toMatchObject({
      category: 'unavailable',
      message: 'The service reported an error (500).',
    });
    expect(reasons).toEqual(Array(3).fill('The service reported an error (500).'));
  });

  test('are complete although a third of all requests is refused', async () => {
    const clock = stillClock();
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

  test('that would have to wait for years fail immediately with that reason', async () => {
    service().get('/suppliers/42').reply(429, '', { 'Retry-After': '1000000000' });
    const failure = await failureOf(client().get(get));
    expect(failure).toMatchObject({
      category: 'rate_limited',
      exitCode: 7,
      details: { hint: 'Try again in 11575 days.' },
    });
  });

  test("answered with X-RateLimit-Remaining: 0 don't wait: only a 429 says for how long", async () => {
    const clock = stillClock();
    service()
      .get('/suppliers/42')
      .times(2)
      .reply(200, { data: { id: '42' } }, { 'X-RateLimit-Remaining': '0' });
    const same = client({ clock });
    await same.get(get);
    await same.get(get);
    expect(clock.waits).toEqual([]);
  });

  test.each([301, 302, 303, 307, 308])(
    'redirected with %i to another host fail: nothing is sent to it',
    async (status) => {
      const elsewhere = nock('https://evil.example')
        .get(() => true)
        .reply(200, { data: { id: 'stolen' } });
      service().get('/suppliers/42').reply(status, '', { Location: 'https://evil.example/suppliers/42' });
      const failure = await failureOf(client().get(get));
      expect(failure).toMatchObject({
        category: 'unavailable',
        message: expect.stringContaining("to evil.example. boh doesn't follow redirects"),
      });
      expect(elsewhere.isDone()).toBe(false);
      nock.cleanAll();
    },
  );
});

describe('a refused token', () => {
  test('ends all further calls without another request', async () => {
    service()
      .get('/suppliers')
      .reply(200, { data: [{ id: '1' }] });
    service().get('/suppliers?page=2').reply(401, { message: 'Unauthenticated.' });
    const same = client();
    expect(await failureOf(Array.fromAsync(same.pages(list)))).toMatchObject({
      category: 'not_signed_in',
      exitCode: 3,
    });
    for (const work of [same.get(get), same.write(create), same.raw({ method: 'GET', target: '/x' })]) {
      expect(await failureOf(work)).toMatchObject({ category: 'not_signed_in' });
    }
  });

  test('ends only the calls of one operation after a 403', async () => {
    service().post('/suppliers').reply(403, { message: 'This action is unauthorized.' });
    service()
      .get('/suppliers/42')
      .reply(200, { data: { id: '42' } });
    const same = client();
    for (let time = 0; time < 3; time++) {
      expect(await failureOf(same.write(create))).toMatchObject({
        category: 'not_allowed',
        message: expect.stringContaining('inventory.settings.write'),
      });
    }
    expect(await same.get(get)).toMatchObject({ record: { id: '42' } });
  });
});

describe('the token', () => {
  test('is redacted if the service quotes it', async () => {
    const echo = { message: `Bad token ${sampleToken}`, errors: { token: [`${sampleToken} has expired`] } };
    service().get('/suppliers/42').reply(422, echo);
    const failure = await failureOf(client().get(get));
    expect(JSON.stringify([failure.message, failure.details])).not.toContain('CANARY');
    expect(failure.message).toContain('Bad token ••••');
  });

  test('is never shown to observers of requests', async () => {
    const seen: unknown[] = [];
    service().get(`/x?token=${sampleToken}`).reply(404, { message: sampleToken });
    service()
      .post('/suppliers')
      .reply(201, { data: { id: sampleToken } });
    const watched = client({ onResponse: (...told) => seen.push(told) });
    const failure = await failureOf(watched.raw({ method: 'GET', target: `/x?token=${sampleToken}` }));
    const written = await watched.write(create);
    expect(JSON.stringify([failure.message, failure.details, written])).not.toContain('CANARY');
    expect(seen).toEqual([
      [{ method: 'GET', target: '/x?token=••••' }, { status: 404 }, 0],
      [{ method: 'POST', target: '/suppliers' }, { status: 201 }, 0],
    ]);
  });

  test("that is an example value isn't redacted", async () => {
    service().get('/suppliers/42').reply(422, { message: 'the test' });
    expect((await failureOf(client({ token: { reveal: () => 't' } }).get(get))).message).toContain(
      'the test',
    );
  });
});
