/** Completes IDs, and names after an @, with records from the service or the sandbox. */
import { existsSync } from 'node:fs';
import type { Row } from '../../client/shape.ts';
import type { Context } from '../../context/context.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { titleOf } from '../../output/wording.ts';
import { sandboxFile } from '../../sandbox/store/sandbox-files.ts';
import type { Session } from '../../session/session.ts';
import type { Settings } from '../../settings/settings.ts';
import type { Candidate, Source } from './candidate.ts';
import { type KnownRecord, openRecordCache, type RecordCache } from './record-cache.ts';

/** Which records to read, and how. */
export interface RecordOptions {
  /** Whether to read deleted records, for `restore`, instead of active ones. */
  deleted: boolean;
  /** Aborting it cancels the requests. */
  until: AbortSignal;
  /** Called before a request, with the cache that will store its response. */
  onAsk(cache: RecordCache): void;
}

/** How requests are sent. */
export type Asking = Pick<RecordOptions, 'until' | 'onAsk'>;

/** Returns a source of known records that the API has no list of. */
export function referenceSource(
  target: string,
  settings: Settings | undefined,
  asking: Asking,
  context: Context,
): Source {
  const noun = context.api.nounOf(target);
  return async (typed) => {
    if (!settings) return [];
    const records = await cached(`${target} known`, settings, asking, context, async (session) =>
      (await session.references(target)).map(({ id, name }) => ({ id, title: name, names: [name] })),
    );
    return typed.startsWith('@') ? byName(records, typed) : byId(noun, true, records, typed);
  };
}

/** Returns a source of the records of a resource. It is empty if the settings name no service. */
export function recordSource(
  resource: Resource,
  settings: Settings | undefined,
  options: RecordOptions,
  context: Context,
): Source {
  return async (typed) => {
    if (!settings) return [];
    const ask = (filters: Filters) => recordsOf(resource, filters, settings, options, context);
    if (!typed.startsWith('@')) {
      return byId(resource.noun, resource.key.length > 0, await ask({}), typed);
    }
    const found = byName(await ask(nameFilter(resource, typed)), typed);
    return found.length > 0 ? found : byName(await ask({}), typed);
  };
}

type Filters = Readonly<Record<string, string>>;

/** Returns a filter for records whose name contains the typed text; no filter if the API has none. */
function nameFilter(resource: Resource, typed: string): Filters {
  const begun = typed.slice(1);
  const searched = resource.filters.find(
    ({ name, match }) => resource.key.includes(name) && match === 'contains',
  );
  return searched && /\p{L}/u.test(begun) ? { [searched.name]: begun } : {};
}

function recordsOf(
  resource: Resource,
  filters: Filters,
  settings: Settings,
  { deleted, ...asking }: RecordOptions,
  context: Context,
): Promise<readonly KnownRecord[]> {
  const list = operation(resource, 'list');
  if (!list) return Promise.resolve([]);
  const what = `${resource.name} ${JSON.stringify({ ...filters, deleted })}`;
  return cached(what, settings, asking, context, async (session) => {
    const reading = session.list(
      { operation: list, query: { filters } },
      { isFirstPageOnly: true, deletedOnly: deleted },
    );
    const rows = await Array.fromAsync(reading.rows());
    return rows.flatMap((row) => known(resource, row));
  });
}

/** Returns the records of a request, from the cache if it is recent. */
async function cached(
  what: string,
  settings: Settings,
  { until, onAsk }: Asking,
  context: Context,
  ask: (session: Session) => Promise<KnownRecord[]>,
): Promise<readonly KnownRecord[]> {
  if (!canRequest(settings, context)) return [];
  // The sandbox runs in this process, faster than a cache file.
  const cache = settings.sandbox === undefined ? cacheFor(what, settings, context) : undefined;
  const before = cache?.get();
  if (before) return before;
  if (cache) onAsk(cache);
  const records = await ask(await context.sessionFor(settings, until));
  cache?.put(records);
  return records;
}

function known({ key }: Resource, row: Row): KnownRecord[] {
  if (typeof row.id !== 'string') return [];
  const names = key.map((name) => row[name]).filter((value) => value != null && value !== '');
  return [{ id: row.id, title: titleOf(row), names: names.map(String) }];
}

function cacheFor(what: string, { token, baseUrl, apiPrefix }: Settings, { env }: Context): RecordCache {
  return openRecordCache(env, [baseUrl, apiPrefix, token?.reveal()].join('\n'), what);
}

/** Returns whether a request is possible. Completion never creates a sandbox. */
function canRequest({ sandbox, baseUrl, token }: Settings, { env }: Context): boolean {
  if (sandbox !== undefined) return existsSync(sandboxFile(env, sandbox));
  return baseUrl !== undefined && token !== undefined;
}

function byId(noun: string, hasNames: boolean, records: readonly KnownRecord[], typed: string): Candidate[] {
  const byItsName = { value: '@', about: `${noun} by name` };
  const ids = records.map(({ id, title }) => ({ value: id, ...(title !== id && { about: title }) }));
  return typed === '' && hasNames && ids.length > 0 ? [...ids, byItsName] : ids;
}

/** Returns candidates by name: the title if it can be looked up, else the first name; other names once typed. */
function byName(records: readonly KnownRecord[], typed: string): Candidate[] {
  return records.flatMap(({ id, title, names }) => {
    const main = names.includes(title) ? title : names[0];
    const shown = typed === '@' ? names.filter((name) => name === main) : names;
    const begun = shown.filter((name) => `@${name}`.startsWith(typed));
    return begun.map((name) => ({ value: `@${name}`, about: name === title ? id : title }));
  });
}
