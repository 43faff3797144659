/** A service to sign in to that answers as it is told, and what a person at the terminal brings along. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export const secrets = {
  token: 'canary-token-7f3a91c2d4',
  clientSecret: 'canary-secret-58b0e6aa19',
  code: 'canary-code-c90d2e41b7',
};

export interface AuthService {
  baseUrl: string;
  /** What `POST /oauth/token` and `GET /whoami` answer, by default what they should. */
  exchange: { status: number; body: string };
  whoami: { status: number; body: string };
  /** `METHOD path`, in their order. */
  requests: string[];
  /** Back to the answers that are right, with nothing asked yet. */
  reset(): void;
  close(): Promise<void>;
}

export async function startAuthService(): Promise<AuthService> {
  const server = createServer(async (request, response) => {
    await text(request);
    const asked = `${request.method} ${request.url}`;
    service.requests.push(asked);
    const answers: Record<string, AuthService['exchange']> = {
      'POST /oauth/token': service.exchange,
      'GET /whoami': service.whoami,
    };
    const { status, body } = answers[asked] ?? { status: 404, body: '{"message":"Not found."}' };
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const service: AuthService = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...rightAnswers,
    requests: [],
    reset: () => Object.assign(service, { ...rightAnswers, requests: [] }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return service;
}

const sara = {
  user: { id: 'u1', name: 'Sara Haddad' },
  business: { id: 'b1', name: 'The Diner' },
  scopes: ['general.read', 'customers.list'],
};

const rightAnswers = {
  exchange: { status: 200, body: JSON.stringify({ token_type: 'Bearer', access_token: secrets.token }) },
  whoami: { status: 200, body: JSON.stringify({ data: sara }) },
};

/** A home of its own, for temporary files too, and a browser that only writes down what it is asked to open. */
export interface Person {
  env: Record<string, string>;
  configFile: string;
  /** The token in each profile, and what else it holds; nothing where there is no file. */
  profiles(): Record<string, Record<string, unknown>>;
  opened(): string;
  forgetOpened(): void;
  leave(): void;
}

export function newPerson({ browserExit = 0 } = {}): Person {
  const folder = mkdtempSync(join(tmpdir(), 'boh-person-'));
  const bin = mkdtempSync(join(folder, 'bin-'));
  const log = join(folder, 'opened');
  for (const name of ['xdg-open', 'open']) {
    writeFileSync(join(bin, name), `#!/bin/sh\nprintf %s "$1" > '${log}'\nexit ${browserExit}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const configFile = join(folder, 'config', 'config.json');
  return {
    env: { PATH: bin, HOME: folder, TMPDIR: folder, BOH_CONFIG_DIR: join(folder, 'config') },
    configFile,
    profiles: () => (existsSync(configFile) ? JSON.parse(readFileSync(configFile, 'utf8')).profiles : {}),
    opened: () => (existsSync(log) ? readFileSync(log, 'utf8') : ''),
    forgetOpened: () => rmSync(log, { force: true }),
    // The browser may still be writing.
    leave: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 }),
  };
}
