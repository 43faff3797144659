/** Completes IDs, and names after @, with records from the service or the sandbox. */
import { existsSync } from 'node:fs';
import type { Row } from '../../client/shape.ts';
import type { Context } from '../../context/context.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { inferTitle } from '../../output/wording.ts';
import { sandboxFile } from '../../sandbox/store/sandbox-files.ts';
import type { Session } from '../../session/session.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Candidate, CandidateSource } from './candidate.ts';
import { type CachedRecord, openRecordCache, type RecordCache } from './record-cache.ts';

/** Options for reading records. */
export interface RecordOptions {
  /** Whether to read deleted records instead of active ones, for `restore`. */
  deleted: boolean;
  /** Aborting it cancels the requests. */
  signal: AbortSignal;
  /** Called before a request, with the cache that will store its response. */
  onRequest(cache: RecordCache): void;
}

/** Options for requests. */
export type RequestOptions = Pick<RecordOptions, 'signal' | 'onRequest'>;

/** Returns a source of records that the API doesn't list. Their names come from earlier responses. */
export function referenceSource(
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
export function recordSource(
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
