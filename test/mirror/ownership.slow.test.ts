/** Tests the ownership of a mirror if whoami fails or sends no response. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runBoh } from '../harness/run-boh.ts';
import { openWorkspace } from './workspace.ts';

/** The response to whoami; undefined for none. */
type WhoamiResponse = { status: number; headers?: Record<string, string>; business?: string } | undefined;

/** The responses to whoami by token, one map for each account. */
const accounts: Map<string, WhoamiResponse>[] = [];
const requestedPaths: string[] = [];
const server = createServer((request, response) => {
  const [account, token = ''] = String(request.headers.authorization).replace('Bearer ', '').split('-');
  const path = String(request.url).split('?')[0] ?? '';
  requestedPaths.push(path);
  const respond = (status: number, body: unknown, headers: Record<string, string> = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  if (path !== '/whoami') {
    const dates = { updated_at: '2026-11-01 08:00:00', deleted_at: null };
    const data = [{ id: '1', name: 'Fresh Farms', items: [], tags: [], ...dates }];
    return respond(200, { data, meta: { total: 1, last_page: 1, per_page: 50 } });
  }
  const whoami = accounts[Number(account)]?.get(token);
  if (!whoami) return;
  const business =
    whoami.business === undefined ? {} : { id: whoami.business, name: `Business ${whoami.business}` };
  respond(whoami.status, { data: { user: { id: 'u' }, business, scopes: [] } }, whoami.headers);
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.close();
  server.closeAllConnections();
});
beforeEach(() => {
  requestedPaths.length = 0;
});

/** Opens a workspace with a separate account, so that tests can run concurrently. */
function openAccount() {
  const workspace = openWorkspace();
  const { port } = server.address() as AddressInfo;
  // Without BOH_MIRROR, the mirror is the account's default, whose owner is checked for reads too.
  const { BOH_MIRROR: _, ...otherVariables } = workspace.env;
  const env = { ...otherVariables, BOH_BASE_URL: `http://127.0.0.1:${port}` };
  const responses = new Map<string, WhoamiResponse>();
  const account = accounts.push(responses) - 1;
  const boh = (token: string, line: string) =>
    runBoh([...line.split(' '), '--json'], { env: { ...env, BOH_TOKEN: `${account}-${token}` } });
  return { boh, responses };
}

const sync = 'mirror sync --resource suppliers';
const list = 'suppliers list --mirror';
const forbidden: WhoamiResponse = { status: 403 };

const whoamiFailures: [string, WhoamiResponse][] = [
  ['returns 429 with a pause of a minute', { status: 429, headers: { 'retry-after': '60' } }],
  ['returns 503 with a pause of a minute', { status: 503, headers: { 'retry-after': '60' } }],
  ['sends no response', undefined],
];

describe('a token that has synced the mirror before', () => {
  // A requested pause applies to every request.
  test.concurrent.each(whoamiFailures.slice(1))(
    'syncs it without waiting if whoami %s',
    async (_, failure) => {
      const { boh, responses } = openAccount();
      responses.set('north', { status: 200, business: '7' });
      expect(await boh('north', sync)).toMatchObject({ exitCode: 0 });
      responses.set('north', failure);
      expect(await boh('north', sync)).toMatchObject({
        exitCode: 0,
        stderr: expect.not.stringContaining('Trying again'),
      });
      expect(await boh('north', 'mirror diff --resource suppliers')).toMatchObject({
        exitCode: 0,
        stderr: '',
      });
    },
  );

  test('can sync it without permission for whoami, and reads it without a whoami request', async () => {
    const { boh, responses } = openAccount();
    responses.set('north', { status: 200, business: '7' });
    expect(await boh('north', sync)).toMatchObject({ exitCode: 0 });
    responses.set('north', forbidden);
    expect(await boh('north', sync)).toMatchObject({ exitCode: 0 });
    requestedPaths.length = 0;
    expect(await boh('north', list)).toMatchObject({
      exitCode: 0,
      stderr: expect.not.stringContaining("can't check"),
    });
    expect(requestedPaths).toEqual([]);
    // The stored business is kept.
    responses.set('south', { status: 200, business: '8' });
    const refusedResult = await boh('south', sync);
    expect(refusedResult).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('another account: Business 7'),
    });
  });
});

test.concurrent.each(whoamiFailures)(
  'list --mirror if whoami %s: another token is refused without waiting unless --any-account is used',
  async (_, failure) => {
    const { boh, responses } = openAccount();
    responses.set('north', { status: 200, business: '7' });
    expect(await boh('north', sync)).toMatchObject({ exitCode: 0 });
    responses.set('south', failure);
    const refusedResult = await boh('south', list);
    expect(refusedResult).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.not.stringContaining('Trying again'),
    });
    expect(refusedResult.stderr).toContain('--any-account');
    expect(await boh('south', `${list} --any-account`)).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('Fresh Farms'),
    });
  },
);

describe('a mirror created while its business was unknown', () => {
  test('belongs to the same token until whoami succeeds, and then to its business', async () => {
    const { boh, responses } = openAccount();
    responses.set('north', forbidden);
    expect(await boh('north', sync)).toMatchObject({ exitCode: 0 });
    expect(await boh('north', sync)).toMatchObject({ exitCode: 0 });
    responses.set('north', { status: 200, business: '7' });
    expect(await boh('north', sync)).toMatchObject({ exitCode: 0 });
    responses.set('renewed', { status: 200, business: '7' });
    expect(await boh('renewed', sync)).toMatchObject({ exitCode: 0 });
    responses.set('south', { status: 200, business: '8' });
    expect(await boh('south', list)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('another account: Business 7'),
    });
  });

  test('is refused for another token, with a hint', async () => {
    const { boh, responses } = openAccount();
    responses.set('north', forbidden);
    expect(await boh('north', sync)).toMatchObject({ exitCode: 0 });
    responses.set('south', { status: 200, business: '8' });
    const refusedResult = await boh('south', sync);
    expect(refusedResult).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refusedResult.stderr).toContain('It may not be the mirror of Business 8');
    expect(refusedResult.stderr).toContain('boh mirror reset');
    expect(await boh('south', list)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: expect.stringContaining('its account is unknown'),
    });
    responses.set('south', forbidden);
    expect(await boh('south', sync)).toMatchObject({ exitCode: 2, stdout: '' });
    // The flag is required only once.
    responses.set('south', { status: 200, business: '8' });
    expect(await boh('south', `${sync} --any-account`)).toMatchObject({ exitCode: 0 });
    expect(await boh('south', sync)).toMatchObject({ exitCode: 0 });
  });
});
