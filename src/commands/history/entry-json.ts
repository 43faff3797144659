/** Converts entries of the history to JSON and to table cells. */

import type { Api } from '../../contract/api.ts';
import { formatTimestamp } from '../../contract/date-time.ts';
import type { Entry } from '../../history/journal/entry.ts';

/** The JSON of an entry in `boh history -o json`; `now` is present if it was read. */
export interface EntryJson {
  number: number;
  /** The time of the write in UTC, `YYYY-MM-DD HH:MM:SS`. */
  at: string;
  run: string;
  command: string | null;
  profile: string | null;
  business: string | null;
  user: string | null;
  /** The API's name of the resource; null for a request that the contract doesn't define. */
  resource: string | null;
  verb: string | null;
  ids: readonly string[];
  fields: readonly string[];
  outcome: Entry['outcome'];
  error: { category: string; message: string } | null;
  request: { method: string; target: string; body: unknown } | null;
  before: unknown;
  /** The reason why `before` is unknown. */
  before_missing: string | null;
  after: unknown;
  /** The write or run that was undone, if the write is part of an undo. */
  takes_back: string | null;
  /** The name of the change set, if the write started or ended it. */
  change: string | null;
  forgotten: boolean;
  [now: string]: unknown;
}

/** Returns an entry as JSON. */
export function entryToJson(entry: Entry): EntryJson {
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

/** Returns all IDs in the path of a write; for a create, the ID of the new record. */
export function idsOf({ sent, id }: Entry): readonly string[] {
  const ids = sent?.ids ?? [];
  return ids.length > 0 || id === null ? ids : [id];
}

/** Returns a write as text: `inventory-items update 42`, or `POST /x` for a request that the contract doesn't define. */
export function describeWrite(entry: Entry, api: Api): string {
  const name = nameOf(entry, api);
  return name === undefined ? requestLineOf(entry) : [name, entry.verb, ...displayedIds(entry)].join(' ');
}

/** Returns a write as two table cells. The verb is first, so that a cut cell still has it. IDs have their own column, so that they aren't cut. */
export function writeCells(entry: Entry, api: Api): { what: string; id: string | null } {
  const name = nameOf(entry, api);
  if (name === undefined) return { what: requestLineOf(entry), id: null };
  return { what: `${entry.verb} ${name}`, id: displayedIds(entry).join(' ') };
}

function nameOf({ resource }: Entry, api: Api): string | undefined {
  return resource === null ? undefined : (api.resource(resource)?.command ?? resource);
}

function displayedIds(entry: Entry): readonly string[] {
  return entry.isForgotten ? ['(forgotten)'] : idsOf(entry);
}

/** Returns the request line of a write that the contract doesn't define. */
function requestLineOf({ isForgotten, sent }: Entry): string {
  const { method, target } = sent?.request ?? {};
  return isForgotten ? '(forgotten)' : `${method} ${target}`;
}
