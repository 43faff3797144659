/** Ids with the names of their records, and names after an @, from the service or the sandbox. */
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

export interface RecordOptions {
  /** For `restore`: deleted records instead of active ones. */
  deleted: boolean;
  /** What has not come when it aborts doesn't come. */
  until: AbortSignal;
  /** Told before the service is asked, of what will keep its answer. */
  onAsk(cache: RecordCache): void;
}

/** What is not done when `until` aborts doesn’t come; `onAsk` is told of what will keep the answer. */
export type Asking = Pick<RecordOptions, 'until' | 'onAsk'>;

/** Records that the API has no list of, as far as their names are known. */
export function referenceSource(
  target: string,
  settings: Settings | undefined,
  asking: Asking,
  context: Context,
): Source {
  const noun = context.api.nounOf(target);
  return async (typed) => {
    if (!settings) return [];
    const records = await kept(`${target} known`, settings, asking, context, async (session) =>
      (await session.references(target)).map(({ id, name }) => ({ id, title: name, names: [name] })),
    );
    return typed.startsWith('@') ? byName(records, typed) : byId(noun, true, records, typed);
  };
}

/** Empty where the settings name no service that could be asked. */
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

/** The service finds those whose name holds what is begun; of anything else there is the first page. */
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
  return kept(what, settings, asking, context, async (session) => {
    const reading = session.list(
      { operation: list, query: { filters } },
      { isFirstPageOnly: true, deletedOnly: deleted },
    );
    const rows = await Array.fromAsync(reading.rows());
    return rows.flatMap((row) => known(resource, row));
  });
}

/** The answer to a question, from the cache where it has been asked within minutes. */
async function kept(
  what: string,
  settings: Settings,
  { until, onAsk }: Asking,
  context: Context,
  ask: (session: Session) => Promise<KnownRecord[]>,
): Promise<readonly KnownRecord[]> {
  if (!canBeAsked(settings, context)) return [];
  // The sandbox is in this process, and quicker than a file would be.
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

/** Completion makes no sandbox, and has no token but the one that is there. */
function canBeAsked({ sandbox, baseUrl, token }: Settings, { env }: Context): boolean {
  if (sandbox !== undefined) return existsSync(sandboxFile(env, sandbox));
  return baseUrl !== undefined && token !== undefined;
}

function byId(noun: string, hasNames: boolean, records: readonly KnownRecord[], typed: string): Candidate[] {
  const byItsName = { value: '@', about: `${noun} by its name` };
  const ids = records.map(({ id, title }) => ({ value: id, ...(title !== id && { about: title }) }));
  return typed === '' && hasNames && ids.length > 0 ? [...ids, byItsName] : ids;
}

/** The title where it is a name that can be looked up, else the first name; others once they are begun. */
function byName(records: readonly KnownRecord[], typed: string): Candidate[] {
  return records.flatMap(({ id, title, names }) => {
    const main = names.includes(title) ? title : names[0];
    const shown = typed === '@' ? names.filter((name) => name === main) : names;
    const begun = shown.filter((name) => `@${name}`.startsWith(typed));
    return begun.map((name) => ({ value: `@${name}`, about: name === title ? id : title }));
  });
}
