/** Starts a service with several businesses at one URL, whose suppliers have the same IDs. Some tokens may not read whoami. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type BohResult, runBoh } from './run-boh.ts';

export interface Business {
  id: string | number;
  supplier: Record<string, unknown>;
  /** Whether its token lacks the permission to read whoami. */
  cannotReadWhoami?: boolean;
  /** A second supplier, which refuses writes: a run over both stops there with --max-errors 0. */
  second?: Record<string, unknown>;
}

export interface TwoBusinesses {
  /** The businesses by token, new for each test: `north` and `south`. */
  businesses: Record<string, Business>;
  /** Method and path of each request in the test, by token. */
  requests: Record<string, string[]>;
  /** Returns the folder of the test, which replaces `FOLDER` in command lines. */
  folder(): string;
  baseUrl(): string;
  boh(token: string, line: string | readonly string[], env?: Record<string, string>): Promise<BohResult>;
}

/** Starts the service for the tests of a file. Call it at the top of the file. */
export function serveTwoBusinesses(): TwoBusinesses {
  const businesses: Record<string, Business> = {};
  const requests: Record<string, string[]> = {};
  const server = createServer((request, response) => {
    const token = String(request.headers.authorization).replace('Bearer ', '');
    const business = businesses[token];
    const path = String(request.url).split('?')[0];
    requests[token] = [...(requests[token] ?? []), `${request.method} ${path}`];
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      if (!business) return response.writeHead(401).end('{}');
      if (business.cannotReadWhoami && path === '/whoami')
        return response.writeHead(403).end('{"message":"This action is unauthorized."}');
      if (request.method === 'PUT' && path !== '/suppliers/1')
        return response.writeHead(422).end('{"message":"This supplier is read-only."}');
      if (request.method === 'PUT')
        Object.assign(business.supplier, JSON.parse(body), { updated_at: '2026-11-02 08:00:00' });
      const suppliers = [...(business.second ? [business.second] : []), business.supplier];
      const data = {
        '/whoami': {
          business: { id: business.id, name: `Business ${business.id}` },
          user: { id: 'u' },
          scopes: [],
        },
        '/suppliers': suppliers,
        '/suppliers/1': business.supplier,
        '/suppliers/2': business.second,
      }[path ?? ''];
      const meta = { total: suppliers.length, last_page: 1, per_page: 50 };
      response.writeHead(data ? 200 : 404).end(JSON.stringify(data ? { data, meta } : { message: 'no' }));
    });
  });
  let folder = '';
  const baseUrl = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'boh-two-'));
    for (const values of [businesses, requests])
      for (const token of Object.keys(values)) delete values[token];
    businesses.north = { id: 7, supplier: supplier() };
    businesses.south = { id: 8, supplier: supplier() };
    return () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
  return {
    businesses,
    requests,
    baseUrl,
    folder: () => folder,
    boh: (token, line, env = {}) => {
      const words = typeof line === 'string' ? line.split(' ') : line;
      return runBoh(
        words.map((word) => word.replaceAll('FOLDER', folder)),
        {
          env: {
            BOH_CONFIG_DIR: join(folder, 'config'),
            BOH_HISTORY_BEFORE: 'on',
            BOH_BASE_URL: baseUrl(),
            BOH_TOKEN: token,
            ...env,
          },
        },
      );
    },
  };
}

/** Returns the only supplier of each business. */
export function supplier(): Record<string, unknown> {
  return { id: '1', name: 'Fresh Farms', code: 'F', items: [], tags: [], updated_at: '2026-11-01 08:00:00' };
}
