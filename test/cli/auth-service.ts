/** A service to sign in to, with responses that a test can set, and a home folder with a fake browser. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { waitUntil } from '../harness/wait-until.ts';

export const secrets = {
  token: 'canary-token-7f3a91c2d4',
  clientSecret: 'canary-secret-58b0e6aa19',
  code: 'canary-code-c90d2e41b7',
};

export interface AuthService {
  baseUrl: string;
  /** The responses to `POST /oauth/token` and `GET /whoami`; valid by default. Status 0 never responds. */
  exchange: { status: number; body: string };
  whoami: { status: number; body: string };
  /** Responses to other requests, or instead of these, by `METHOD path`. */
  others: Record<string, AuthService['exchange']>;
  /** The requests received, as `METHOD path`, in order. */
  requests: string[];
  /** The headers and bodies of the `POST /oauth/token` requests. */
  tokenRequests: { headers: IncomingHttpHeaders; body: string }[];
  /** Restores the valid responses and clears the received requests. */
  reset(): void;
  close(): Promise<void>;
}

export async function startAuthService(): Promise<AuthService> {
  const server = createServer(async (request, response) => {
    const requestBody = await text(request);
    const requestLine = `${request.method} ${request.url}`;
    service.requests.push(requestLine);
    if (requestLine === 'POST /oauth/token')
      service.tokenRequests.push({ headers: request.headers, body: requestBody });
    const responses: Record<string, AuthService['exchange']> = {
      'POST /oauth/token': service.exchange,
      'GET /whoami': service.whoami,
      ...service.others,
    };
    const { status, body } = responses[requestLine] ?? { status: 404, body: '{"message":"Not found."}' };
    if (status === 0) return;
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const service: AuthService = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...validResponses,
    others: {},
    requests: [],
    tokenRequests: [],
    reset: () => Object.assign(service, { ...validResponses, others: {}, requests: [], tokenRequests: [] }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return service;
}

const account = {
  user: { id: 'u1', name: 'Sara Haddad' },
  business: { id: 'b1', name: 'The Diner' },
  scopes: ['general.read', 'customers.list'],
};

const validResponses = {
  exchange: { status: 200, body: JSON.stringify({ token_type: 'Bearer', access_token: secrets.token }) },
  whoami: { status: 200, body: JSON.stringify({ data: account }) },
};

/** A temporary home folder, and a fake browser that records the URL that it opens and its environment. */
export interface TestHome {
  env: Record<string, string>;
  configFile: string;
  /** Returns the stored profiles by name, each with its token; empty when there is no file. */
  profiles(): Record<string, Record<string, unknown>>;
  /** Returns the URL that the browser opened; empty until one starts. */
  openedUrl(): string;
  /** Waits until a browser starts and returns the URL. */
  waitForBrowser(): Promise<string>;
  browserEnvironment(): string;
  clearOpenedUrl(): void;
  /** Keeps the next browser running until the returned function is called. */
  holdBrowser(): () => void;
  remove(): void;
}

export function createTestHome({ browserExit = 0 } = {}): TestHome {
  const folder = mkdtempSync(join(tmpdir(), 'boh-home-'));
  const bin = mkdtempSync(join(folder, 'bin-'));
  const log = join(folder, 'opened');
  for (const name of ['xdg-open', 'open']) {
    writeFileSync(
      join(bin, name),
      `#!/bin/sh
PATH=/usr/bin:/bin
env > '${log}.env'
printf %s "$1" > '${log}.next' && mv '${log}.next' '${log}'
while [ -e '${log}.hold' ]; do sleep 0.02; done
exit ${browserExit}
`,
    );
    chmodSync(join(bin, name), 0o755);
  }
  const configFile = join(folder, 'config', 'config.json');
  const openedUrl = () => (existsSync(log) ? readFileSync(log, 'utf8') : '');
  return {
    env: {
      PATH: bin,
      HOME: folder,
      TMPDIR: folder,
      DISPLAY: ':0',
      BOH_CONFIG_DIR: join(folder, 'config'),
    },
    configFile,
    profiles: () => (existsSync(configFile) ? JSON.parse(readFileSync(configFile, 'utf8')).profiles : {}),
    openedUrl,
    waitForBrowser: () => waitUntil(() => openedUrl() || expect.fail('No browser was started.')),
    browserEnvironment: () => readFileSync(`${log}.env`, 'utf8'),
    clearOpenedUrl: () => rmSync(log, { force: true }),
    holdBrowser: () => {
      writeFileSync(`${log}.hold`, '');
      return () => rmSync(`${log}.hold`);
    },
    // Retries, because the browser may still be writing.
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 }),
  };
}
