/**
 * Serves a sandbox over HTTP that differs from the API document as some services do: lists contain deleted records, and
 * relations come only with `include`, or not in lists.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Resource } from '../../src/api/contract/resource.ts';
import { api } from '../../src/api/resources/index.ts';
import { type BohResult, runBoh } from '../harness/run-boh.ts';
import { type Client, openClient } from '../sandbox/client.ts';

/** The differences. */
export interface Alterations {
  /** Lists contain deleted records that no filter asks for. */
  listsDeleted?: boolean;
  /** The filter `is_deleted` is refused with 400. */
  refusesDeletedFilter?: boolean;
  /** Relations come only with `include`, which accepts each of them. */
  onlyIncluded?: boolean;
  /** Relations that `include` refuses with 400, by the API's name of the resource. */
  refused?: Readonly<Record<string, readonly string[]>>;
  /** Whether a refusal names the relations that are allowed. */
  namesAllowed?: boolean;
  /** Fields that lists never contain, by the API's name of the resource. */
  onlySingle?: Readonly<Record<string, readonly string[]>>;
  /** Fields that no response contains, by the API's name of the resource. */
  absent?: Readonly<Record<string, readonly string[]>>;
}

/** A served sandbox, and boh with its URL and token. */
export interface AlteredSandbox {
  /** Sends requests to the sandbox itself. */
  direct: Client;
  /** The requests so far, percent-decoded: `GET /customers?include=tags`. */
  requests: string[];
  /** The differences, which a test may change. */
  alterations: Alterations;
  env: Record<string, string>;
  /** Runs boh with arguments that are separated by spaces. */
  boh(line: string, env?: Record<string, string>): Promise<BohResult>;
  json<Result>(line: string): Promise<Result>;
}

/** Serves a sandbox until the end of the test. */
export async function serveAltered(
  alterations: Alterations,
  { empty = false } = {},
): Promise<AlteredSandbox> {
  const direct = await openClient({ empty, ...(!empty && { machineClock: Date.now }) });
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    requests.push(`${request.method} ${decodeURIComponent(request.url ?? '')}`);
    const { status, headers, body } = respond(direct, alterations, request, await bodyOf(request));
    response.writeHead(status, headers).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const env = { BOH_BASE_URL: `http://127.0.0.1:${port}`, BOH_TOKEN: direct.token };
  const boh = (line: string, moreEnv = {}) => runBoh(line.split(' '), { env: { ...env, ...moreEnv } });
  return {
    direct,
    requests,
    alterations,
    env,
    boh,
    json: async (line) => {
      const result = await boh(`${line} --json`);
      if (result.stdout === '') throw new Error(result.stderr);
      return JSON.parse(result.stdout);
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

function respond(direct: Client, alterations: Alterations, request: IncomingMessage, body: string) {
  const { method = 'GET', url: target = '/' } = request;
  const headers = request.headers as Record<string, string>;
  const url = new URL(target, 'http://localhost');
  const [, name = '', id] = url.pathname.split('/');
  const resource = api.resource(name);
  const isList = id === undefined && resource?.list !== undefined;
  if (method !== 'GET' || !resource) return direct.sandbox.handle({ method, target, headers, body });
  const deletedFilter = url.searchParams.get('filter[is_deleted]');
  if (deletedFilter !== null && alterations.refusesDeletedFilter)
    return refuse('Requested filter(s) `is_deleted` are not allowed.');
  const hasFilter = resource.filters.some(({ name }) => name === 'is_deleted');
  if (isList && alterations.listsDeleted && deletedFilter === null && hasFilter)
    url.searchParams.set('filter[is_deleted]', 'true');
  const include = url.searchParams.get('include')?.split(',') ?? [];
  const refused = include.find((path) => alterations.refused?.[name]?.includes(path.split('.')[0] ?? ''));
  if (refused !== undefined) {
    const allowed = relationsOf(resource).filter(
      (relation) => !alterations.refused?.[name]?.includes(relation),
    );
    return refuse(
      `Requested include(s) \`${refused}\` are not allowed.` +
        (alterations.namesAllowed ? ` Allowed include(s) are \`${allowed.join(', ')}\`.` : ''),
    );
  }
  const documented = include.filter((path) =>
    alterations.onlyIncluded ? resource.fields[path.split('.')[0] ?? '']?.traits.includable : true,
  );
  if (documented.length > 0) url.searchParams.set('include', documented.join(','));
  else url.searchParams.delete('include');
  const query = url.search.replaceAll('%5B', '[').replaceAll('%5D', ']').replaceAll('%2C', ',');
  const response = direct.sandbox.handle({ method, target: url.pathname + query, headers, body });
  if (response.status !== 200) return response;
  const { data, ...rest } = JSON.parse(response.body);
  const included = new Set(include.map((path) => path.split('.')[0]));
  const omitted = [
    ...(alterations.onlyIncluded ? relationsOf(resource).filter((relation) => !included.has(relation)) : []),
    ...((isList && alterations.onlySingle?.[name]) || []),
    ...(alterations.absent?.[name] ?? []),
  ];
  for (const row of Array.isArray(data) ? data : [data])
    for (const field of omitted) for (const key of [field, `${field}_id`]) delete row[key];
  return { ...response, body: JSON.stringify({ data, ...rest }) };
}

function relationsOf({ fields }: Resource): string[] {
  return Object.keys(fields).filter((name) => ['one', 'many', 'objects'].includes(fields[name]?.kind ?? ''));
}

function refuse(message: string) {
  return { status: 400, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ message }) };
}
