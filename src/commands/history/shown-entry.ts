/** An entry of the history as JSON, and as cells of a table. */

import type { Api } from '../../contract/api.ts';
import { formatTimestamp } from '../../contract/moment.ts';
import type { Entry } from '../../history/journal/entry.ts';

/** An entry as `boh history -o json` prints it; `now` is present if it was read. */
export interface ShownEntry {
  number: number;
  /** In UTC, `YYYY-MM-DD HH:MM:SS`. */
  at: string;
  run: string;
  command: string | null;
  profile: string | null;
  business: string | null;
  user: string | null;
  /** The API's name of the resource. Null for a request that the contract doesn't know. */
  resource: string | null;
  verb: string | null;
  ids: readonly string[];
  fields: readonly string[];
  outcome: Entry['outcome'];
  error: { category: string; message: string } | null;
  request: { method: string; target: string; body: unknown } | null;
  before: unknown;
  /** Why `before` is unknown. */
  before_missing: string | null;
  after: unknown;
  /** What was undone, if the write is part of an undo. */
  takes_back: string | null;
  /** The name of the change set that it began or ended. */
  change: string | null;
  forgotten: boolean;
  [now: string]: unknown;
}

/** Returns an entry as JSON. */
export function shownEntry(entry: Entry): ShownEntry {
  const { number, at, run, command, business, user, resource, verb, fields, outcome, sent, answered } = entry;
  return {
    number,
    at: formatTimestamp(new Date(at)),
    run,
    command: command?.line ?? null,
    profile: command?.profile ?? null,
    business,
    user,
    resource,
    verb,
    ids: idsOf(entry),
    fields,
    outcome,
    error: answered?.error ?? null,
    request: sent?.request ?? null,
    before: sent?.before ?? null,
    before_missing: sent?.missing ?? null,
    after: answered?.after ?? null,
    takes_back: command?.takesBack ?? null,
    change: command?.change ?? null,
    forgotten: entry.isForgotten,
  };
}

/** Returns all IDs in the path of a write; of a creation the ID of the new record. */
export function idsOf({ sent, id }: Entry): readonly string[] {
  const ids = sent?.ids ?? [];
  return ids.length > 0 || id === null ? ids : [id];
}

/** Returns what was done: `inventory-items update 42`, or `POST /x` for a request that the contract doesn't know. */
export function whatOf(entry: Entry, api: Api): string {
  const name = nameOf(entry, api);
  return name === undefined ? requestOf(entry) : [name, entry.verb, ...shownIds(entry)].join(' ');
}

/** Returns what was done as two cells of a table: the verb comes first, so that a cut cell still has it, and IDs stay whole. */
export function whatInShort(entry: Entry, api: Api): { what: string; id: string | null } {
  const name = nameOf(entry, api);
  if (name === undefined) return { what: requestOf(entry), id: null };
  return { what: `${entry.verb} ${name}`, id: shownIds(entry).join(' ') };
}

function nameOf({ resource }: Entry, api: Api): string | undefined {
  return resource === null ? undefined : (api.resource(resource)?.command ?? resource);
}

function shownIds(entry: Entry): readonly string[] {
  return entry.isForgotten ? ['(forgotten)'] : idsOf(entry);
}

/** Returns the request line of a write that the contract doesn't know. */
function requestOf({ isForgotten, sent }: Entry): string {
  const { method, target } = sent?.request ?? {};
  return isForgotten ? '(forgotten)' : `${method} ${target}`;
}
