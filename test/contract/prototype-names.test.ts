/** Uses names of Object.prototype (`constructor`, `__proto__`) in responses and arguments: boh must handle them like any other name. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operation } from '../../src/api/contract/operation.ts';
import { api } from '../../src/api/resources/index.ts';
import { runBoh } from '../harness/run-boh.ts';
import { serve, type TestService } from '../harness/serve.ts';

const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', 'prototype'];

/** JSON text, because `__proto__` in an object literal sets the prototype. */
const prototypeFields = names.map((name) => `${JSON.stringify(name)}:"${name}!"`).join(',');
const relationNames = api.collections.flatMap(({ fields }) =>
  Object.entries(fields).flatMap(([name, { traits }]) => (traits.target ? [name] : [])),
);
const relatedFields = [...new Set(relationNames)].map(
  (name) => `"${name}":[{"id":"9",${prototypeFields},"pivot":{${prototypeFields}}}]`,
);
const record = `{"id":"1","name":"One",${prototypeFields},${relatedFields.join(',')}}`;

const folder = mkdtempSync(join(tmpdir(), 'boh-prototype-names-'));
const listOperations = api.collections.flatMap((resource) => operation(resource, 'list') ?? []);
let service: TestService;
let env: Record<string, string>;
beforeAll(async () => {
  const responses = listOperations.map(({ resource: { path } }) => [
    `GET ${path}`,
    `{"data":[${record}],"links":{"next":null},"meta":{"total":1}}`,
  ]);
  const errorBody = `{"message":"No.","errors":{${names.map((name) => `"${name}":["${name}!"]`).join(',')}}}`;
  service = await serve({
    ...Object.fromEntries(responses),
    'GET /suppliers/1': `{"data":${record}}`,
    'PUT /suppliers/1': [422, errorBody],
  });
  env = { BOH_TOKEN: 'a-token', BOH_BASE_URL: service.baseUrl, BOH_CONFIG_DIR: folder };
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

describe('response with names of Object.prototype', () => {
  it.each(listOperations)('$resource.command list: prints the record', async ({ resource: { command } }) => {
    const { stdout, exitCode, stderr } = await runBoh([command, 'list'], { env });
    expect(exitCode, stderr).toBe(0);
    // Values may be formatted or redacted, but names never are.
    for (const name of names) expect(stdout).toContain(`"${name}":`);
    for (const format of ['table', 'csv', 'yaml']) {
      const result = await runBoh(
        [command, 'list', '-o', format, '--unchecked', '--columns', `id,${names}`],
        {
          env,
        },
      );
      expect(result.exitCode, result.stderr).toBe(0);
      for (const name of names) expect(result.stdout, format).toContain(`${name}!`);
    }
  });

  it('get: prints the complete record', async () => {
    const { stdout, exitCode, stderr } = await runBoh(['suppliers', 'get', '1', '-o', 'table'], { env });
    expect(exitCode, stderr).toBe(0);
    for (const name of names) expect(stdout).toContain(`${name}!`);
  });

  it('refused request: the error names each field', async () => {
    const { exitCode, stderr } = await runBoh(['suppliers', 'update', '1', '--name', 'x'], { env });
    expect(exitCode).toBe(6);
    for (const name of names) expect(stderr).toContain(`  ${name}: ${name}!\n`);
  });
});

describe.each(names)('Object.prototype name: %s', (name) => {
  it.each(
    [
      ['customers', 'list', '--sort', name],
      ['customers', 'list', '--include', name],
      ['customers', 'list', '--include', `tags.${name}`],
      ['customers', 'list', '--filter', name],
      ['customers', 'update', '--where', `${name}=1`, '--name', 'x'],
      ['customers', 'update', '1', '--clear', name],
      ['customers', 'update', '1', '--data', `{"${name}":1}`],
      ['customers', name],
      ['customers', 'list', `--${name}`],
      [name, 'list'],
      [name],
      ['config', 'get', name],
      ['config', 'set', name, 'x'],
      ['profiles', 'use', name],
      ['--profile', name, 'customers', 'list'],
      ['auth', 'can', name, 'list'],
      ['auth', 'can', 'customers', name],
      ['schema', name],
      ['schema', `customers.${name}`],
      ['explain', `customers.${name}`],
      ['completion', name],
      ['customers', 'list', '-o', name],
      ['sandbox', 'settings', `${name}=1`],
      ['sandbox', 'events', '--type', name],
      ['sandbox', 'snapshot', 'restore', name],
    ].map((words) => [words.join(' '), words] as const),
  )('boh %s: is refused with a message', async (_, words) => {
    const { exitCode, stderr } = await runBoh(words, { env });
    expect([2, 5], stderr).toContain(exitCode);
    expect(stderr).toContain(name);
  });

  it('--columns: shows the field of records that have it', async () => {
    const result = await runBoh(['suppliers', 'list', '--columns', name, '-o', 'csv'], { env });
    expect([result.exitCode, result.stdout], result.stderr).toEqual([0, expect.stringContaining(`${name}!`)]);
  });

  it('in a request to the sandbox: is refused', async () => {
    for (const query of [`?sort=${name}`, `?sort=-${name}`, `?include=${name}`, `?include=tags.${name}`]) {
      const result = await runBoh(['--sandbox', 'api', 'GET', `/customers${query}`], { env });
      expect(result.exitCode, `${query} ${result.stderr}`).toBe(6);
    }
    const argv = ['--sandbox', 'api', 'POST', '/tags', '--data', `{"${name}":1}`];
    const refusedResult = await runBoh(argv, { env });
    expect(refusedResult.exitCode, refusedResult.stderr).toBe(6);
    const filteredResult = await runBoh(['--sandbox', 'api', 'GET', `/customers?filter[${name}]=1`], { env });
    expect([0, 6], filteredResult.stderr).toContain(filteredResult.exitCode);
  });
});
