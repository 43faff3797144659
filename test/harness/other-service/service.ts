/**
 * A service for tests that shares no code with boh or its sandbox. Each fact that differs between services is a switch
 * of it.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  emptyAccount,
  IdSource,
  type Link,
  ownerEmail,
  type Records,
  type StoredRecord,
  timeText,
} from './account.ts';
import { documentFacts, type Facts } from './facts.ts';
import { generateAccount } from './generate.ts';
import { type Answer, includesOf, listRecords, refuseInclude } from './lists.ts';
import { renderRecord, shownLinks } from './render.ts';
import { lookups, resources } from './resources.ts';
import { changeLink, createRecord, deleteRecord, updateRecord, type WriteRequest } from './writes.ts';

export interface OtherRequest {
  method: string;
  /** The path and the query, such as `/customers?page=2`. */
  target: string;
  authorization?: string | undefined;
  body?: string;
}

export interface OtherResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface OtherServiceOptions {
  facts?: Partial<Facts>;
  /** The seed of the records; undefined for an account that contains only its owner. */
  seed?: number | undefined;
  /** The maximum number of records in each list. */
  size?: number;
  /** The name of the business. */
  name?: string;
}

/** An account at the service. */
export class OtherService {
  readonly facts: Facts;
  readonly records: Records;
  readonly token: string;
  /** The requests so far, such as `GET /customers?page=2`, percent-decoded. */
  readonly requests: string[] = [];
  readonly #name: string;
  readonly #ids: IdSource;
  #writeCount = 0;
  #count = 0;

  constructor({ facts, seed, size = 6, name = 'other' }: OtherServiceOptions = {}) {
    this.facts = { ...documentFacts, ...facts };
    this.#name = name;
    this.token = `token-of-${name}`;
    this.#ids = new IdSource(this.facts.ids, 2_000_000);
    this.records =
      seed === undefined ? emptyAccount(this.facts) : generateAccount({ seed, facts: this.facts, size });
  }

  /** Responds to a request, without a socket. */
  handle(request: OtherRequest): OtherResponse {
    const { method, target, authorization } = request;
    this.requests.push(`${method} ${decodeURIComponent(target)}`);
    this.#count++;
    const { refusesEvery } = this.facts;
    const limit = { 'x-ratelimit-limit': '60000', 'x-ratelimit-remaining': '59000' };
    if (refusesEvery > 0 && this.#count % refusesEvery === 0)
      return toResponse(
        { status: 429, body: { message: 'Too Many Attempts.' } },
        { ...limit, 'retry-after': '0' },
      );
    const answer: Answer =
      authorization === `Bearer ${this.token}`
        ? this.#answer(request)
        : { status: 401, body: { message: 'Unauthenticated.' } };
    return toResponse(answer, refusesEvery > 0 ? limit : {});
  }

  /** Returns the records at a path, without deleted ones unless they are wanted. */
  stored(path: string, { withDeleted = false } = {}): StoredRecord[] {
    const all = [...(this.records.get(path)?.values() ?? [])];
    return all.filter((record) => withDeleted || !record.deleted_at);
  }

  /** Returns the links of a record that responses show: not those to deleted records. */
  shownLinks(path: string, record: StoredRecord, name: string): Link[] {
    return shownLinks(path, record, name, this.records);
  }

  /** Starts to listen on a port of this machine. */
  async listen(): Promise<{ baseUrl: string; close(): Promise<void> }> {
    const server = createServer(async (incoming, outgoing) => {
      const { method = '', url = '', headers } = incoming;
      const body = await text(incoming);
      const response = this.handle({ method, target: url, authorization: headers.authorization, body });
      outgoing.writeHead(response.status, response.headers).end(response.body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return {
      baseUrl: `http://127.0.0.1:${port}`,
      close: () =>
        new Promise((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        }),
    };
  }

  #answer({ method, target, body = '' }: OtherRequest): Answer {
    const url = new URL(target, 'http://127.0.0.1');
    const [path = '', id, name, linkedId] = url.pathname.slice(1).split('/').map(decodeURIComponent);
    if (path === 'whoami') return this.#whoami();
    const isLookup = (lookups as readonly string[]).includes(path);
    if (!resources[path] && !(isLookup && this.facts.hasLookupLists)) return notFound;
    const { facts, records } = this;
    if (id === undefined && method === 'GET')
      return listRecords({ path, query: url.searchParams, facts, records });
    const request: WriteRequest = {
      path,
      body: body === '' ? {} : JSON.parse(body),
      facts,
      records,
      ids: this.#ids,
      now: method === 'GET' ? '' : timeText(100_000 + this.#writeCount++),
    };
    if (isLookup && method !== 'GET') return notAllowed;
    if (id === undefined)
      return method === 'POST' && !resources[path]?.isReadOnly ? createRecord(request) : notAllowed;
    const stored = records.get(path)?.get(id);
    if (!stored) return notFound;
    if (path === 'loyalty_rewards' && method === facts.redeem && this.#isRedeemed(stored, url, request))
      return this.#single(path, stored, url);
    if (name === undefined) return this.#single(path, stored, url, method, request);
    if (name === 'restore')
      return method === 'PUT' && resources[path]?.deletes === 'softly'
        ? deleteRecord(request, stored, false)
        : notFound;
    if (linkedId === undefined || !['POST', 'DELETE'].includes(method)) return notFound;
    return changeLink(request, stored, name, linkedId, method === 'DELETE');
  }

  #single(path: string, stored: StoredRecord, url: URL, method = 'GET', request?: WriteRequest): Answer {
    const { facts, records } = this;
    if (method === 'GET') {
      const refusal = refuseInclude(path, url.searchParams, facts);
      if (refusal) return refusal;
      const view = { facts, records, isList: false, include: includesOf(url.searchParams) };
      return { status: 200, body: { data: renderRecord(path, stored, view) } };
    }
    if (!request || resources[path]?.isReadOnly) return notAllowed;
    if (method === 'PUT') return updateRecord(request, stored);
    if (method === 'DELETE' && resources[path]?.deletes) return deleteRecord(request, stored, true);
    return notAllowed;
  }

  /** Redeems a reward if the request names an order. */
  #isRedeemed(stored: StoredRecord, url: URL, { body, now }: WriteRequest): boolean {
    const order = this.facts.redeem === 'PUT' ? body.order_id : url.searchParams.get('order_id');
    if (typeof order !== 'string') return this.facts.redeem === 'PUT';
    stored.order = [{ id: order }];
    stored.updated_at = now || stored.updated_at;
    return true;
  }

  #whoami(): Answer {
    const { whoami } = this.facts;
    if (whoami !== 200) return { status: whoami, body: { message: 'This action is unauthorized.' } };
    const [owner] = this.stored('users').filter(({ email }) => email === ownerEmail);
    const data = {
      oauth_client: { id: 'app', name: 'App' },
      user: { id: owner?.id, name: owner?.name, email: ownerEmail, is_owner: true, branches: [], roles: [] },
      device: null,
      is_owner: true,
      scopes,
      business: {
        id: `business-${this.#name}`,
        name: `Business ${this.#name}`,
        reference: 100_001,
        owner_id: owner?.id,
      },
    };
    return { status: 200, body: { data } };
  }
}

const notFound: Answer = { status: 404, body: { message: 'Not found.' } };
const notAllowed: Answer = { status: 405, body: { message: 'The method is not supported for this route.' } };

const scopes = [
  ...[
    'general.read',
    'orders.list',
    'orders.limited.pay',
    'customers.list',
    'customers.get',
    'customers.write',
  ],
  ...[
    'customers.accounts.read',
    'customers.accounts.write',
    'customers.loyalty.read',
    'customers.loyalty.write',
  ],
  ...[
    'users.read',
    'users.write',
    'menu.write',
    'tables.write',
    'tags.write',
    'admin.write',
    'admin.restore',
  ],
  ...['inventory.settings.read', 'inventory.settings.write', 'inventory.transactions.read'],
  'inventory.transactions.write',
];

function toResponse({ status, body }: Answer, headers: Record<string, string>): OtherResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', date: 'Fri, 20 Nov 2026 12:00:00 GMT', ...headers },
    body: body === undefined ? '' : JSON.stringify(body),
  };
}
