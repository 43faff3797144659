import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { serve, type TestService } from '../harness/serve.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-errors-'));
let service: TestService;
beforeAll(async () => {
  const farms = { id: '42', name: 'Farms' };
  service = await serve({
    'POST /suppliers': { data: farms },
    'GET /suppliers': { data: [farms, { id: '43', name: '"Two"' }], meta: { last_page: 1, total: 2 } },
    'GET /suppliers?filter[id]=42': { data: [farms], meta: { last_page: 1, total: 1 } },
    'GET /suppliers/42': { data: farms },
    'PUT /suppliers/42': { data: farms },
    'DELETE /suppliers/42': '',
    'DELETE /suppliers/43': '',
  });
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  return service.close();
});

const boh = (line: string, env: Record<string, string> = {}) =>
  runBoh(line.split(' '), {
    env: { BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl, BOH_CONFIG_DIR: folder, ...env },
  });
const lastLine = ({ stderr }: { stderr: string }) => stderr.trimEnd().split('\n').at(-1);

describe('errors in JSON', () => {
  test.each(['id', 'csv', 'table', 'yaml', 'json'])(
    'are printed with -o %s if BOH_ERRORS is set',
    async (format) => {
      const result = await boh(`suppliers get missing -o ${format}`, { BOH_ERRORS: 'json' });
      expect(failureOf(result).category).toBe('not_found');
    },
  );

  test('are printed even if the command line or the settings are invalid', async () => {
    expect(failureOf(await boh('suppliers lisst -o csv', { BOH_ERRORS: 'json' })).category).toBe('usage');
    const invalidSettings = { BOH_ERRORS: 'json', BOH_OUTPUT: 'nonsense' };
    expect(failureOf(await boh('suppliers list', invalidSettings)).message).toContain('BOH_OUTPUT');
  });

  test('are enabled by a setting of the profile, which the environment overrides', async () => {
    const env = { BOH_CONFIG_DIR: join(folder, 'by-setting') };
    await boh('config set errors json', env);
    expect(failureOf(await boh('suppliers get missing -o id', env)).category).toBe('not_found');
    const asText = { ...env, BOH_ERRORS: 'text' };
    expect(lastLine(await boh('suppliers get missing -o json', asText))).not.toMatch(/^\{/);
  });

  test('are printed by default only with -o json', async () => {
    expect(lastLine(await boh('suppliers get missing -o csv'))).not.toMatch(/^\{/);
    expect(failureOf(await boh('suppliers get missing')).category).toBe('not_found');
  });

  test('refuse an unknown value of BOH_ERRORS', async () => {
    const result = await boh('suppliers list', { BOH_ERRORS: 'xml' });
    expect([result.exitCode, result.stderr]).toEqual([2, expect.stringContaining('BOH_ERRORS')]);
  });
});

describe('BOH_QUIET', () => {
  const createdNote = 'Supplier "Farms" (42) created.';

  test.each(['1', 'true', 'yes'])('%s: hides notes and keeps errors', async (value) => {
    expect((await boh('suppliers create --name Farms', { BOH_QUIET: value })).stderr).toBe('');
    expect((await boh('suppliers get missing', { BOH_QUIET: value })).stderr).toContain('boh:');
  });

  test.each(['', '0', 'false', 'no'])('"%s": keeps notes', async (value) => {
    expect((await boh('suppliers create --name Farms', { BOH_QUIET: value })).stderr).toContain(createdNote);
  });

  test('as a setting: changes nothing for programs', async () => {
    const env = { BOH_CONFIG_DIR: join(folder, 'quiet') };
    await boh('config set quiet true', env);
    await boh('config set output table', env);
    const result = await boh('suppliers create --name Farms', env);
    expect([JSON.parse(result.stdout).id, result.stderr]).toEqual([
      '42',
      expect.stringContaining(createdNote),
    ]);
  });

  test('refuses a value that is not a boolean', async () => {
    expect((await boh('suppliers list', { BOH_QUIET: 'maybe' })).stderr).toContain(
      'BOH_QUIET: Expected true or false',
    );
  });
});

describe('--quiet of a write', () => {
  test.each([
    'suppliers create --name Farms',
    'suppliers update 42 --name Farms',
    'suppliers delete 42 --yes',
    'suppliers delete 42 43 --yes',
    'suppliers delete --where id=42 --yes --max-deletes 100%',
  ])('%s: prints nothing', async (line) => {
    expect(await boh(`${line} -q`)).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  });

  test('prints failures, and the result in a format that the command line names', async () => {
    const failedResult = await boh('suppliers delete 42 missing --yes -q');
    expect([failedResult.exitCode, failedResult.stdout]).toEqual([9, '']);
    expect(failureOf(failedResult).message).toContain('1 of 2 failed');
    expect((await boh('suppliers create --name Farms -q -o id')).stdout).toBe('42\n');
    expect((await boh('suppliers create --name Farms -q --columns id')).stdout).toContain('"42"');
  });
});

describe('the environment', () => {
  test('a misspelled variable: is a warning with the nearest name', async () => {
    const { stderr, exitCode } = await boh('suppliers create --name Farms', {
      BOH_OUTPT: 'json',
      BOH_TIMEOUT: '5',
    });
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining('BOH_OUTPT is unknown; did you mean "BOH_OUTPUT"?'),
    ]);
    expect(stderr).not.toContain('BOH_TIMEOUT');
  });

  test('BOH_TIMEOUT: is the time limit of a request', async () => {
    expect((await boh('suppliers list', { BOH_TIMEOUT: 'soon' })).stderr).toContain('BOH_TIMEOUT');
    const setting = await boh('config get timeout', { BOH_TIMEOUT: '7' });
    expect(setting.stdout).toContain('7');
  });

  test('BOH_OUTPUT: also applies to the rows of runs', async () => {
    const line = 'suppliers delete --where id=42 --yes --max-deletes 100%';
    expect((await boh(line, { BOH_OUTPUT: 'csv' })).stdout).toMatch(/^line,key,action,id,outcome,error\r\n/);
  });
});

describe('--output-text', () => {
  test('prints a field as lines without quotes', async () => {
    expect((await boh('suppliers create --name Farms --output-text name')).stdout).toBe('Farms\n');
    expect((await boh('suppliers list --output-text name')).stdout).toBe('Farms\n"Two"\n');
    expect((await boh('suppliers list --query [].{n:name} --output-text n')).stdout).toBe('Farms\n"Two"\n');
    expect((await boh('suppliers delete 42 43 --yes --output-text outcome')).stdout).toBe('done\ndone\n');
  });

  test('with an unknown field or another format: is refused before anything is sent', async () => {
    for (const flags of ['nam', 'name -o json', 'name --columns id'])
      expect((await boh(`suppliers create --name Farms --output-text ${flags}`)).exitCode).toBe(2);
  });
});
