/** An entry of the history as programs read it, and in the words of a table. */

import type { Api } from '../../contract/api.ts';
import { formatTimestamp } from '../../contract/moment.ts';
import type { Entry } from '../../history/journal/entry.ts';

/** What `boh history -o json` gives; `now` is there where it was read. */
export interface ShownEntry {
  number: number;
  /** In UTC, `YYYY-MM-DD HH:MM:SS`. */
  at: string;
  run: string;
  command: string | null;
  profile: string | null;
  business: string | null;
  user: string | null;
  /** By the API's own name; null for a request that the contract doesn't know. */
  resource: string | null;
  verb: string | null;
  ids: readonly string[];
  fields: readonly string[];
  outcome: Entry['outcome'];
  error: { category: string; message: string } | null;
  request: { method: string; target: string; body: unknown } | null;
  before: unknown;
  /** Why nothing is known of what was there before. */
  before_missing: string | null;
  after: unknown;
  /** What it takes back, where it is part of an undo. */
  takes_back: string | null;
  forgotten: boolean;
  [now: string]: unknown;
}

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
    forgotten: entry.isForgotten,
  };
}

/** All ids in the path; of a new record the one that it was given. */
export function idsOf({ sent, id }: Entry): readonly string[] {
  const ids = sent?.ids ?? [];
  return ids.length > 0 || id === null ? ids : [id];
}

/** `inventory-items update 42`, `POST /x` */
export function whatOf(entry: Entry, api: Api): string {
  const name = nameOf(entry, api);
  return name === undefined ? requestOf(entry) : [name, entry.verb, ...shownIds(entry)].join(' ');
}

/** The same in two columns, beginning with what was done: a cut of it leaves as much as possible, and the ids whole. */
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

/** Of what the contract doesn’t know. */
function requestOf({ isForgotten, sent }: Entry): string {
  const { method, target } = sent?.request ?? {};
  return isForgotten ? '(forgotten)' : `${method} ${target}`;
}
