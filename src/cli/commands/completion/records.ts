/** The sources of candidates that need settings, the service or a sandbox. It is loaded only when needed. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Row } from '../../../account/client/shape.ts';
import type { Session } from '../../../account/session/session.ts';
import { namesCacheName, openAccountCache } from '../../../account/settings/caches.ts';
import { type Config, emptyConfig, viewsOf } from '../../../account/settings/config.ts';
import { decodeConfig } from '../../../account/settings/config-json.ts';
import { type Flags, resolveSettings } from '../../../account/settings/resolve.ts';
import type { Settings } from '../../../account/settings/settings.ts';
import { openStore } from '../../../account/settings/store.ts';
import { operation } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import type { Environment } from '../../../base/environment.ts';
import { formatHint } from '../../../base/hint.ts';
import { listAllRuns } from '../../../engine/runs/ledger/runs.ts';
import { sandboxFile } from '../../../sandbox/store/sandbox-files.ts';
import type { Context } from '../../context/context.ts';
import { inferTitle } from '../../output/wording.ts';
import { commandLineOf } from '../verbs/read.ts';
import type { Candidate, CandidateSource } from './candidate.ts';
import type { PartialCommandLine } from './partial-command-line.ts';
import { type Sources, sourcesFor } from './sources.ts';

/** Returns the sources of the values of a command line, with access to settings and service. */
export function openSources(
  commandLine: PartialCommandLine,
  requestOptions: RequestOptions,
  context: Context,
): Sources {
  return sourcesFor(commandLine, {
    api: context.api,
    profiles: () => profileCandidates(context),
    views: () => viewCandidates(commandLine, context),
    runs: async () => listAllRuns(context.env).map(({ id }) => ({ value: id })),
    records: (resource, options) =>
      recordSource(resource, settingsFor(commandLine, context), { ...options, ...requestOptions }, context),
    references: (target) =>
      referenceSource(target, settingsFor(commandLine, context), requestOptions, context),
  });
}

function profileCandidates(context: Context): Candidate[] {
  const config = privateConfig(context);
  return Object.entries(config?.profiles ?? {}).map(([name, { business_name: about }]) => ({
    value: name,
    ...(about && { about }),
  }));
}

function viewCandidates(commandLine: PartialCommandLine, context: Context): Candidate[] {
  const config = privateConfig(context);
  const profile = settingsFor(commandLine, context)?.profile;
  return Object.entries(config ? viewsOf(config, profile) : {})
    .filter(
      ([, { resource }]) => commandLine.resource === undefined || commandLine.resource.name === resource,
    )
    .map(([value, view]) => ({ value, about: formatHint(commandLineOf(view, context.api.resources)) }));
}

/** Returns the configuration; undefined if other users can read its file. */
function privateConfig({ env }: Pick<Context, 'env'>): Config | undefined {
  const { path } = openStore(env);
  if (!fileExists(path)) return emptyConfig();
  if (!isPrivate(path) || !isPrivate(dirname(path))) return undefined;
  try {
    return decodeConfig(readFileSync(path, 'utf8'), path);
  } catch {
    return undefined;
  }
}

function settingsFor(
  commandLine: Pick<PartialCommandLine, 'flagValues'>,
  context: Pick<Context, 'env'>,
): Settings | undefined {
  const config = privateConfig(context);
  const lastValue = (flag: string) => commandLine.flagValues.get(flag)?.at(-1);
  const flags: Flags = {
    profile: lastValue('--profile'),
    baseUrl: lastValue('--base-url'),
    apiPrefix: lastValue('--api-prefix'),
    ...(commandLine.flagValues.has('--sandbox') && { sandbox: true }),
  };
  return config && resolveSettings({ flags, environment: context.env, config });
}

function fileExists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function isPrivate(path: string): boolean {
  return process.platform === 'win32' || (statSync(path).mode & 0o077) === 0;
}

export interface RecordOptions {
  /** Whether to read deleted records instead of active ones, for `restore`. */
  deleted: boolean;
  /** Aborting it cancels the requests. */
  signal: AbortSignal;
  /** Called before a request, with the cache that will store its response. */
  onRequest(cache: RecordCache): void;
}

export type RequestOptions = Pick<RecordOptions, 'signal' | 'onRequest'>;

/** Returns a source of records that the API doesn't list. Their names come from earlier responses. */
function referenceSource(
  target: string,
  settings: Settings | undefined,
  requestOptions: RequestOptions,
  context: Context,
): CandidateSource {
  const noun = context.api.nounOf(target);
  return async (text) => {
    if (!settings) return [];
    const records = await readCachedOrRequest(
      `${target} known`,
      settings,
      requestOptions,
      context,
      async (session) =>
        (await session.names.references(target)).map(({ id, name }) => ({ id, title: name, names: [name] })),
    );
    return text.startsWith('@') ? nameCandidates(records, text) : idCandidates(noun, true, records, text);
  };
}

/** Returns a source of the records of a resource. It is empty if the settings don't name a service. */
function recordSource(
  resource: Resource,
  settings: Settings | undefined,
  options: RecordOptions,
  context: Context,
): CandidateSource {
  return async (text) => {
    if (!settings) return [];
    const readWith = (filters: Filters) => readListedRecords(resource, filters, settings, options, context);
    if (!text.startsWith('@')) {
      return idCandidates(resource.noun, resource.key.length > 0, await readWith({}), text);
    }
    const matches = nameCandidates(await readWith(nameFilter(resource, text)), text);
    return matches.length > 0 ? matches : nameCandidates(await readWith({}), text);
  };
}

type Filters = Readonly<Record<string, string>>;

/** Returns a filter for records whose name contains the text; empty if the API doesn't have such a filter. */
function nameFilter(resource: Resource, text: string): Filters {
  const name = text.slice(1);
  const filter = resource.filters.find(
    ({ name, match }) => resource.key.includes(name) && match === 'contains',
  );
  return filter && /\p{L}/u.test(name) ? { [filter.name]: name } : {};
}

function readListedRecords(
  resource: Resource,
  filters: Filters,
  settings: Settings,
  { deleted, ...requestOptions }: RecordOptions,
  context: Context,
): Promise<readonly CachedRecord[]> {
  const list = operation(resource, 'list');
  if (!list) return Promise.resolve([]);
  const requestKey = `${resource.name} ${JSON.stringify({ ...filters, deleted })}`;
  return readCachedOrRequest(requestKey, settings, requestOptions, context, async (session) => {
    const page = session.list(
      { operation: list, query: { filters } },
      { isFirstPageOnly: true, deletedOnly: deleted },
    );
    const rows = await Array.fromAsync(page.rows());
    return rows.flatMap((row) => recordOf(resource, row));
  });
}

/** Returns the records of a request, from the cache if they are recent. `requestKey` identifies the request. */
async function readCachedOrRequest(
  requestKey: string,
  settings: Settings,
  { signal, onRequest }: RequestOptions,
  context: Context,
  readRecords: (session: Session) => Promise<CachedRecord[]>,
): Promise<readonly CachedRecord[]> {
  if (!canRequest(settings, context)) return [];
  // The sandbox runs in this process, which is faster than reading a cache file.
  const cache = settings.sandbox === undefined ? cacheFor(requestKey, settings, context) : undefined;
  const cachedRecords = cache?.get();
  if (cachedRecords) return cachedRecords;
  if (cache) onRequest(cache);
  const records = await readRecords(await context.sessionFor(settings, signal));
  cache?.put(records);
  return records;
}

function recordOf({ key }: Resource, row: Row): CachedRecord[] {
  if (typeof row.id !== 'string') return [];
  const names = key.map((name) => row[name]).filter((value) => value != null && value !== '');
  return [{ id: row.id, title: inferTitle(row), names: names.map(String) }];
}

function cacheFor(
  requestKey: string,
  { token, baseUrl, apiPrefix }: Settings,
  { env }: Context,
): RecordCache {
  return openRecordCache(env, [baseUrl, apiPrefix, token?.reveal()].join('\n'), requestKey);
}

/** Returns whether a request is possible. Completion never creates a sandbox. */
function canRequest({ sandbox, baseUrl, token }: Settings, { env }: Context): boolean {
  if (sandbox !== undefined) return existsSync(sandboxFile(env, sandbox));
  return baseUrl !== undefined && token !== undefined;
}

function idCandidates(
  noun: string,
  hasNames: boolean,
  records: readonly CachedRecord[],
  text: string,
): Candidate[] {
  const nameHint = { value: '@', about: `${noun} by name` };
  const ids = records.map(({ id, title }) => ({ value: id, ...(title !== id && { about: title }) }));
  return text === '' && hasNames && ids.length > 0 ? [...ids, nameHint] : ids;
}

/** Returns candidates for names: one name for each record if the text is only `@`, otherwise all matching names. */
function nameCandidates(records: readonly CachedRecord[], text: string): Candidate[] {
  return records.flatMap(({ id, title, names }) => {
    const mainName = names.includes(title) ? title : names[0];
    const candidateNames = text === '@' ? names.filter((name) => name === mainName) : names;
    const matches = candidateNames.filter((name) => `@${name}`.startsWith(text));
    return matches.map((name) => ({ value: `@${name}`, about: name === title ? id : title }));
  });
}

/** The part of a record that completion needs. */
export interface CachedRecord {
  id: string;
  title: string;
  /** The values of its natural key. */
  names: readonly string[];
}

/** The cached response to one request. */
export interface RecordCache {
  /** Returns the records; undefined if they aren't cached or are too old. */
  get(): readonly CachedRecord[] | undefined;
  put(records: readonly CachedRecord[]): void;
  /** Returns whether to send the request in the background. Returns false if another process sent it in the last seconds. */
  claim(): boolean;
}

const maxAgeMs = 5 * 60_000;
const maxClaimAgeMs = 10_000;

/** Opens the cache of a request to an account. `account` contains a token, so the file has only its hash. */
export function openRecordCache(environment: Environment, account: string, requestKey: string): RecordCache {
  const key = createHash('sha256').update(`${account}\n${requestKey}`).digest('hex').slice(0, 32);
  const open = <Content>(name: string, lifetimeMs: number) =>
    openAccountCache(environment, key, {
      name,
      lifetimeMs,
      isContent: (value): value is Content => value !== undefined,
    });
  const names = open<readonly CachedRecord[]>(namesCacheName, maxAgeMs);
  const claims = open<true>('completion-requests.json', maxClaimAgeMs);
  return {
    get: names.get,
    put: names.put,
    claim() {
      const isFree = claims.get() === undefined;
      if (isFree) claims.put(true);
      return isFree;
    },
  };
}
