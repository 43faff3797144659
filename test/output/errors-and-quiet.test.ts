import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { serve, type TestService } from '../harness/serve.ts';

const folder = mkdtempSync(join(tmpdir(), 'boh-errors-'));
let service: TestService;
beforeAll(async () => {
  service = await serve({ 'POST /suppliers': { data: { id: '42', name: 'Farms' } } });
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

  test('is also a setting, which the environment overrides', async () => {
    const env = { BOH_CONFIG_DIR: join(folder, 'quiet') };
    await boh('config set quiet true', env);
    expect((await boh('suppliers create --name Farms', env)).stderr).toBe('');
    expect((await boh('suppliers create --name Farms', { ...env, BOH_QUIET: '0' })).stderr).toContain(
      createdNote,
    );
  });

  test('refuses a value that is not a boolean', async () => {
    expect((await boh('suppliers list', { BOH_QUIET: 'maybe' })).stderr).toContain(
      'BOH_QUIET: Expected true or false',
    );
  });
});
