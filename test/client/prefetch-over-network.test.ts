/** Tests the number of concurrent requests for a list of a slow service, over real connections. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { networkTransport } from '../../src/account/client/network.ts';
import { pooledTransport } from '../../src/account/client/transport.ts';
import { readList } from '../../src/account/session/list.ts';
import { Failure } from '../../src/base/errors.ts';
import { waitForTurns } from '../harness/wait-until.ts';
import { ChangingList } from './changing-list.ts';
import { fakeClock } from './fake-clock.ts';
import { operationOf } from './operations.ts';
import { failureOf } from './rejection.ts';
import { createTestClient } from './test-client.ts';

const maxConcurrency = 8;

/** The delay of a response in turns of the event loop, so that the result doesn't depend on the speed of the machine. */
const delayTurns = 400;

/** The duration of a response by the fake clock, which only advances with requests. */
const responseMs = 50;
let elapsed = 0;
beforeEach(() => {
  vi.spyOn(process.hrtime, 'bigint').mockImplementation(() => BigInt(elapsed) * 1_000_000n);
});

interface ResponseOptions {
  status?: number;
  headers?: Record<string, string>;
}

/** Starts a service with a high latency, so that the client can send several requests before a response. */
async function startSlowService(
  list: ChangingList,
  optionsFor: (count: number) => ResponseOptions = () => ({}),
) {
  const service = { url: '', count: 0, inFlight: 0, maxInFlight: 0, inFlightCounts: [] as number[] };
  const server = createServer(({ url = '' }, response) => {
    service.count++;
    service.inFlight++;
    elapsed += responseMs;
    service.maxInFlight = Math.max(service.maxInFlight, service.inFlight);
    service.inFlightCounts.push(service.inFlight);
    const { status = 200, headers = {} } = optionsFor(service.count);
    const page = Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1);
    void waitForTurns(delayTurns).then(() => {
      service.inFlight--;
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
  const transport = pooledTransport(maxConcurrency, () =>
    networkTransport({ baseUrl, timeoutMs: 600_000, env: {} }),
  );
  return createTestClient(transport, { maxConcurrency, clock: fakeClock(), signal });
}

const call = { operation: operationOf('suppliers', 'list'), query: {} };

async function idsOf(batches: AsyncIterable<readonly { id?: unknown }[]>): Promise<unknown[]> {
  const ids: unknown[] = [];
  for await (const rows of batches) ids.push(...rows.map(({ id }) => id));
  return ids;
}

describe('a list of a slow service', () => {
  test('is read in order, with at least four concurrent requests on average', async () => {
    const list = new ChangingList(3000);
    const service = await startSlowService(list);
    const ids = await idsOf(readList(clientOf(service.url), call, { readsAll: true }).batches());
    expect(ids).toEqual(list.ids);
    expect(service).toMatchObject({ count: 60, maxInFlight: maxConcurrency });
    expect(service.inFlightCounts.reduce((sum, count) => sum + count, 0) / service.count).toBeGreaterThan(4);
  });

  test('with --limit: only the needed pages are requested', async () => {
    const list = new ChangingList(3000);
    const service = await startSlowService(list);
    const reading = readList(clientOf(service.url), call, { readsAll: true, limit: 420 });
    expect(await idsOf(reading.batches())).toEqual(list.ids.slice(0, 420));
    expect(service.count).toBe(9);
    expect(reading.summary()).toMatchObject({ isLimited: true, total: 3000 });
  });

  test('is read page by page if reading may stop early', async () => {
    const service = await startSlowService(new ChangingList(300));
    for await (const rows of readList(clientOf(service.url), call).batches()) if (rows.length === 0) break;
    expect(service).toMatchObject({ count: 6, maxInFlight: 1 });
    await idsOf(readList(clientOf(service.url), call, { readsAll: true, isFirstPageOnly: true }).batches());
    expect(service).toMatchObject({ count: 7, maxInFlight: 1 });
  });

  test('is read page by page after a 429', async () => {
    const list = new ChangingList(2000);
    const refusedRequest = 12;
    const service = await startSlowService(list, (count) =>
      count === refusedRequest ? { status: 429, headers: { 'retry-after': '1' } } : {},
    );
    const ids = await idsOf(readList(clientOf(service.url), call, { readsAll: true }).batches());
    expect(ids).toEqual(list.ids);
    expect(service.count).toBe(40 + 1);
    // Requests that were in flight are completed first.
    expect(Math.max(...service.inFlightCounts.slice(refusedRequest + maxConcurrency))).toBe(1);
  });

  test('is read page by page if few requests remain', async () => {
    const list = new ChangingList(1400);
    const service = await startSlowService(list, (count) => ({
      headers: { 'x-ratelimit-limit': '30', 'x-ratelimit-remaining': String(30 - count) },
    }));
    const ids = await idsOf(readList(clientOf(service.url), call, { readsAll: true }).batches());
    expect(ids).toEqual(list.ids);
    expect(Math.max(...service.inFlightCounts.slice(30 - 2 * maxConcurrency + maxConcurrency))).toBe(1);
  });

  test('requests no further page after an interruption', async () => {
    const service = await startSlowService(new ChangingList(5000));
    const controller = new AbortController();
    const interrupted = new Failure('interrupted', 'Interrupted.', { exitCode: 130 });
    const read = async () => {
      for await (const _ of readList(clientOf(service.url, controller.signal), call, {
        readsAll: true,
      }).batches())
        if (service.count > 30) controller.abort(interrupted);
    };
    expect(await failureOf(read())).toMatchObject({ category: 'interrupted' });
    // Requests that were sent before arrive.
    await waitForTurns(10);
    const { count } = service;
    await waitForTurns(2 * delayTurns);
    expect(service.count).toBe(count);
  });

  test('sends no further request after a 401, except those in flight', async () => {
    const service = await startSlowService(new ChangingList(5000), (count) =>
      count > 20 ? { status: 401 } : {},
    );
    const reading = readList(clientOf(service.url), call, { readsAll: true });
    expect(await failureOf(idsOf(reading.batches()))).toMatchObject({ category: 'not_signed_in' });
    expect(service.count).toBeLessThanOrEqual(20 + maxConcurrency);
  });
});
