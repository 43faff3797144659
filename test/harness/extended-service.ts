/** A service whose records have values and fields that the API document doesn't list, as deployments have. */

import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import type { Variant } from '../../src/sandbox/business/settings.ts';
import { openSandbox } from '../../src/sandbox/service.ts';
import { home } from './home-folder.ts';
import { type BohResult, runBoh } from './run-boh.ts';

type Row = Record<string, unknown>;

export interface ExtendedOptions {
  /** By resource: the fields that records have in addition to those of the API document. */
  fields?: Readonly<Record<string, readonly string[]>>;
  /** By resource: such fields that a write can't set; it gets 422. */
  refused?: Readonly<Record<string, readonly string[]>>;
  variant?: Partial<Variant>;
}

export interface ExtendedService {
  /** A folder for files of the test, which replaces `FOLDER` in command lines. */
  folder: string;
  env: Record<string, string>;
  /** The bodies of writes so far, such as `PUT /suppliers/supplier-1`. */
  writes: { line: string; body: Row }[];
  /** Sends a request with the token of the owner, and returns the `data` of the response. */
  send(method: string, path: string, body?: Row): Promise<Row>;
  boh(
    line: string | readonly string[],
    options?: { stdin?: string; env?: Record<string, string> },
  ): Promise<BohResult>;
  /** Returns the printed JSON; the exit code must be 0. */
  // biome-ignore lint/suspicious/noExplicitAny: tests check its content
  json(line: string | readonly string[]): Promise<any>;
}

/** Starts the service with the demo business; it is stopped at the end of the test. */
export async function startExtendedService({
  fields = {},
  refused = {},
  variant = {},
}: ExtendedOptions = {}): Promise<ExtendedService> {
  const sandbox = await openSandbox({ api, file: ':memory:', variant: { 'wire.values': 'any', ...variant } });
  const token = sandbox.ownerToken();
  const extras = new Map<string, Row>();
  const writes: ExtendedService['writes'] = [];
  const withExtras = (resource: string, record: Row): Row => ({
    ...record,
    ...(fields[resource] && Object.fromEntries(fields[resource].map((name) => [name, null]))),
    ...extras.get(`${resource}/${record.id}`),
  });

  const respond = async (method: string, target: string, headers: Record<string, string>, text: string) => {
    const [, resource = ''] = target.split(/[/?]/);
    const known = new Set(fields[resource] ?? []);
    const body: Row = text === '' ? {} : JSON.parse(text);
    if (method !== 'GET') writes.push({ line: `${method} ${target}`, body });
    const problem = (refused[resource] ?? []).find((name) => Object.hasOwn(body, name));
    if (problem !== undefined) {
      const message = {
        message: 'The given data was invalid.',
        errors: { [problem]: [`The ${problem} field is unknown.`] },
      };
      return { status: 422, headers: {}, body: JSON.stringify(message) };
    }
    const entries = Object.entries(body);
    const sent = entries.filter(([name]) => !known.has(name));
    const response = await sandbox.respond({
      method,
      target,
      headers,
      ...(text !== '' && { body: JSON.stringify(Object.fromEntries(sent)) }),
    } as Parameters<typeof sandbox.respond>[0]);
    const answer = response.body ? JSON.parse(String(response.body)) : undefined;
    if (answer?.data === undefined || response.status >= 400) return response;
    if (['POST', 'PUT'].includes(method) && target.split('/').length <= 3) {
      const key = `${resource}/${answer.data.id}`;
      const emptied = variant['wire.put'] === 'replace' ? {} : extras.get(key);
      extras.set(key, { ...emptied, ...Object.fromEntries(entries.filter(([name]) => known.has(name))) });
    }
    const data = Array.isArray(answer.data)
      ? answer.data.map((record: Row) => withExtras(resource, record))
      : withExtras(resource, answer.data);
    const { 'content-length': _, ...otherHeaders } = response.headers ?? {};
    return { ...response, headers: otherHeaders, body: JSON.stringify({ ...answer, data }) };
  };

  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', async () => {
      const headers = request.headers as Record<string, string>;
      const answer = await respond(request.method ?? 'GET', request.url ?? '', headers, text);
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
      response.end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
    sandbox.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = mkdtempSync(join(home, 'extended-'));
  const env = {
    BOH_CONFIG_DIR: join(folder, 'config'),
    BOH_BASE_URL: baseUrl,
    BOH_TOKEN: token,
    BOH_HISTORY_BEFORE: 'on',
  };
  const boh: ExtendedService['boh'] = (line, options = {}) =>
    runBoh(
      (typeof line === 'string' ? line.split(' ') : line).map((word) => word.replaceAll('FOLDER', folder)),
      { env: { ...env, ...options.env }, ...(options.stdin !== undefined && { stdin: options.stdin }) },
    );
  return {
    folder,
    env,
    writes,
    boh,
    async send(method, path, body) {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const response = await respond(method, path, headers, body ? JSON.stringify(body) : '');
      if (response.status >= 400) throw new Error(`${method} ${path}: ${response.status} ${response.body}`);
      writes.length = 0;
      return response.body ? JSON.parse(String(response.body)).data : {};
    },
    async json(line) {
      const words = typeof line === 'string' ? line.split(' ') : line;
      const result = await boh([...words, '-o', 'json']);
      if (result.exitCode !== 0) throw new Error(`${words.join(' ')}: ${result.exitCode} ${result.stderr}`);
      return JSON.parse(result.stdout);
    },
  };
}
