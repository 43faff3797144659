/** `boh doctor` compares what boh assumes about a service with its lists, and only reads. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Scope } from '../../src/api/contract/scope.ts';
import type { Finding } from '../../src/cli/diagnosis/finding.ts';
import type { Variant } from '../../src/sandbox/business/settings.ts';
import { runBoh } from '../harness/run-boh.ts';
import { openClient } from '../sandbox/client.ts';
import { temporaryFolders } from '../settings/temporary-folder.ts';

const newFolder = temporaryFolders();

interface Differences {
  variant?: Partial<Variant>;
  /** Returns the target that the sandbox gets instead. */
  target?: (target: string) => string;
  /** Returns the status of a response to a target; undefined for that of the sandbox. */
  status?: (target: string) => number | undefined;
  scopes?: Scope[];
  flags?: string[];
  settings?: Record<string, string>;
}

/** Runs `boh doctor` for a sandbox over HTTP with these differences, and returns its findings and requests. */
async function diagnose({
  variant,
  target = (text) => text,
  status,
  scopes,
  settings = {},
}: Differences = {}) {
  const client = await openClient({ machineClock: Date.now });
  client.sandbox.changeSettings(variant ?? {});
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const decoded = decodeURIComponent(request.url ?? '');
    requests.push(`${request.method} ${decoded}`);
    const { authorization = '', 'user-agent': userAgent = '' } = request.headers;
    const headers = { authorization, 'user-agent': userAgent };
    const answer = client.sandbox.handle({ method: 'GET', target: target(decoded), headers, body: '' });
    const given = status?.(decoded);
    const body = given === undefined ? answer.body : '{"message":"Not today."}';
    response.writeHead(given ?? answer.status, answer.headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
    client.sandbox.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const token = scopes ? client.sandbox.createToken({ scopes }) : client.token;
  const env = { BOH_CONFIG_DIR: newFolder() };
  const login = ['auth', 'login', '--with-token', '--unchecked', '--base-url', baseUrl];
  await runBoh(login, { env, stdin: token });
  for (const [name, value] of Object.entries(settings)) await runBoh(['config', 'set', name, value], { env });
  const result = await runBoh(['doctor', '--json'], { env });
  const findings: Finding[] = JSON.parse(result.stdout);
  const findingOf = (check: string) => findings.find((finding) => finding.check === check);
  return { result, requests, findingOf };
}

const nothingToChange = { status: 'ok', message: 'nothing to change' };

describe('boh doctor with a service as in the API document', () => {
  it('changes nothing, and names what only a write could show', async () => {
    const { result, requests, findingOf } = await diagnose();
    expect(result).toMatchObject({ exitCode: 0, stderr: '' });
    expect(findingOf('Settings')).toMatchObject(nothingToChange);
    expect(findingOf('Lists')?.message).toBe('50 records a page, with totals');
    expect(findingOf('Filters')?.message).toBe('filter[name]=… is applied');
    expect(findingOf('Deleted records')?.message).toBe('are listed with active records');
    expect(findingOf('Relations')?.message).toBe('lists contain the tags of customers');
    expect(findingOf('Writes')).toMatchObject({
      status: 'skipped',
      message: expect.stringMatching(/assumed.*wire.put.*GET/),
    });
    expect(requests.length).toBeLessThanOrEqual(10);
    expect(requests.every((request) => request.startsWith('GET '))).toBe(true);
  });

  it('requests only lists that the token may read', async () => {
    const { requests, findingOf } = await diagnose({ scopes: ['general.read'] });
    expect(findingOf('Settings')).toMatchObject(nothingToChange);
    expect(requests.join(' ')).not.toContain('/customers');
  });
});

describe('boh doctor with another service', () => {
  it('relations only with include, no totals: changes nothing', async () => {
    const variant = { 'wire.relations': 'absent', 'wire.totals': 'absent', 'wire.page_size': 20 } as const;
    const { findingOf } = await diagnose({ variant });
    expect(findingOf('Relations')?.message).toBe(
      'lists contain the tags of customers only with include, which boh requests',
    );
    expect(findingOf('Lists')?.message).toContain('20 records a page, without totals');
    expect(findingOf('Settings')).toMatchObject(nothingToChange);
  });

  it('is_deleted=true returns only deleted records: suggests the setting, and accepts it', async () => {
    const variant = { 'wire.deleted_filter': 'only' } as const;
    const { findingOf } = await diagnose({ variant });
    expect(findingOf('Deleted records')).toMatchObject({
      status: 'warning',
      remedy: expect.stringContaining('boh config set wire.deleted_filter only'),
    });
    expect(findingOf('Settings')).toMatchObject({ message: 'see the warnings above' });
    const settings = { 'wire.deleted_filter': 'only' };
    expect((await diagnose({ variant, settings })).findingOf('Settings')).toMatchObject(nothingToChange);
  });

  it('a setting for other services: suggests the right one', async () => {
    const { findingOf } = await diagnose({ settings: { 'wire.deleted_filter': 'only' } });
    expect(findingOf('Deleted records')?.remedy).toContain('boh config set wire.deleted_filter include');
  });

  it('lists with deleted records: says so, and changes nothing', async () => {
    const withDeleted = (target: string) =>
      /^\/\w+$/.test(target) && target !== '/whoami' ? `${target}?filter[is_deleted]=true` : target;
    const { findingOf } = await diagnose({ target: withDeleted });
    expect(findingOf('Deleted records')).toMatchObject({
      status: 'ok',
      message:
        'are listed with active records; lists without is_deleted contain them too, and boh omits them',
    });
    expect(findingOf('Settings')).toMatchObject(nothingToChange);
  });

  const plainStyle = (target: string) =>
    target.replaceAll(/filter\[[^\]]*\]=[^&]*/g, '').replaceAll(/([?&])(name|is_deleted)=/g, '$1filter[$2]=');

  it('filters in the plain style: suggests the setting, and accepts it', async () => {
    const { findingOf } = await diagnose({ target: plainStyle });
    expect(findingOf('Filters')).toMatchObject({
      status: 'warning',
      message: 'filter[name]=… is ignored',
      remedy: expect.stringContaining('boh config set wire.filter_style plain'),
    });
    const settings = { 'wire.filter_style': 'plain' };
    const accepted = await diagnose({ target: plainStyle, settings });
    expect(accepted.findingOf('Settings')).toMatchObject(nothingToChange);
  });

  it('filters that it ignores or refuses in any style: says so, and suggests no setting', async () => {
    const ignoring = await diagnose({ target: (target) => target.replace(/(filter\[)?name\]?=[^&]*/, '') });
    expect(ignoring.findingOf('Filters')).toMatchObject({
      status: 'warning',
      message: expect.stringMatching(/ignored/),
    });
    expect(ignoring.findingOf('Filters')?.remedy).not.toContain('config set');
    const refusing = await diagnose({ status: (target) => (/\bname\]?=/.test(target) ? 400 : undefined) });
    expect(refusing.findingOf('Filters')?.message).toMatch(/is refused: .*Not today/);
  });

  it('lists that it refuses: are unknown, and the other checks continue', async () => {
    const refused = await diagnose({ status: (target) => (target.includes('whoami') ? undefined : 403) });
    expect(refused.findingOf('Lists')).toMatchObject({
      status: 'skipped',
      message: expect.stringMatching(/unknown/),
    });
    expect(refused.result.exitCode).toBe(0);
    const withoutInclude = await diagnose({
      variant: { 'wire.relations': 'absent' },
      status: (target) => (target.includes('include=') ? 400 : undefined),
    });
    expect(withoutInclude.findingOf('Relations')).toMatchObject({
      status: 'skipped',
      message: expect.stringMatching(/Not today/),
    });
    expect(withoutInclude.findingOf('Settings')).toMatchObject(nothingToChange);
  });
});
