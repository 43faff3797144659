/** What is answered from memory is what would be read, whatever was written since, by whom and how. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { includableAfter } from '../../../src/contract/include.ts';
import { isWrite, type Operation, operation, operations } from '../../../src/contract/operation.ts';
import { scopeNames } from '../../../src/contract/scope.ts';
import { api } from '../../../src/resources/index.ts';
import { dayLength, hourLength } from '../../../src/sandbox/calendar.ts';
import type { SentResponse, ServiceRequest, ServiceResponse } from '../../../src/sandbox/http/message.ts';
import { fc } from '../../harness/fast-check.ts';
import { type Client, openClient, startOfTests } from './client.ts';
import { fullBody, knownId, pathOf } from './examples.ts';

let folder: string;
let template: string;
let copies = 0;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'boh-known-'));
  template = join(folder, 'template.sqlite');
  (await openClient({ file: template })).sandbox.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));

const listed = api.collections.filter((resource) => operation(resource, 'list'));

const writes = api.collections.flatMap((resource) => operations(resource)).filter(isWrite);

/** Two processes with one file, one of which remembers what it answered, and what is asked of that one. */
class World {
  readonly own: Client;
  readonly other: Client;
  readonly open: () => Promise<Client>;
  readonly requests: readonly ServiceRequest[];
  /** By examples: how each operation is asked for. */
  readonly writes: ReadonlyMap<Operation, { path: string; body: string }>;
  now = startOfTests;

  private constructor(own: Client, other: Client, open: () => Promise<Client>, tokens: readonly string[]) {
    this.own = own;
    this.other = other;
    this.open = open;
    own.sandbox.keepAnswers();
    this.writes = new Map(
      writes.map((wanted) => {
        const ids = wanted.params.map(({ target }) => knownId(own, target));
        return [wanted, { path: pathOf(wanted, ids), body: JSON.stringify(fullBody(own, wanted)) }];
      }),
    );
    const targets = listed.flatMap((resource) => [
      resource.path,
      `${resource.path}?page=2`,
      `${resource.path}?filter[is_deleted]=true&sort=-created_at`,
      `${resource.path}?include=${includableAfter(resource, [])?.slice(0, 3).join(',')}`,
      `${resource.path}/${knownId(own, resource.name)}`,
    ]);
    this.requests = [...targets, '/whoami', '/nowhere'].flatMap((target) =>
      tokens.map((token) => {
        const headers = { authorization: `Bearer ${token}`, host: 'localhost' };
        return { method: 'GET', target, headers, body: '' };
      }),
    );
  }

  static async begin(): Promise<World> {
    copies += 1;
    const file = join(folder, `${copies}.sqlite`);
    copyFileSync(template, file);
    const clock = { now: () => startOfTests };
    const open = () => openClient({ file, machineClock: () => clock.now() });
    const [own, other] = [await open(), await open()];
    const manager = knownId(own, 'users');
    const tokens = [
      own.sandbox.mintToken({ scopes: scopeNames }),
      own.sandbox.mintToken({ scopes: scopeNames.slice(0, 9), userId: manager }),
    ];
    const world = new World(own, other, open, tokens);
    clock.now = () => world.now;
    return world;
  }

  /** The answer of the one that remembers, beside that of a sandbox that has just been opened. */
  async demandSame(chosen: readonly number[]): Promise<void> {
    const fresh = await this.open();
    try {
      for (const index of chosen) {
        const request = this.requests[index % this.requests.length] as ServiceRequest;
        const remembered = knownBy(this.own, request);
        const read = fresh.sandbox.handle(request);
        if (remembered) expect(remembered).toEqual(read);
        expect(this.own.sandbox.handle(request)).toEqual(read);
        const again = knownBy(this.own, request);
        if (read.status === 200) expect(again).toEqual(read);
        else expect(again).toBe(undefined);
      }
    } finally {
      fresh.sandbox.close();
    }
  }

  close(): void {
    this.own.sandbox.close();
    this.other.sandbox.close();
  }
}

function knownBy({ sandbox }: Client, request: ServiceRequest): ServiceResponse | undefined {
  const answer = sandbox.known(request);
  return answer && { ...answer, body: String(answer.body) };
}

type Step = (world: World, by: Client) => void | Promise<void>;

const steps: Record<string, Step[]> = {
  operation: writes.map((wanted) => (world, by) => {
    const { path, body } = world.writes.get(wanted) ?? { path: '', body: '' };
    by.ask(wanted.method, path, body);
  }),
  'what happens outside the API': [
    (_, { sandbox, get }) => {
      const { json } = get('/customers?page=1');
      sandbox.order({ customer: (json.data ?? json)[0].id, total: 400 });
    },
    (_, { sandbox }) => void sandbox.changeSettings({ loyaltyRewardMinimum: 1 }),
    (_, { sandbox }) => void sandbox.changeSettings({ 'wire.relations': 'absent', 'wire.page_size': 7 }),
    (_, { sandbox }) => void sandbox.changeSettings({ 'wire.envelope': 'none' }),
    (_, { sandbox }) => sandbox.clock.advance(hourLength),
    (_, { sandbox }) => sandbox.clock.advance(-26 * hourLength),
    (_, { sandbox }) => sandbox.clock.freeze(),
    (_, { sandbox }) => void sandbox.mintToken({ scopes: [] }),
    (_, { sandbox }) => sandbox.reset(),
  ],
  'the passing of time': [
    (world) => {
      world.now += 1000;
    },
    (world) => {
      world.now += dayLength;
    },
    (world) => {
      world.now -= hourLength;
    },
  ],
  SQL: [
    (_, { sandbox }) => void sandbox.database.run("UPDATE suppliers SET name = name || 'x'"),
    (_, { sandbox }) => void sandbox.database.run('UPDATE users SET deleted_at = NULL'),
    (_, { sandbox }) => {
      const failing = () =>
        sandbox.database.write(() => {
          sandbox.database.run("UPDATE tags SET name = 'never'");
          throw new Error('no');
        });
      expect(failing).toThrow('no');
    },
  ],
};

const step = fc
  .constantFrom(...Object.values(steps))
  .chain((some) => fc.record({ work: fc.constantFrom(...some), isOwn: fc.boolean() }));

describe('an answer that is known', () => {
  it('is the one that would be read, whatever was written by this process or another', async () => {
    const sequence = fc.array(
      fc.record({ step, asked: fc.array(fc.nat(), { minLength: 6, maxLength: 12 }) }),
      {
        minLength: 4,
        maxLength: 12,
      },
    );
    await fc.assert(
      fc.asyncProperty(sequence, async (moves) => {
        const world = await World.begin();
        try {
          for (const { step, asked } of moves) {
            // Known before, or there is nothing that could be wrong after.
            await world.demandSame(asked);
            await step.work(world, step.isOwn ? world.own : world.other);
            await world.demandSame(asked);
          }
        } finally {
          world.close();
        }
      }),
      { numRuns: 20 },
    );
  });

  it('is none once time has brought something about, to the second', async () => {
    let now = startOfTests;
    const { sandbox, token, post } = await openClient({ empty: true, machineClock: () => now });
    sandbox.keepAnswers();
    const headers = { authorization: `Bearer ${token}` };
    const request = { method: 'GET', target: '/loyalty_rewards', headers, body: '' };
    const read = () => JSON.parse(sandbox.handle(request).body).data.length;
    const known = () => JSON.parse(String(sandbox.known(request)?.body ?? '{"data":{}}')).data.length;
    const { id } = post('/customers', { name: 'x', dial_code: 1, phone: '1', is_loyalty_enabled: true }).json
      .data;
    sandbox.order({ customer: id, total: 400 });
    expect([known(), read(), known()]).toEqual([undefined, 0, 0]);
    // Until midnight, when the business day ends.
    now += 12 * hourLength - 1;
    expect(known()).toBe(0);
    now += 1;
    expect([known(), read(), known()]).toEqual([undefined, 0, 0]);
    // Until the order begins to count.
    now += 12 * hourLength - 1;
    expect(known()).toBe(0);
    now += 1;
    expect([known(), read(), known()]).toEqual([undefined, 1, 1]);
    // A clock that is set back.
    now -= 1;
    expect(known()).toBe(undefined);
    sandbox.close();
  });

  it('is counted like any other under a limit', async () => {
    const world = await World.begin();
    const [request] = world.requests as [ServiceRequest];
    world.own.sandbox.changeSettings({ 'wire.requests_per_minute': 3 });
    const left = (answer: SentResponse | undefined = world.own.sandbox.handle(request)) => [
      answer?.status,
      answer.headers['x-ratelimit-remaining'],
    ];
    expect([
      left(),
      left(world.own.sandbox.known(request)),
      left(),
      left(world.own.sandbox.known(request)),
    ]).toEqual([
      [200, '2'],
      [200, '1'],
      [200, '0'],
      [429, '0'],
    ]);
    world.close();
  });

  it('is kept by nobody who was not told to', async () => {
    const client = await openClient();
    const request = {
      method: 'GET',
      target: '/tags',
      headers: { authorization: `Bearer ${client.token}` },
      body: '',
    };
    expect(client.sandbox.handle(request).status).toBe(200);
    expect(client.sandbox.known(request)).toBe(undefined);
    client.sandbox.close();
  });
});
