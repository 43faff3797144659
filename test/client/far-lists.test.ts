/** Lists of a service that is far away, over real connections: how many requests are under way at once, and when none is. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import { networkTransport } from '../../src/client/network.ts';
import { pooledTransport } from '../../src/client/transport.ts';
import { readList } from '../../src/session/list.ts';
import { waitForTurns } from '../harness/wait-until.ts';
import { clientOver } from './client-over.ts';
import { LivingList } from './living-list.ts';
import { operationOf } from './operations.ts';
import { failureOf } from './rejection.ts';
import { stillClock } from './still-clock.ts';

const most = 8;

/** In turns of the event loop: whatever can be asked meanwhile is asked, on a slow machine as on a quick one. */
const away = 400;

/** The duration of an answer by the clock, which only advances with requests. */
const awayMs = 50;
let passedMs = 0;
beforeEach(() => {
  vi.spyOn(process.hrtime, 'bigint').mockImplementation(() => BigInt(passedMs) * 1_000_000n);
});

interface Told {
  status?: number;
  headers?: Record<string, string>;
}

/** Each answer takes as long as one from another continent: many others could be asked for meanwhile. */
async function farService(list: LivingList, tell: (count: number) => Told = () => ({})) {
  const service = { url: '', count: 0, underWay: 0, mostAtOnce: 0, atOnce: [] as number[] };
  const server = createServer(({ url = '' }, response) => {
    service.count++;
    service.underWay++;
    passedMs += awayMs;
    service.mostAtOnce = Math.max(service.mostAtOnce, service.underWay);
    service.atOnce.push(service.underWay);
    const { status = 200, headers = {} } = tell(service.count);
    const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1);
    void waitForTurns(away).then(() => {
      service.underWay--;
      response.writeHead(status, headers).end(JSON.stringify(status === 200 ? list.page(page) : {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return service;
}

function clientOf(baseUrl: string, signal?: AbortSignal) {
  const transport = pooledTransport(most, () => networkTransport({ baseUrl, timeoutMs: 600_000, env: {} }));
  return clientOver(transport, { maxConcurrency: most, clock: stillClock(), signal });
}

const call = { operation: operationOf('suppliers', 'list'), query: {} };

async function idsOf(batches: AsyncIterable<readonly { id?: unknown }[]>): Promise<unknown[]> {
  const ids: unknown[] = [];
  for await (const rows of batches) ids.push(...rows.map(({ id }) => id));
  return ids;
}

describe('a list of a slow service', () => {
  test('is read at least four pages at a time, in order', async () => {
    const list = new LivingList(3000);
    const service = await farService(list);
    const ids = await idsOf(readList(clientOf(service.url), call, { readsAll: true }).batches());
    expect(ids).toEqual(list.ids);
    expect(service).toMatchObject({ count: 60, mostAtOnce: most });
    expect(service.atOnce.reduce((sum, count) => sum + count, 0) / service.count).toBeGreaterThan(4);
  });

  test('--limit: no further pages are requested', async () => {
    const list = new LivingList(3000);
    const service = await farService(list);
    const reading = readList(clientOf(service.url), call, { readsAll: true, limit: 420 });
    expect(await idsOf(reading.batches())).toEqual(list.ids.slice(0, 420));
    expect(service.count).toBe(9);
    expect(reading.summary()).toMatchObject({ isLimited: true, total: 3000 });
  });

  test('is read one page after another if not all of it may be wanted', async () => {
    const service = await farService(new LivingList(300));
    for await (const rows of readList(clientOf(service.url), call).batches()) if (rows.length === 0) break;
    expect(service).toMatchObject({ count: 6, mostAtOnce: 1 });
    await idsOf(readList(clientOf(service.url), call, { readsAll: true, isFirstPageOnly: true }).batches());
    expect(service).toMatchObject({ count: 7, mostAtOnce: 1 });
  });

  test('is read one page after another after a 429', async () => {
    const list = new LivingList(2000);
    const refused = 12;
    const service = await farService(list, (count) =>
      count === refused ? { status: 429, headers: { 'retry-after': '1' } } : {},
    );
    const ids = await idsOf(readList(clientOf(service.url), call, { readsAll: true }).batches());
    expect(ids).toEqual(list.ids);
    expect(service.count).toBe(40 + 1);
    // What was under way by then is answered first.
    expect(Math.max(...service.atOnce.slice(refused + most))).toBe(1);
  });

  test('is read one page after another if few requests are left', async () => {
    const list = new LivingList(1400);
    const service = await farService(list, (count) => ({
      headers: { 'x-ratelimit-limit': '30', 'x-ratelimit-remaining': String(30 - count) },
    }));
    const ids = await idsOf(readList(clientOf(service.url), call, { readsAll: true }).batches());
    expect(ids).toEqual(list.ids);
    expect(Math.max(...service.atOnce.slice(30 - 2 * most + most))).toBe(1);
  });

  test('an interrupted list: no further page is requested', async () => {
    const service = await farService(new LivingList(5000));
    const ending = new AbortController();
    const interrupted = new Failure('interrupted', 'Interrupted.', { exitCode: 130 });
    const read = async () => {
      for await (const _ of readList(clientOf(service.url, ending.signal), call, {
        readsAll: true,
      }).batches())
        if (service.count > 30) ending.abort(interrupted);
    };
    expect(await failureOf(read())).toMatchObject({ category: 'interrupted' });
    // What had left before arrives.
    await waitForTurns(10);
    const { count } = service;
    await waitForTurns(2 * away);
    expect(service.count).toBe(count);
  });

  test('sends only the requests in flight after a 401', async () => {
    const service = await farService(new LivingList(5000), (count) => (count > 20 ? { status: 401 } : {}));
    const reading = readList(clientOf(service.url), call, { readsAll: true });
    expect(await failureOf(idsOf(reading.batches()))).toMatchObject({ category: 'not_signed_in' });
    expect(service.count).toBeLessThanOrEqual(20 + most);
  });
});
