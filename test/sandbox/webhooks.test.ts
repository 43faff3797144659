/** Tests the webhook of a served sandbox: its events, its signature, its tries, and what it reports. */
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { networkTransport } from '../../src/account/client/network.ts';
import { deployedApi } from '../../src/api/deployments/deployment.ts';
import { requireDeployment } from '../../src/api/deployments/index.ts';
import { api } from '../../src/api/resources/index.ts';
import { openSandbox } from '../../src/sandbox/service.ts';
import { Webhook, type WebhookOptions } from '../../src/sandbox/webhooks.ts';
import { Client, startOfTests } from './client.ts';
import { existingId } from './examples.ts';

interface Delivery {
  headers: IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read events of every shape
  body: any;
}

const extendedApi = await deployedApi(api, requireDeployment('foodics-v5'));

const sendTo = (url: string) => networkTransport({ baseUrl: new URL(url).origin, timeoutMs: 5000, env: {} });

/** Starts a receiver, and a sandbox that posts to it. `respond` answers; by default with 200. */
async function start(
  options: Partial<WebhookOptions> = {},
  respond: (response: ServerResponse, count: number) => void = (response) => response.end('ok'),
) {
  const deliveries: Delivery[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    deliveries.push({ headers: request.headers, text, body: JSON.parse(text) });
    respond(response, deliveries.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`;
  const sandbox = await openSandbox({
    api: extendedApi,
    file: ':memory:',
    machineClock: () => startOfTests,
  });
  const failures: string[] = [];
  const pauses: number[] = [];
  const webhook = new Webhook(sandbox, {
    url,
    send: sendTo(url),
    secret: undefined,
    onFailure: (message) => failures.push(message),
    pause: async (milliseconds) => void pauses.push(milliseconds),
    ...options,
  });
  onTestFinished(async () => {
    await webhook.close();
    sandbox.close();
    server.closeAllConnections();
    server.close();
  });
  const client = new Client(sandbox);
  const send = (method: string, target: string, body: object = {}) =>
    sandbox.respond({
      method,
      target,
      headers: { authorization: `Bearer ${client.token}` },
      body: JSON.stringify(body),
    });
  return { client, sandbox, webhook, send, deliveries, failures, pauses, url };
}

it('webhook: posts the events of customers, the menu and orders, with the business and the record', async () => {
  const { client, sandbox, webhook, send, deliveries, failures } = await start();
  const created = await send('POST', '/customers', { name: 'New', dial_code: 966, phone: '570000001' });
  const { id } = JSON.parse(created.body).data;
  await send('PUT', `/customers/${id}`, { name: 'Renamed' });
  await send('PUT', `/categories/${existingId(client, 'categories')}`, { name: 'Renamed' });
  await send('POST', '/suppliers', { name: 'Not an event' });
  await send('POST', '/customers', { phone: 5 });
  await send('GET', '/customers');
  const lines = [{ product: 'product-hummus', quantity: 3, price: 4 }];
  const order = sandbox.placeOrder({ customer: id, lines });
  webhook.postOrders();
  sandbox.returnOrder(order.id, 5);
  webhook.postOrders();
  webhook.postOrders();
  await webhook.settled();
  expect(deliveries.map(({ body }) => body)).toMatchObject([
    {
      timestamp: startOfTests / 1000,
      event: 'customer.created',
      business: { name: 'Saffron Table', reference: 871400 },
      customer: { id, name: 'New' },
    },
    { event: 'customer.updated', customer: { id, name: 'Renamed', updated_at: expect.any(String) } },
    { event: 'menu.updated', category: { name: 'Renamed' } },
    { event: 'order.created', order: { id: order.id, total_price: 12, products: lines } },
    { event: 'order.updated', order: { id: order.id, status: 5 } },
  ]);
  expect(failures).toEqual([]);
});

it('signature: is the HMAC-SHA256 of the body in the header of the setting, and missing without a secret', async () => {
  const { sandbox, webhook, send, deliveries } = await start({ secret: 'a secret' });
  sandbox.changeSettings({ 'webhook.header': 'X-Shop-Signature' });
  await send('POST', '/customers', { name: 'عميل', dial_code: 966, phone: '570000001' });
  await webhook.settled();
  const [delivery] = deliveries;
  const expected = createHmac('sha256', 'a secret')
    .update(delivery?.text ?? '')
    .digest('hex');
  expect(delivery?.headers['x-shop-signature']).toBe(expected);
  expect(() => sandbox.changeSettings({ 'webhook.header': 'a: b' })).toThrow(
    "isn't a valid name of a header",
  );
  const unsigned = await start();
  await unsigned.send('POST', '/customers', { name: 'A', dial_code: 966, phone: '570000001' });
  await unsigned.webhook.settled();
  expect(Object.keys(unsigned.deliveries[0]?.headers ?? {}).join()).not.toContain('signature');
});

const newCustomer = { name: 'A', dial_code: 966, phone: '570000001' };

it('a receiver that fails twice: gets the same body three times, and no failure is reported', async () => {
  const { webhook, send, deliveries, failures, pauses } = await start({}, (response, count) =>
    response.writeHead(count < 3 ? 500 : 200).end(),
  );
  expect((await send('POST', '/customers', newCustomer)).status).toBe(201);
  await webhook.settled();
  expect([new Set(deliveries.map(({ text }) => text)).size, deliveries.length]).toEqual([1, 3]);
  expect([failures, pauses]).toEqual([[], [1000, 5000]]);
});

it('a receiver that redirects: is reported after three tries, and the target gets nothing', async () => {
  const target = await start();
  const { webhook, send, deliveries, failures, url } = await start({}, (response) =>
    response.writeHead(307, { location: target.url }).end(),
  );
  await send('POST', '/customers', newCustomer);
  await webhook.settled();
  expect([deliveries.length, target.deliveries]).toEqual([3, []]);
  expect(failures).toEqual([
    expect.stringMatching(`^customer.created of .+ was not delivered to ${url} in 3 tries: status 307\\.$`),
  ]);
});

it('a receiver that does not answer, or is not reachable: is reported with the reason', async () => {
  const silent = await start({}, (response) => response.socket?.resetAndDestroy());
  await silent.send('POST', '/customers', newCustomer);
  await silent.webhook.settled();
  expect(silent.failures).toEqual([expect.stringMatching(/in 3 tries: The connection to .+ was lost/)]);
  const url = 'http://127.0.0.1:1/';
  const unreachable = await start({ url, send: sendTo(url) });
  await unreachable.send('POST', '/customers', newCustomer);
  await unreachable.webhook.settled();
  expect(unreachable.failures).toEqual([expect.stringMatching(/in 3 tries: .+[^.]\.$/)]);
});

it('closing: reports the number of waiting events, and ends the request', async () => {
  const { webhook, send, failures, url } = await start({}, () => {});
  await send('POST', '/customers', newCustomer);
  await webhook.close();
  await send('PUT', '/customers/none', {});
  expect(failures).toEqual([`1 events were not delivered to ${url}.`]);
});
