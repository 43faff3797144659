/** If the read before a write fails, the write is not sent, and the failure has the outcome "not_sent". */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { type Responses, serve } from '../harness/serve.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-unread-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const failingReads: Responses = {
  'GET /suppliers/7': [500, { message: 'Server Error' }],
  'GET /suppliers/8': [500, { message: 'Server Error' }],
  'PUT /suppliers/7': { data: { id: '7' } },
  'DELETE /suppliers/7': '',
};

async function runOnService(line: readonly string[], responses: Responses, env: Record<string, string> = {}) {
  const service = await serve(responses);
  const { exitCode, stderr, stdout } = await runBoh(line, {
    env: {
      BOH_TOKEN: 'a-token',
      BOH_BASE_URL: service.baseUrl,
      BOH_CONFIG_DIR: folder,
      XDG_DATA_HOME: folder,
      XDG_CACHE_HOME: join(folder, 'cache'),
      BOH_HISTORY_BEFORE: 'on',
      ...env,
    },
  });
  const requests = service
    .takeRequests()
    .filter((target) => target !== 'GET /whoami')
    .map((target) => target.split('?')[0]);
  await service.close();
  return { exitCode, stderr, stdout, requests };
}

const lines: { name: string; line: string[]; env?: Record<string, string> }[] = [
  { name: 'update', line: ['suppliers', 'update', '7', '--phone', '5'] },
  { name: 'delete', line: ['suppliers', 'delete', '7', '--yes'] },
  { name: 'restore', line: ['suppliers', 'restore', '7'] },
  {
    name: 'link',
    line: ['suppliers', 'link-item', '7', '9', '--order-unit', 'box', '--order-to-storage-factor', '1'],
  },
  { name: 'unlink', line: ['suppliers', 'unlink-item', '7', '9', '--yes'] },
  { name: 'api PUT', line: ['api', 'PUT', '/suppliers/7', '--data', '{"phone":"5"}'] },
  {
    name: 'update at a service that replaces records',
    line: ['suppliers', 'update', '7', '--phone', '5'],
    env: { BOH_WIRE_PUT: 'replace', BOH_HISTORY_BEFORE: 'off' },
  },
];

describe("a record that can't be read before its write", () => {
  it.each(lines)('$name: is read again, and nothing is sent', async ({ line, env }) => {
    const { exitCode, requests, stderr } = await runOnService(line, failingReads, env);
    expect({ exitCode, requests }).toEqual({
      exitCode: 8,
      requests: ['GET /suppliers/7', 'GET /suppliers/7'],
    });
    expect(failureOf({ stderr })).toMatchObject({ category: 'unavailable', outcome: 'not_sent' });
  });

  it.each<[string, string[]]>([
    ['--full', ['suppliers', 'update', '7', '--phone', '5', '--full']],
    ['several records', ['suppliers', 'update', '7', '8', '--phone', '5', '--yes']],
    ['--add-tags', ['suppliers', 'update', '7', '--add-tags', '1']],
  ])('%s: nothing is sent', async (_, line) => {
    const { exitCode, requests, stderr } = await runOnService(line, failingReads);
    expect(exitCode).toBe(8);
    expect(requests.filter((target) => !target?.startsWith('GET '))).toEqual([]);
    expect(failureOf({ stderr })).toMatchObject({ category: 'unavailable', outcome: 'not_sent' });
  });

  it('history.before off: the write is sent', async () => {
    const { exitCode, requests } = await runOnService(
      ['suppliers', 'update', '7', '--phone', '5'],
      failingReads,
      {
        BOH_HISTORY_BEFORE: 'off',
      },
    );
    expect({ exitCode, requests }).toEqual({ exitCode: 0, requests: ['PUT /suppliers/7'] });
  });
});

it.each([
  [403, 'This action is unauthorized.'],
  [404, 'Not found.'],
  [400, 'Unknown include.'],
])('a read that is refused with %i: the write is sent', async (status, message) => {
  const { exitCode, requests } = await runOnService(['suppliers', 'update', '7', '--phone', '5'], {
    ...failingReads,
    'GET /suppliers/7': [status, { message }],
  });
  expect({ exitCode, lastRequest: requests.at(-1) }).toEqual({
    exitCode: 0,
    lastRequest: 'PUT /suppliers/7',
  });
});
