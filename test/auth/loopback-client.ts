/** Listens for a code in tests, and sends requests to the listener. */
import { type IncomingHttpHeaders, request } from 'node:http';
import { afterEach, expect } from 'vitest';
import {
  type Listener,
  type ListenOptions,
  listenForCode,
} from '../../src/account/auth/loopback-listener.ts';
import { Failure } from '../../src/base/errors.ts';

const open: Listener[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((listener) => listener.close()));
});

/** Starts a listener, which is closed after the test. */
export async function listen(options: Partial<ListenOptions> = {}): Promise<Listener> {
  const listener = await listenForCode({
    redirectUri: 'http://127.0.0.1:0/callback',
    state: 'state-1',
    ...options,
  });
  open.push(listener);
  return listener;
}

export interface Response {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Sends one request over a new connection, with any Host header. */
export function send(url: string, { method = 'GET', headers = {}, host = '' } = {}): Promise<Response> {
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      { method, agent: false, headers: { ...headers, ...(host && { host }) } },
      (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        );
      },
    );
    call.on('error', reject).end();
  });
}

/** Returns the failure that ends the wait. */
export async function failureOf(listener: Listener): Promise<Failure> {
  const outcome: unknown = await listener.code.catch((error: unknown) => error);
  if (outcome instanceof Failure) return outcome;
  throw new Error(`expected a failure, got ${String(outcome)}`);
}

/** Checks that the listener no longer accepts connections. */
export async function expectClosed(listener: Listener): Promise<void> {
  await expect(send(listener.redirectUri)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
}
