/** Downloads public generators, mocks and converters, runs them on the OpenAPI document, and runs the generated clients on the sandbox. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, type ServedSandbox, startSandbox, startServer } from '../../scripts/sandbox/programs.ts';
import { fetchTools, toolFolder } from '../../scripts/tools.ts';
import type { OpenApiOperation } from '../../src/api/reference/openapi.ts';
import type { OpenApiDocument } from '../../src/api/reference/openapi-responses.ts';
import { runBoh } from '../harness/run-boh.ts';

/** The arguments that print each variant of the OpenAPI document. */
const documentArgs = {
  whole: ['openapi'],
  flat: ['openapi', '--flat'],
} as const;
type DocumentVariant = keyof typeof documentArgs;

let tools: ReturnType<typeof fetchTools>;
let folder: string;
let sandbox: ServedSandbox;

const fileOf = (variant: DocumentVariant) => join(folder, `${variant}.json`);

beforeAll(async () => {
  tools = fetchTools(
    ...(['@redocly/cli', '@stoplight/prism-cli', 'openapi-typescript', 'openapi-fetch'] as const),
    ...(['@hey-api/openapi-ts', 'orval', 'openapi-to-postmanv2', '@apideck/portman'] as const),
  );
  // Inside the checkout, so that generated code finds the libraries.
  folder = mkdtempSync(join(toolFolder, 'generated-'));
  sandbox = await startSandbox();
  for (const variant of Object.keys(documentArgs) as DocumentVariant[]) {
    const { stdout } = await runBoh([...documentArgs[variant]], { env: { BOH_CONFIG_DIR: folder } });
    writeFileSync(fileOf(variant), stdout);
  }
}, 600_000);

afterAll(async () => {
  await sandbox?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

/** Runs a program that has to succeed. */
function run(program: string, ...args: string[]): void {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', JITI_FS_CACHE: 'false' };
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env,
  });
  expect([status, status === 0 ? '' : (stdout + stderr).slice(-5000)]).toEqual([0, '']);
}

function compile(...files: string[]): void {
  const options = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: ['node'] },
    ...{ module: 'esnext', moduleResolution: 'bundler', target: 'es2023', lib: ['es2023', 'dom'] },
    typeRoots: [join(process.cwd(), 'node_modules/@types')],
  };
  const project = join(folder, 'tsconfig.json');
  writeFileSync(project, JSON.stringify({ compilerOptions: options, files }));
  run(join(process.cwd(), 'node_modules/typescript/bin/tsc'), '-p', project);
}

/** Compiles and bundles a program with the generated code, and runs it on the sandbox. */
async function runClient(name: string, source: string): Promise<unknown> {
  writeFileSync(join(folder, `${name}.ts`), source);
  compile(`${name}.ts`);
  const file = join(folder, `${name}.mjs`);
  await build({ input: join(folder, `${name}.ts`), output: { file }, platform: 'node', logLevel: 'silent' });
  const env = { BASE_URL: sandbox.baseUrl, TOKEN: sandbox.token };
  return JSON.parse(execFileSync(process.execPath, [file], { env, encoding: 'utf8' }));
}

describe.each(Object.keys(documentArgs) as DocumentVariant[])(
  'variant %s of the OpenAPI document',
  (variant) => {
    it('passes the strictest rules of a linter', () => {
      run(tools['@redocly/cli'], 'lint', fileOf(variant), '--extends', 'recommended-strict');
    });

    it('can be converted to TypeScript types', () => {
      run(tools['openapi-typescript'], fileOf(variant), '-o', `${variant}.d.ts`);
      compile(`${variant}.d.ts`);
    });
  },
);

const outcomeExpression = `[created?.data.name, updated?.data.phone, list?.data.map(({ id }) => id === created?.data.id), deleteResponse.status]`;
const expectedOutcome = ['Created by a client', '555', [true], 200];

it('client of openapi-fetch: works on the sandbox', async () => {
  const program = `
    import createClient from 'openapi-fetch';
    import type { paths } from './whole';
    const client = createClient<paths>({
      baseUrl: process.env.BASE_URL ?? '',
      headers: { authorization: 'Bearer ' + process.env.TOKEN },
      querySerializer: { array: { style: 'form', explode: false } },
    });
    const { data: created } = await client.POST('/suppliers', { body: { name: 'Created by a client' } });
    const path = { supplierId: created?.data.id ?? '' };
    const { data: updated } = await client.PUT('/suppliers/{supplierId}', { params: { path }, body: { phone: '555' } });
    const query = { 'filter[name]': 'Created by a client', include: ['items', 'tags'] };
    const { data: list } = await client.GET('/suppliers', { params: { query } });
    const { response: deleteResponse } = await client.DELETE('/suppliers/{supplierId}', { params: { path } });
    console.log(JSON.stringify(${outcomeExpression}));`;
  expect(await runClient('typed', program)).toEqual(expectedOutcome);
});

it('client of hey-api: works on the sandbox', async () => {
  const plugin = ['-c', '@hey-api/client-fetch'];
  run(tools['@hey-api/openapi-ts'], '-i', fileOf('whole'), '-o', 'hey', ...plugin);
  const program = `
    import { suppliersCreate, suppliersDelete, suppliersList, suppliersUpdate } from './hey';
    import { client } from './hey/client.gen';
    client.setConfig({ baseUrl: process.env.BASE_URL ?? '', auth: () => process.env.TOKEN });
    const { data: created } = await suppliersCreate({ body: { name: 'Created by a client' } });
    const path = { supplierId: created?.data.id ?? '' };
    const { data: updated } = await suppliersUpdate({ path, body: { phone: '555' } });
    const query = { 'filter[name]': 'Created by a client', include: ['items', 'tags'] };
    const { data: list } = await suppliersList({ query });
    const { response } = await suppliersDelete({ path });
    const deleteResponse = { status: response?.status };
    console.log(JSON.stringify(${outcomeExpression}));`;
  expect(await runClient('hey-client', program)).toEqual(expectedOutcome);
});

it('zod schemas of orval from the variant flat: accept the responses of the sandbox', async () => {
  const output = { mode: 'single', target: './flat-zod.ts', client: 'zod' };
  const config = { suppliers: { input: fileOf('flat'), output } };
  writeFileSync(join(folder, 'orval.config.mjs'), `export default ${JSON.stringify(config)};`);
  run(tools.orval, '--config', 'orval.config.mjs');
  const program = `
    import { SuppliersCreateBody, SuppliersListResponse } from './flat-zod';
    const headers = { authorization: 'Bearer ' + process.env.TOKEN };
    const response = await fetch(process.env.BASE_URL + '/suppliers', { headers });
    const { data } = SuppliersListResponse.parse(await response.json());
    const invalidResult = SuppliersCreateBody.safeParse({ name: '' });
    console.log(JSON.stringify([data.length > 0, invalidResult.success]));`;
  expect(await runClient('orval', program)).toEqual([true, false]);
});

/** Returns all operations of a document with their paths and methods. */
function operationsOf({ paths }: OpenApiDocument): (OpenApiOperation & { path: string; method: string })[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, OpenApiOperation>)
      .filter(([, operation]) => operation.operationId !== undefined)
      .map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  );
}

it('Prism: mocks every operation of the variant flat with generated values', async () => {
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  const args = ['mock', '--dynamic', fileOf('flat'), '--port', String(port), '-v', 'silent'];
  const prism = await startServer([tools['@stoplight/prism-cli'], ...args], baseUrl);
  const refusedRequests: unknown[] = [];
  for (const { path, method, requestBody } of operationsOf(
    JSON.parse(readFileSync(fileOf('flat'), 'utf8')),
  )) {
    const content = requestBody?.content as Record<string, { example: unknown }> | undefined;
    const body = content ? JSON.stringify(content['application/json']?.example) : null;
    const headers = { authorization: 'Bearer x', ...(body && { 'content-type': 'application/json' }) };
    const response = await fetch(baseUrl + path.replaceAll(/\{\w+\}/g, 'x'), { method, headers, body });
    if (response.status >= 300) refusedRequests.push([method, path, response.status, await response.text()]);
  }
  await prism.stop();
  expect(refusedRequests).toEqual([]);
});

interface CollectionItem {
  item?: CollectionItem[];
  request?: {
    method: string;
    url: { path: string[]; query?: Pair[]; variable?: Pair[] };
    body?: { raw?: string };
  };
}
interface Pair {
  key: string;
  value: string;
  disabled?: boolean;
}

function requestsIn({ item = [], request }: CollectionItem): NonNullable<CollectionItem['request']>[] {
  return request ? [request] : item.flatMap(requestsIn);
}

it.each(['whole', 'flat'] as const)(
  "Postman's converter on the variant %s: the demo business accepts its requests",
  async (variant) => {
    const collectionFile = join(folder, `${variant}-collection.json`);
    const options = ['-p', '-O', 'parametersResolution=Example'];
    run(tools['openapi-to-postmanv2'], '-s', fileOf(variant), '-o', collectionFile, ...options);
    const requests = requestsIn(JSON.parse(readFileSync(collectionFile, 'utf8')));
    // Redeeming a reward shares its path, and the exchange of a code is not an operation of the contract.
    expect(requests).toHaveLength(136);
    const newSandbox = await startSandbox();
    const refusedRequests: unknown[] = [];
    for (const { method, url, body } of requests) {
      const variables = new Map(url.variable?.map(({ key, value }) => [`:${key}`, value]));
      const path = url.path.map((part) => encodeURIComponent(variables.get(part) ?? part)).join('/');
      const pairs = url.query?.filter(({ disabled }) => !disabled) ?? [];
      const query = pairs.map(({ key, value }) => `${key}=${encodeURIComponent(value)}`).join('&');
      if (path === 'oauth/token') continue;
      const response = await fetch(`${newSandbox.baseUrl}/${path}?${query}`, {
        method,
        headers: { authorization: `Bearer ${newSandbox.token}`, 'content-type': 'application/json' },
        body: body?.raw || null,
      });
      if (response.status >= 300)
        refusedRequests.push([method, path, query, response.status, await response.text()]);
    }
    await newSandbox.stop();
    expect(refusedRequests).toEqual([]);
  },
);

it('portman: creates a collection from the variant flat', () => {
  const args = ['-l', fileOf('flat'), '-o', join(folder, 'portman.json'), '-t', 'false'];
  run(tools['@apideck/portman'], ...args);
  expect(requestsIn(JSON.parse(readFileSync(join(folder, 'portman.json'), 'utf8')))).toHaveLength(136);
});
