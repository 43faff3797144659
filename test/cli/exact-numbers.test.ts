import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runBoh } from '../harness/run-boh.ts';

const longInteger = '12345678901234567890';
const longFraction = '0.12345678901234567';
const record = `{"id":"1","name":"VAT","name_localized":null,"tax_groups":[],"rate":${longFraction},"serial":${longInteger},"nested":{"list":[${longInteger},{"deep":-${longInteger}}]},"created_at":null}`;

const sentBodies: string[] = [];
const server = createServer(async (request, response) => {
  const body = await text(request);
  sentBodies.push(body);
  const [name = '"VAT"'] = /(?<="name":)"[^"]*"/.exec(body) ?? [];
  const isList = request.url === '/taxes' || request.url?.startsWith('/taxes?');
  response.end(
    isList
      ? `{"data":[${record}],"meta":{"last_page":1,"total":1}}`
      : `{"data":${record.replace('"VAT"', name)}}`,
  );
});
let env: Record<string, string> = {};

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  env = {
    BOH_TOKEN: 'a-token',
    BOH_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
});
afterAll(() => void server.close());

async function stdoutOf(...argv: string[]): Promise<string> {
  const result = await runBoh(argv, { env });
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  return result.stdout;
}

describe.each(['taxes list', 'taxes get 1', 'api GET /taxes/1'])('numbers of %s', (line) => {
  const argv = line.split(' ');

  test.each(['json', 'ndjson'])('are printed unchanged by -o %s', async (format) => {
    const output = (await stdoutOf(...argv, '-o', format)).replaceAll(/\s/g, '');
    expect(output).toContain(
      `"rate":${longFraction},"serial":${longInteger},"nested":{"list":[${longInteger},{"deep":-${longInteger}}]}`,
    );
  });

  test('are printed unchanged by -o yaml', async () => {
    const output = await stdoutOf(...argv, '-o', 'yaml');
    expect(output).toMatch(new RegExp(`serial: ${longInteger}$`, 'm'));
    expect(output).toMatch(new RegExp(`rate: ${longFraction.replace('.', '\\.')}$`, 'm'));
    expect(output).toMatch(new RegExp(`deep: -${longInteger}$`, 'm'));
    expect(
      JSON.stringify(parse(output, { intAsBigInt: true }), (_, value) =>
        typeof value === 'bigint' ? `${value}` : value,
      ),
    ).toContain(`"${longInteger}"`);
  });
});

describe('numbers of a list', () => {
  const columns = ['--columns', 'id,rate,serial,nested', '--unchecked'];

  test('are exported unchanged to CSV', async () => {
    expect(await stdoutOf('taxes', 'list', '-o', 'csv', ...columns)).toContain(
      `1,${longFraction},${longInteger},`,
    );
  });

  test('are printed unchanged in a table', async () => {
    const output = await stdoutOf(
      'taxes',
      'list',
      '-o',
      'table',
      '--columns',
      'id,rate,serial',
      '--unchecked',
    );
    expect(output).toContain(longInteger);
    expect(output).toContain(longFraction);
  });

  test('are kept by --query, which compares them as numbers', async () => {
    const query = (expression: string) => stdoutOf('taxes', 'list', '-o', 'json', '--query', expression);
    expect((await query('[0].serial')).trim()).toBe(longInteger);
    expect((await query('[].{rate: rate, deep: nested.list[1].deep}')).replaceAll(/\s/g, '')).toBe(
      `[{"rate":${longFraction},"deep":-${longInteger}}]`,
    );
    expect((await query('max_by([], &rate).serial')).trim()).toBe(longInteger);
    expect((await query('[?serial > `5`] | length(@)')).trim()).toBe('1');
    expect((await query('type([0].serial)')).trim()).toBe('"number"');
  });

  test('are printed unchanged by --raw', async () => {
    expect(await stdoutOf('taxes', 'list', '--raw')).toContain(record);
  });
});

test('update: keeps the numbers of a record that is read, changed and sent back', async () => {
  sentBodies.length = 0;
  await stdoutOf('taxes', 'update', '1', '--full', '--name', 'Other');
  expect(sentBodies.at(-1)).toContain(`"rate":${longFraction}`);
});

test('get on a terminal: prints the numbers of a record unchanged', async () => {
  const output = await stdoutOf('taxes', 'get', '1', '-o', 'table');
  expect(output).toMatch(new RegExp(`rate: +${longFraction.replace('.', '\\.')}\n`));
  expect(output).toMatch(new RegExp(`serial: +${longInteger}\n`));
  expect(output).not.toContain('undefined');
});

test('dry run and history: print numbers unchanged, before and after a write', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'boh-exact-'));
  const historyEnv = { BOH_CONFIG_DIR: folder, BOH_HISTORY_BEFORE: 'on' };
  const boh = async (...argv: string[]) => (await runBoh(argv, { env: { ...env, ...historyEnv } })).stdout;
  expect(
    (await boh('taxes', 'update', '1', '--full', '--name', 'B', '--dry-run')).replaceAll(/\s/g, ''),
  ).toContain(`"rate":${longFraction}`);
  await boh('taxes', 'update', '1', '--full', '--name', 'B');
  const entry = (await boh('history', 'show', '1', '-o', 'json')).replaceAll(/\s/g, '');
  for (const part of ['request', 'before', 'after', 'now'])
    expect(entry).toMatch(new RegExp(`"${part}":\\{.*?"rate":${longFraction.replace('.', '\\.')}[,}]`));
  expect(entry.split(`"serial":${longInteger}`).length).toBeGreaterThan(3);
  rmSync(folder, { recursive: true, force: true });
});
