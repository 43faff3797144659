/** Tests that an open connection returns the same responses as a new one, whichever connection writes. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { includableAfter } from '../../src/api/contract/include.ts';
import { isWrite, type Operation, operation, operations } from '../../src/api/contract/operation.ts';
import { scopeNames } from '../../src/api/contract/scope.ts';
import { api } from '../../src/api/resources/index.ts';
import { dayMs, hourMs } from '../../src/sandbox/calendar.ts';
import type { ServiceRequest } from '../../src/sandbox/http/message.ts';
import { fc } from '../harness/fast-check.ts';
import { type Client, openClient, startOfTests } from './client.ts';
import { existingId, fullBody, pathOf } from './examples.ts';

let folder: string;
let template: string;
let copyCount = 0;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'boh-connections-'));
  template = join(folder, 'template.sqlite');
  (await openClient({ file: template })).sandbox.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const listResources = api.collections.filter((resource) => operation(resource, 'list'));

const writeOperations = api.collections.flatMap((resource) => operations(resource)).filter(isWrite);

/** Two clients of one sandbox file, with the requests and writes that they send. */
class TwoClients {
  readonly client: Client;
  readonly otherClient: Client;
  readonly open: () => Promise<Client>;
  readonly requests: readonly ServiceRequest[];
  /** The writes, by operation, from the examples. */
  readonly writes: ReadonlyMap<Operation, { path: string; body: string }>;
  now = startOfTests;

  private constructor(
    client: Client,
    otherClient: Client,
    open: () => Promise<Client>,
    tokens: readonly string[],
  ) {
    this.client = client;
    this.otherClient = otherClient;
    this.open = open;
    this.writes = new Map(
      writeOperations.map((writeOperation) => {
        const ids = writeOperation.params.map(({ target }) => existingId(client, target));
        return [
          writeOperation,
          { path: pathOf(writeOperation, ids), body: JSON.stringify(fullBody(client, writeOperation)) },
        ];
      }),
    );
    const targets = listResources.flatMap((resource) => [
      resource.path,
      `${resource.path}?page=2`,
      `${resource.path}?filter[is_deleted]=true&sort=-created_at`,
      `${resource.path}?include=${includableAfter(resource, [])?.slice(0, 3).join(',')}`,
      `${resource.path}/${existingId(client, resource.name)}`,
    ]);
    this.requests = [...targets, '/whoami', '/nowhere'].flatMap((target) =>
      tokens.map((token) => {
        const headers = { authorization: `Bearer ${token}`, host: 'localhost' };
        return { method: 'GET', target, headers, body: '' };
      }),
    );
  }

  static async create(): Promise<TwoClients> {
    copyCount += 1;
    const file = join(folder, `${copyCount}.sqlite`);
    copyFileSync(template, file);
    const clock = { now: () => startOfTests };
    const open = () => openClient({ file, machineClock: () => clock.now() });
    const [client, otherClient] = [await open(), await open()];
    const manager = existingId(client, 'users');
    const tokens = [
      client.sandbox.createToken({ scopes: scopeNames }),
      client.sandbox.createToken({ scopes: scopeNames.slice(0, 9), userId: manager }),
    ];
    const clients = new TwoClients(client, otherClient, open, tokens);
    clock.now = () => clients.now;
    return clients;
  }

  /** Expects that the client that was opened earlier returns the same responses as a newly opened sandbox. */
  async expectSameResponses(indexes: readonly number[]): Promise<void> {
    const newClient = await this.open();
    try {
      for (const index of indexes) {
        const request = this.requests[index % this.requests.length] as ServiceRequest;
        const expectedResponse = newClient.sandbox.handle(request);
        expect(this.client.sandbox.handle(request)).toEqual(expectedResponse);
      }
    } finally {
      newClient.sandbox.close();
    }
  }

  close(): void {
    this.client.sandbox.close();
    this.otherClient.sandbox.close();
  }
}

type Step = (clients: TwoClients, writer: Client) => void | Promise<void>;

const steps: Record<string, Step[]> = {
  operation: writeOperations.map((writeOperation) => (clients, writer) => {
    const { path, body } = clients.writes.get(writeOperation) ?? { path: '', body: '' };
    writer.send(writeOperation.method, path, body);
  }),
  'changes outside the API': [
    (_, { sandbox, get }) => {
      const { json } = get('/customers?page=1');
      sandbox.placeOrder({ customer: (json.data ?? json)[0].id, total: 400 });
    },
    (_, { sandbox }) => void sandbox.changeSettings({ loyaltyRewardMinimum: 1 }),
    (_, { sandbox }) => void sandbox.changeSettings({ 'wire.relations': 'absent', 'wire.page_size': 7 }),
    (_, { sandbox }) => void sandbox.changeSettings({ 'wire.envelope': 'none' }),
    (_, { sandbox }) => sandbox.clock.advance(hourMs),
    (_, { sandbox }) => sandbox.clock.advance(-26 * hourMs),
    (_, { sandbox }) => sandbox.clock.freeze(),
    (_, { sandbox }) => void sandbox.createToken({ scopes: [] }),
    (_, { sandbox }) => sandbox.reset(),
  ],
  'changes of the clock': [
    (clients) => {
      clients.now += 1000;
    },
    (clients) => {
      clients.now += dayMs;
    },
    (clients) => {
      clients.now -= hourMs;
    },
  ],
  SQL: [
    (_, { sandbox }) => void sandbox.database.run("UPDATE suppliers SET name = name || 'x'"),
    (_, { sandbox }) => void sandbox.database.run('UPDATE users SET deleted_at = NULL'),
    (_, { sandbox }) => {
      const failAfterUpdate = () =>
        sandbox.database.write(() => {
          sandbox.database.run("UPDATE tags SET name = 'never'");
          throw new Error('no');
        });
      expect(failAfterUpdate).toThrow('no');
    },
  ],
};

const step = fc
  .constantFrom(...Object.values(steps))
  .chain((alternatives) =>
    fc.record({ work: fc.constantFrom(...alternatives), isFirstClient: fc.boolean() }),
  );

test('sandbox with two connections: both return the responses of a new connection after writes of either', async () => {
  const sequence = fc.array(
    fc.record({ step, indexes: fc.array(fc.nat(), { minLength: 6, maxLength: 12 }) }),
    {
      minLength: 4,
      maxLength: 12,
    },
  );
  await fc.assert(
    fc.asyncProperty(sequence, async (sequenceSteps) => {
      const clients = await TwoClients.create();
      try {
        for (const { step, indexes } of sequenceSteps) {
          await clients.expectSameResponses(indexes);
          await step.work(clients, step.isFirstClient ? clients.client : clients.otherClient);
          await clients.expectSameResponses(indexes);
        }
      } finally {
        clients.close();
      }
    }),
    { numRuns: 20 },
  );
});

test('rewards: are given after a day in a sandbox that stays open', async () => {
  let now = startOfTests;
  const { sandbox, token, post } = await openClient({ empty: true, machineClock: () => now });
  const headers = { authorization: `Bearer ${token}` };
  const request = { method: 'GET', target: '/loyalty_rewards', headers, body: '' };
  const count = () => JSON.parse(sandbox.handle(request).body).data.length;
  const customer = { name: 'x', dial_code: 1, phone: '1', is_loyalty_enabled: true };
  const { id } = post('/customers', customer).json.data;
  sandbox.placeOrder({ customer: id, total: 400 });
  now += 24 * hourMs - 1;
  expect(count()).toBe(0);
  now += 1;
  expect(count()).toBe(1);
  sandbox.close();
});
