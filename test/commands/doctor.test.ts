import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { exitCodes } from '../../src/base/errors.ts';
import type { Finding } from '../../src/cli/diagnosis/finding.ts';
import { checkNode, isInRange } from '../../src/cli/diagnosis/run-checks.ts';
import { failureOf, runBoh } from '../harness/run-boh.ts';
import { temporaryFolders } from '../settings/temporary-folder.ts';
import { tokenWith } from './jwt.ts';

const newFolder = temporaryFolders();

let server: Server | undefined;
afterEach(() => server?.closeAllConnections());

interface ServiceResponse {
  status?: number;
  body?: string;
  headers?: Record<string, string>;
}

async function serviceWith({ status = 200, body = '', headers = {} }: ServiceResponse): Promise<string> {
  const httpServer = createServer((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  });
  server = httpServer;
  await new Promise<void>((resolve) => httpServer.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(httpServer.address() as AddressInfo).port}`;
}

async function runDoctor(argv: string[], env: Record<string, string>) {
  const result = await runBoh(['doctor', '--json', ...argv], {
    env: { BOH_CONFIG_DIR: newFolder(), ...env },
  });
  const findings: Finding[] = JSON.parse(result.stdout);
  const findingOf = (check: string) => findings.find((finding) => finding.check === check);
  return { ran: result, findings, findingOf };
}

async function runDoctorWith(response: ServiceResponse, token = 'a-secret-token') {
  const host = await serviceWith(response);
  return runDoctor([], { BOH_BASE_URL: `http://${host}`, BOH_TOKEN: token });
}

const whoamiBody = (data: object = {}) =>
  JSON.stringify({ data: { user: { name: 'Sara' }, business: { name: 'Farms' }, ...data } });

describe('boh doctor with a working setup', () => {
  it('ends with 0, and reports the result of each check', async () => {
    const {
      ran: result,
      findings,
      findingOf,
    } = await runDoctorWith({
      body: whoamiBody({ scopes: ['general.read', 'users.read'] }),
    });
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(findings.map(({ check }) => check)).toEqual([
      ...[
        'Node',
        'Configuration',
        'Profile',
        'Service',
        'Network',
        'TLS',
        'Clock',
        'Token',
        'Scopes',
        'Lists',
        'Sandboxes',
      ],
    ]);
    const problemNames = findings.filter(({ status }) => status !== 'ok').map(({ check }) => check);
    // This service returns the signed-in user for every request, also for lists.
    expect(problemNames).toEqual(['Lists']);
    expect(findingOf('Token')?.message).toBe('belongs to Sara, for Farms');
    expect(findingOf('Scopes')?.message).toContain('all but orders.list');
  });

  it('needs no network for a sandbox', async () => {
    const { ran: result, findingOf } = await runDoctor(['--sandbox'], {});
    expect(result.exitCode).toBe(0);
    expect(findingOf('Network')?.status).toBe('skipped');
  });

  it('sends nothing with --dry-run', async () => {
    const { ran: result, findingOf } = await runDoctor(['--dry-run'], {
      BOH_BASE_URL: 'http://127.0.0.1:1',
      BOH_TOKEN: 'x',
    });
    expect([result.exitCode, findingOf('Network')?.status]).toEqual([0, 'skipped']);
  });

  it('-o table: shows symbols, in at most 80 columns', async () => {
    const { stdout } = await runBoh(['doctor', '--sandbox', '-o', 'table'], {
      env: { BOH_CONFIG_DIR: newFolder() },
    });
    expect(stdout).toMatch(/^✓ Node {11}\d/);
    expect(stdout.split('\n').every((line) => line.length <= 80)).toBe(true);
  });
});

describe('boh doctor with a broken setup', () => {
  it.each([
    ['the token is refused', { status: 401, body: '{}' }, 'Token', 'not_signed_in'],
    ['the token is not allowed to call whoami', { status: 403, body: '{}' }, 'Token', 'not_allowed'],
    [
      'the business is blocked',
      { body: whoamiBody({ business: { is_blocked: true } }) },
      'Token',
      'not_allowed',
    ],
    ['a proxy returns HTML', { body: '<html>' }, 'Token', 'unavailable'],
    ['the path is wrong', { status: 404, body: '{"message":"Not found."}' }, 'Token', 'unavailable'],
    ['the service is down', { status: 503, body: '' }, 'Token', 'unavailable'],
    ['the response is not a record', { body: '[]' }, 'Token', 'unavailable'],
  ] as const)('%s: reports a problem with a remedy', async (_, response, check, category) => {
    const { ran: result, findingOf } = await runDoctorWith(response);
    expect(findingOf(check)).toMatchObject({ status: 'problem', category, remedy: expect.any(String) });
    expect(result.exitCode).toBe(exitCodes[category]);
    expect(failureOf(result).category).toBe(category);
  });

  it("the service doesn't run: reports the network, and skips the token", async () => {
    const { ran: result, findingOf } = await runDoctor([], {
      BOH_BASE_URL: 'http://127.0.0.1:1',
      BOH_TOKEN: 'x',
    });
    expect(result.exitCode).toBe(8);
    expect(findingOf('Network')).toMatchObject({ status: 'problem', category: 'unavailable' });
    expect(findingOf('Token')?.status).toBe('skipped');
  });

  it('a server without TLS: reports TLS, not the network', async () => {
    const host = await serviceWith({});
    const { ran: result, findingOf } = await runDoctor([], {
      BOH_BASE_URL: `https://${host}`,
      BOH_TOKEN: 'x',
    });
    expect(result.exitCode).toBe(8);
    expect([findingOf('Network')?.status, findingOf('TLS')?.status]).toEqual(['ok', 'problem']);
  });

  it('no service or no token: exits with 2 or 3', async () => {
    const { ran: result, findingOf } = await runDoctor([], {});
    expect(result.exitCode).toBe(2);
    expect(findingOf('Service')?.remedy).toContain('boh auth login');
    const host = await serviceWith({ status: 401, body: '{}' });
    const withoutToken = await runDoctor([], { BOH_BASE_URL: `http://${host}` });
    expect([withoutToken.ran.exitCode, withoutToken.findingOf('Network')?.status]).toEqual([3, 'ok']);
  });

  it('a wrong clock: is a warning', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const headers = { date: new Date(Date.now() - 10 * 60_000).toUTCString() };
    const { ran: result, findingOf } = await runDoctorWith({ body: whoamiBody({ scopes: ['*'] }), headers });
    expect(findingOf('Clock')).toMatchObject({
      status: 'warning',
      message: 'This machine is 10 min ahead of the service.',
    });
    expect(result.exitCode).toBe(0);
  });

  it('a token that has expired or expires soon: reports the time', async () => {
    const day = 86_400;
    const now = Math.floor(Date.now() / 1000);
    const expired = await runDoctorWith({ status: 401, body: '{}' }, tokenWith({ exp: now - day }));
    expect(expired.findingOf('Token')?.message).toMatch(/: it expired on \d{4}-\d\d-\d\d\.$/);
    const expiring = await runDoctorWith({ body: whoamiBody() }, tokenWith({ exp: now + 3.5 * day }));
    expect(expiring.findingOf('Token')).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('in 3 days'),
    });
  });

  it('a configuration that others can read, or that is damaged: is repaired or renamed', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'config.json'), '{"version":1,"profiles":{},"defaults":{}}');
    chmodSync(join(folder, 'config.json'), 0o644);
    const { findingOf } = await runDoctor(['--sandbox'], { BOH_CONFIG_DIR: folder });
    expect(findingOf('Configuration')?.status).toBe('warning');
    expect(statSync(join(folder, 'config.json')).mode & 0o777).toBe(0o600);

    const damaged = newFolder();
    writeFileSync(join(damaged, 'config.json'), '{', { mode: 0o600 });
    const result = await runBoh(['doctor', '-o', 'json'], { env: { BOH_CONFIG_DIR: damaged } });
    expect(result.exitCode).toBe(2);
    expect(JSON.parse(result.stdout)).toContainEqual(
      expect.objectContaining({ check: 'Configuration', status: 'problem' }),
    );
    const [renamed = ''] = readdirSync(damaged).filter((name) => name.startsWith('config.damaged-'));
    const nextResult = await runBoh(['customers', 'list'], { env: { BOH_CONFIG_DIR: damaged } });
    expect([nextResult.exitCode, nextResult.stderr]).toEqual([
      2,
      expect.stringContaining(join(damaged, renamed)),
    ]);
    expect(nextResult.stderr).toContain('rename it back');
  });

  it('a damaged sandbox: is a problem only if it is in use', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'sandboxes'), { mode: 0o700 });
    writeFileSync(join(folder, 'sandboxes', 'old.sqlite'), 'no database');
    const env = { BOH_CONFIG_DIR: folder };
    const unused = await runDoctor(['--sandbox'], env);
    expect(unused.findingOf('Sandboxes')?.status).toBe('warning');
    const inUse = await runDoctor(['--sandbox'], { ...env, BOH_SANDBOX: 'old' });
    expect([inUse.ran.exitCode, inUse.findingOf('Sandboxes')?.status]).toEqual([8, 'problem']);
  });
});

describe('the output of boh doctor never contains', () => {
  it('the token, or the proxy with its password', async () => {
    const { ran: result } = await runDoctorWith({ status: 401, body: 'a-secret-token' });
    const proxied = await runDoctor([], {
      BOH_BASE_URL: 'https://api.example.invalid',
      BOH_TOKEN: 'a-secret-token',
      HTTPS_PROXY: 'http://user:a-secret-password@127.0.0.1:1',
    });
    for (const { stdout, stderr } of [result, proxied.ran]) expect(stdout + stderr).not.toContain('a-secret');
  });

  it('control sequences', async () => {
    const host = await serviceWith({ body: whoamiBody({ user: { name: 'Sa\u001b]0;x\u0007ra' } }) });
    const env = { BOH_CONFIG_DIR: newFolder(), BOH_BASE_URL: `http://${host}`, BOH_TOKEN: 'x' };
    const { stdout } = await runBoh(['doctor', '-o', 'table'], { env });
    expect(stdout).toContain('Sa␛]0;x␇ra');
  });
});

describe('the version of Node', () => {
  it.each([
    ['22.22.2', true],
    ['22.22.1', false],
    ['23.11.0', false],
    ['24.14.9', false],
    ['24.15.0', true],
    ['26.0.0', true],
  ])('%s is in range: %s', (version, expected) => {
    expect(isInRange(version, '^22.22.2 || >=24.15.0')).toBe(expected);
  });

  it('too old: is a problem', () => {
    expect(checkNode('20.1.0')).toMatchObject({ status: 'problem', category: 'usage' });
  });
});

describe('boh doctor --redacted', () => {
  const privateTexts = (host: string, folder: string) => [host, folder, 'Sara', 'Farms', 'a-secret-token'];

  it('a service that works: lists each check, and contains no text that identifies the account or the machine', async () => {
    const host = await serviceWith({ body: whoamiBody({ scopes: ['general.read'] }) });
    const folder = newFolder();
    const env = { BOH_BASE_URL: `http://${host}`, BOH_TOKEN: 'a-secret-token', BOH_CONFIG_DIR: folder };
    const fullResult = await runBoh(['doctor', '--json'], { env });
    const { stdout, stderr, exitCode } = await runBoh(['doctor', '--json', '--redacted'], { env });
    expect(exitCode).toBe(0);
    expect(fullResult.stdout).toContain(host);
    for (const text of privateTexts(host, folder)) expect(stdout + stderr).not.toContain(text);
    const checksOf = (text: string) =>
      (JSON.parse(text) as Finding[]).map(({ check, status }) => `${check} ${status}`);
    expect(checksOf(stdout)).toEqual(checksOf(fullResult.stdout));
    expect(stdout).toContain(process.versions.node);
  });

  it('a refused token: prints only the category, and exits with its code', async () => {
    const host = await serviceWith({ status: 401, body: '{"message": "Sara is not allowed"}' });
    const folder = newFolder();
    const env = { BOH_BASE_URL: `http://${host}`, BOH_TOKEN: 'a-secret-token', BOH_CONFIG_DIR: folder };
    const { stdout, stderr, exitCode } = await runBoh(['doctor', '--json', '--redacted'], { env });
    expect(exitCode).toBe(exitCodes.not_signed_in);
    expect(stdout).toContain('not_signed_in');
    for (const text of privateTexts(host, folder)) expect(stdout + stderr).not.toContain(text);
  });
});
