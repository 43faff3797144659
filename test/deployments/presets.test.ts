/** Presets: valid data, and what a profile with one offers. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isSettingName, settingDefinitions } from '../../src/account/settings/setting-definitions.ts';
import { operations } from '../../src/api/contract/operation.ts';
import { deployedApi } from '../../src/api/deployments/deployment.ts';
import { foodicsV5 } from '../../src/api/deployments/foodics-v5.ts';
import { deployments, requireDeployment } from '../../src/api/deployments/index.ts';
import { api } from '../../src/api/resources/index.ts';
import { checkSettings, variantNames } from '../../src/sandbox/business/settings.ts';
import { openSandbox } from '../../src/sandbox/service.ts';
import { runBoh } from '../harness/run-boh.ts';
import { temporaryFolders } from '../settings/temporary-folder.ts';

const newFolder = temporaryFolders();

describe.each(deployments)('preset $name', (deployment) => {
  it('added numbers: new records may have them', async () => {
    const deployed = await deployedApi(api, deployment);
    for (const [name, { numbers = {} }] of Object.entries(deployment.resources ?? {}))
      for (const [field, words] of Object.entries(numbers))
        for (const number of Object.values(words))
          expect(deployed.resource(name)?.fields[field]?.allowsNew(number), `${name}.${field}`).toBe(true);
  });

  it('settings and addresses: each is a setting with a valid value', () => {
    const addresses = deployment.addresses.map(({ base_url, authorize_url }) => ({
      base_url,
      authorize_url,
    }));
    for (const [name, value] of [deployment.settings, ...addresses].flatMap(Object.entries)) {
      if (!isSettingName(name)) expect.fail(`${name} isn't a setting`);
      expect(settingDefinitions[name].parse(value)).toBe(value);
    }
  });

  it('variant: each is a variant setting of the sandbox with a valid value', () => {
    expect(() => checkSettings({ ...deployment.variant }, variantNames)).not.toThrow();
  });

  it('resources: every addition is valid, and nothing of the API document is lost', async () => {
    const deployed = await deployedApi(api, deployment);
    for (const name of Object.keys(deployment.resources ?? {}))
      expect(api.resource(name), name).toBeDefined();
    for (const resource of deployed.collections) {
      const base = api.resource(resource.name);
      expect(Object.keys(resource.fields)).toEqual(expect.arrayContaining(Object.keys(base?.fields ?? {})));
      const names = resource.filters.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining((base?.filters ?? []).map(({ name }) => name)));
      expect(new Set(names).size).toBe(names.length);
      if (!base) {
        expect(resource.undocumented).toBe(true);
        expect(operations(resource).map(({ verb }) => verb)).toEqual(['list', 'get']);
      }
    }
    expect(deployed.dependencyOrder().length).toBe(deployed.collections.length);
  });
});

describe('a profile with a preset', () => {
  const boh = (folder: string, line: string, env: NodeJS.ProcessEnv = {}) =>
    runBoh(line.split(' '), { env: { BOH_CONFIG_DIR: folder, ...env } });

  it('commands: has the resources, filters and sorts of the preset; other profiles do not', async () => {
    const folder = newFolder();
    await boh(folder, 'profiles add plain --sandbox');
    await boh(folder, 'profiles add like --sandbox --like foodics-v5');
    const branches = await boh(folder, 'branches list --profile like');
    expect(JSON.parse(branches.stdout)).toContainEqual(
      expect.objectContaining({ id: 'branch-riverside', name: 'Riverside', deleted_at: null }),
    );
    const sorted = await boh(folder, 'suppliers list --sort name --profile like');
    const names = JSON.parse(sorted.stdout).map(({ name }: { name: string }) => name);
    expect(names.length).toBeGreaterThan(1);
    expect(names).toEqual([...names].sort());
    expect((await boh(folder, 'timed-events list --categories-id x --profile like')).exitCode).toBe(0);
    expect((await boh(folder, '--help --profile like')).stdout).not.toContain('Lookups');
    expect((await boh(folder, '--help --profile plain')).stdout).toContain('Lookups');
    expect((await boh(folder, 'suppliers list --sort name --profile plain')).stderr).toContain(
      'boh reads all suppliers and sorts by name',
    );
    expect((await boh(folder, 'branches list --profile plain')).exitCode).toBe(2);
  });

  it('settings: come from the preset, and the profile, a variable and a flag replace them', async () => {
    const folder = newFolder();
    await boh(folder, 'profiles add shop --base-url https://api.foodics.com --like foodics-v5');
    const get = async (name: string, env?: NodeJS.ProcessEnv) =>
      (await boh(folder, `config get ${name}`, env)).stdout.trim();
    expect(await get('api_prefix')).toBe('/v5');
    expect(await get('authorize_url')).toBe('https://console.foodics.com/authorize');
    expect(await get('wire.redeem_method')).toBe('PUT');
    await boh(folder, 'config set wire.redeem_method GET');
    expect(await get('wire.redeem_method')).toBe('GET');
    expect(await get('wire.put', { BOH_WIRE_PUT: 'replace' })).toBe('replace');
  });

  it('an unknown name: is refused with the names of the presets', async () => {
    const { exitCode, stderr } = await boh(newFolder(), 'profiles add shop --like foodics');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('api-document, foodics-v5');
    expect(() => requireDeployment('foodics')).toThrow('api-document, foodics-v5');
  });
});

describe('a sandbox that is opened with and without a preset', () => {
  it.each([
    ['api-document', 'foodics-v5'],
    ['foodics-v5', 'api-document'],
  ])('first %s, then %s: keeps its records and answers', async (first, second) => {
    const file = join(newFolder(), 'sandbox.sqlite');
    for (const name of [first, second, first]) {
      const deployed = await deployedApi(api, requireDeployment(name));
      const sandbox = await openSandbox({ api: deployed, file });
      const headers = { authorization: `Bearer ${sandbox.ownerToken()}` };
      const get = (target: string) => sandbox.respond({ method: 'GET', target, headers, body: '' });
      expect((await get('/customers')).status).toBe(200);
      const branches = await get('/branches');
      expect(branches.status).toBe(name === 'foodics-v5' ? 200 : 404);
      if (branches.status === 200) expect(JSON.parse(String(branches.body)).data).toHaveLength(3);
      sandbox.close();
    }
  });
});

describe('a service without a list that the preset has', () => {
  /** Returns an HTTP service that answers 404 for these paths, and otherwise like a sandbox with the preset. */
  async function openService(missingPaths: readonly string[]) {
    const deployed = await deployedApi(api, foodicsV5);
    const sandbox = await openSandbox({ api: deployed, file: ':memory:', apiPrefix: '/v5' });
    const server = createServer(async (request, response) => {
      const chunks = await Array.fromAsync(request);
      const [path = ''] = (request.url ?? '').replace('/v5', '').split('?');
      const isMissing = missingPaths.includes(path);
      const answer = await sandbox.respond({
        method: request.method ?? 'GET',
        target: request.url ?? '',
        headers: request.headers as Record<string, string>,
        body: Buffer.concat(chunks).toString(),
      });
      response.writeHead(isMissing ? 404 : answer.status, { 'content-type': 'application/json' });
      response.end(isMissing ? '{"message":"Not found."}' : answer.body);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    return {
      env: {
        BOH_BASE_URL: `http://127.0.0.1:${port}`,
        BOH_TOKEN: sandbox.ownerToken(),
        BOH_LIKE: 'foodics-v5',
      },
      close: () => {
        server.close();
        sandbox.close();
      },
    };
  }

  it('list: fails and says so; backup, export, mirror, lint and find: work without it', async () => {
    const { env, close } = await openService(['/warehouses', '/devices']);
    const folder = newFolder();
    const boh = (line: string) => runBoh(line.split(' '), { env: { BOH_CONFIG_DIR: folder, ...env } });
    try {
      const list = await boh('warehouses list');
      expect(list.exitCode).toBe(5);
      expect((await boh('branches list -o id')).stdout.split('\n').filter(Boolean)).toHaveLength(3);
      for (const line of [
        `backup ${join(folder, 'backup')}`,
        `backup verify ${join(folder, 'backup')}`,
        `export --to ${join(folder, 'export')}`,
        'mirror sync',
        'lint',
        'find Riverside',
        'sections create --name Patio --branch-id @Riverside',
      ]) {
        const { exitCode, stderr } = await boh(line);
        // The demo business has findings.
        expect(exitCode, `${line}: ${stderr}`).toBe(line === 'lint' ? 10 : 0);
        expect(stderr, line).not.toMatch(/\b404\b/);
      }
    } finally {
      close();
    }
  });
});
