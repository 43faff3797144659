/** Checks the module `boh/testing`: a sandbox in the process of a test. */
import { execFileSync } from 'node:child_process';
import { request } from 'undici';
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';
import { root } from '../../scripts/root.ts';
import { startSandbox } from '../../src/testing/index.ts';
import type { StartOptions, StartSandbox, TestSandbox } from '../../src/testing/types.ts';

async function start(options: StartOptions = {}): Promise<TestSandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.stop());
  return sandbox;
}

const json = { 'content-type': 'application/json' };
const createTag = (sandbox: TestSandbox, name: string) =>
  sandbox.fetch('/tags', { method: 'POST', headers: json, body: JSON.stringify({ name, type: 1 }) });
const namesOf = async (sandbox: TestSandbox) => (await sandbox.records('tags')).map(({ name }) => name);

describe('startSandbox', () => {
  it('fetch: sends requests with the token of the owner, without a port', async () => {
    const sandbox = await start();
    const list = (await (await sandbox.fetch('/customers?per_page=2')).json()) as { data: unknown[] };
    expect(list.data).toHaveLength(2);
    expect((await createTag(sandbox, 'VIP')).status).toBe(201);
    const others = await sandbox.fetch(`${sandbox.baseUrl}/tags`, {
      headers: { authorization: 'Bearer no' },
    });
    expect(others.status).toBe(401);
    expect(await (await sandbox.fetch('/tags', { method: 'HEAD' })).text()).toBe('');
  });

  it('dispatcher: receives requests of undici and of the fetch of Node', async () => {
    const sandbox = await start();
    const { baseUrl, dispatcher, token } = sandbox;
    const headers = { authorization: `Bearer ${token}`, ...json };
    const options = { dispatcher, headers } as object;
    expect((await fetch(`${baseUrl}/tags`, options)).status).toBe(200);
    const body = '{"name": "From Undici", "type": 1}';
    const created = await request(`${baseUrl}/tags`, { method: 'POST', body, ...options });
    expect([created.statusCode, await created.body.json()]).toMatchObject([
      201,
      { data: { name: 'From Undici' } },
    ]);
    expect(
      (await fetch(`${baseUrl}/tags`, { method: 'POST', body: body.replace('Undici', 'Node'), ...options }))
        .status,
    ).toBe(201);
    expect(await namesOf(sandbox)).toEqual(expect.arrayContaining(['From Undici', 'From Node']));
    await sandbox.faults.set({ rules: [{ fault: 'half_body' }] });
    await expect(fetch(`${baseUrl}/tags`, options).then((response) => response.text())).rejects.toThrow();
    await expect(request(`${baseUrl}/tags`, options).then(({ body }) => body.text())).rejects.toThrow();
  });

  it('snapshot, restore and reset: replace the records', async () => {
    const sandbox = await start({ from: 'empty', apply: ['tags: [{name: First, type: customer}]'] });
    expect(await namesOf(sandbox)).toEqual(['First']);
    await sandbox.snapshot('start');
    await createTag(sandbox, 'Second');
    await sandbox.restore('start');
    expect(await namesOf(sandbox)).toEqual(['First']);
    await sandbox.apply({ tags: [{ name: 'Third', type: 'customer' }] });
    expect((await namesOf(sandbox)).sort()).toEqual(['First', 'Third']);
    await sandbox.reset();
    expect(await namesOf(sandbox)).toEqual([]);
    await expect(sandbox.apply('tags: [{nam: x}]')).rejects.toThrow();
  });

  it('clock, faults, requests and settings: belong to the sandbox', async () => {
    const sandbox = await start({ clock: '2030-01-01', settings: { 'wire.page_size': 2 } });
    const other = await start();
    expect(await sandbox.clock.advance('26h')).toMatchObject({ now: '2030-01-02 02:00:00', is_frozen: true });
    await sandbox.faults.set({ rules: [{ route: 'GET /tags', fault: 'reset' }] });
    await expect(sandbox.fetch('/tags')).rejects.toThrow('fetch failed');
    await sandbox.faults.clear();
    const { data } = (await (await sandbox.fetch('/customers')).json()) as { data: unknown[] };
    expect(data).toHaveLength(2);
    expect(await sandbox.requests.list({ path: '/tags', count: 1 })).toMatchObject([
      { status: 0, fault: 'reset' },
    ]);
    await expect(sandbox.requests.list({ method: 'POST', count: 1 })).rejects.toThrow('found 0');
    expect(await other.requests.list()).toEqual([]);
    expect((await other.clock.state()).is_frozen).toBe(false);
    await expect(startSandbox({ settings: { 'wire.unknown': 1 } })).rejects.toThrow('Unknown setting');
  });

  it('the same requests: have the same IDs and records in every run, whatever the order of requests with a key', async () => {
    const run = async (names: readonly string[], randomSeed?: number) => {
      const sandbox = await start({ clock: '2030-01-01', ...(randomSeed !== undefined && { randomSeed }) });
      for (const name of names) await createTag(sandbox, name);
      await sandbox.fetch('/inventory_counts', {
        method: 'POST',
        headers: json,
        body: '{"branch_id": "branch-riverside"}',
      });
      return JSON.stringify(await sandbox.dump());
    };
    const dump = await run(['A', 'B']);
    expect(await run(['A', 'B'])).toBe(dump);
    expect(await run(['B', 'A'])).toBe(dump);
    expect(await run(['A', 'B'], 2)).not.toBe(dump);
  });

  it('like, port: imitates a service, and serves it', async () => {
    const sandbox = await start({ like: 'foodics-v5', port: 0 });
    expect(sandbox.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const headers = { authorization: `Bearer ${sandbox.token}` };
    expect((await fetch(`${sandbox.baseUrl}/v5/branches`, { headers })).status).toBe(200);
    expect((await sandbox.fetch('/v5/branches')).status).toBe(200);
    expect(await sandbox.requests.list({ path: '/branches' })).toHaveLength(2);
  });
});

describe('the package', () => {
  it('exports startSandbox and its types', () => {
    const script = `import { startSandbox } from 'boh/testing';
      const sandbox = await startSandbox();
      console.log((await sandbox.fetch('/whoami')).status);
      await sandbox.stop();`;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: root });
    expect(String(output)).toBe('200\n');
    // biome-ignore lint/suspicious/noTsIgnore: the file exists only after a build
    // @ts-ignore
    type Built = typeof import('../../dist/testing.d.ts').startSandbox;
    expectTypeOf<Built>().toExtend<StartSandbox>();
  });
});
