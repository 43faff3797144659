/** Several businesses at one base URL: each has its own history, which all of its tokens share. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runBoh } from '../harness/run-boh.ts';

const config = mkdtempSync(join(tmpdir(), 'boh-businesses-'));
const signedIn: Record<string, { business: string; user: string }> = {
  'token-of-ada-1': { business: 'bakery', user: 'Ada' },
  'token-of-ada-2': { business: 'bakery', user: 'Ada' },
  'token-of-bo-1': { business: 'bar', user: 'Bo' },
};

let server: Server;
beforeAll(async () => {
  const phones: Record<string, string> = { bakery: '100', bar: '200' };
  server = createServer((request, response) => {
    const { business = '', user = '' } = signedIn[request.headers.authorization?.slice(7) ?? ''] ?? {};
    const respond = (data: unknown, meta?: unknown) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ data, meta }));
    };
    const record = () => ({ id: '42', name: 'Farm', phone: phones[business], deleted_at: null });
    const supplier = () => respond(record());
    const page = { current_page: 1, last_page: 1, per_page: 50, total: 1 };
    if (/\/suppliers\?/.test(request.url ?? '')) return respond([record()], page);
    if (request.url?.endsWith('/whoami'))
      return respond({
        user: { id: user, name: user },
        business: { id: business, name: business },
        scopes: [],
      });
    if (request.method !== 'PUT') return supplier();
    let text = '';
    request.on('data', (part) => {
      text += part;
    });
    request.on('end', () => {
      phones[business] = JSON.parse(text).phone;
      supplier();
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});
afterAll(() => {
  server.close();
  rmSync(config, { recursive: true, force: true, maxRetries: 10 });
});

function bohAs(token: string, ...line: string[]) {
  const { port } = server.address() as AddressInfo;
  const env = { BOH_CONFIG_DIR: config, BOH_BASE_URL: `http://127.0.0.1:${port}`, BOH_TOKEN: token };
  return runBoh(line, { env: { ...env, BOH_HISTORY_BEFORE: 'on' } });
}

test('two businesses with the same record id: each lists, blames and undoes only its own writes', async () => {
  const phone = async (token: string) =>
    JSON.parse((await bohAs(token, 'suppliers', 'get', '42')).stdout).phone;
  const numbers = async (token: string, ...line: string[]) =>
    JSON.parse((await bohAs(token, ...line, '-o', 'json')).stdout).map(
      ({ number }: { number: number }) => number,
    );
  for (const [token, number] of [
    ['token-of-ada-1', '101'],
    ['token-of-bo-1', '201'],
    ['token-of-ada-2', '102'],
    ['token-of-bo-1', '202'],
  ] as const) {
    const result = await bohAs(token, 'suppliers', 'update', '42', '--phone', number);
    expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  }
  for (const line of [
    ['history'],
    ['history', 'suppliers', '42'],
    ['history', 'suppliers', '--field', 'phone'],
  ]) {
    for (const token of Object.keys(signedIn))
      expect(await numbers(token, ...line), `${token}: ${line.join(' ')}`).toEqual([2, 1]);
  }
  const writesOf = async (token: string) =>
    JSON.parse((await bohAs(token, 'history', '-o', 'json')).stdout).map(
      ({ user, request }: { user: string; request: { body: { phone: string } } }) =>
        `${user} ${request.body.phone}`,
    );
  expect(await writesOf('token-of-ada-1')).toEqual(['Ada 102', 'Ada 101']);
  expect(await writesOf('token-of-bo-1')).toEqual(['Bo 202', 'Bo 201']);
  expect(await numbers('token-of-ada-1', 'blame', 'suppliers', '42')).toEqual([2]);
  expect((await bohAs('token-of-ada-1', 'undo', '3', '--yes')).exitCode).toBe(5);
  const undoResult = await bohAs('token-of-ada-2', 'undo', '--since', '1h', '--yes');
  expect(undoResult, undoResult.stderr).toMatchObject({ exitCode: 0 });
  expect([await phone('token-of-ada-1'), await phone('token-of-bo-1')]).toEqual(['100', '202']);
  expect((await bohAs('token-of-bo-1', 'redo', '--yes')).exitCode).toBe(5);
  expect((await bohAs('token-of-bo-1', 'undo', '--last', '--yes')).exitCode).toBe(0);
  expect([await phone('token-of-ada-1'), await phone('token-of-bo-1')]).toEqual(['100', '201']);
});
