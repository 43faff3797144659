/** Entries of the history for commands: the flags that select them, their JSON and table cells, and prompts for one of them. */

import type { Api } from '../../../api/contract/api.ts';
import { formatTimestamp, parseFilterTime } from '../../../api/contract/date-time.ts';
import { Failure } from '../../../base/errors.ts';
import { timeInZone } from '../../../base/local-time-zone.ts';
import { formatCount } from '../../../base/shown-items.ts';
import type { Entry } from '../../../engine/history/journal/entry.ts';
import type { Journal } from '../../../engine/history/journal/journal.ts';
import { type EntryFilter, entries } from '../../../engine/history/journal/reading.ts';
import type { Context } from '../../context/context.ts';
import { shownTimeZone } from '../../output/times.ts';
import { promptsFor } from '../../prompts/terminal/prompts.ts';
import type { Choice } from '../../prompts/terminal/questions.ts';
import { type FlagsOf, refuseFlags, under } from '../flags/flag-table.ts';
import { resolveResource } from '../flags/shared-flags.ts';

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
  undoes: string | null;
  /** The name of the change set, if the write started or ended it. */
  change: string | null;
  forgotten: boolean;
  [now: string]: unknown;
}

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
    undoes: command?.takesBack ?? null,
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

export const entryFlags = under('Entries:', [
  ['--since <time>', 'only writes since this time: 7d, 12h, 2026-11-20, 2026-11-20T08:00Z'],
  ['--by <user>', 'only writes of this user (name or ID) or profile'],
  ['--field <name>', 'only writes to this field'],
  ['--run <run>', 'only writes of this run'],
]);

/** The flags that select entries, not yet validated. */
export type EntryFilterFlags = FlagsOf<typeof entryFlags>;

/** Returns the filter from arguments and flags. Throws a usage failure with all problems. */
export async function parseEntryFilter(
  [resourceName, id]: readonly (string | undefined)[],
  { since, run, field, by }: EntryFilterFlags,
  context: Context,
): Promise<EntryFilter> {
  const sinceTime = since === undefined ? undefined : parseFilterTime(since, context.now());
  if (since !== undefined && !sinceTime)
    refuseFlags({ since: ['--since must be an age (7d, 12h), a day, or an ISO 8601 time with a zone'] });
  const resource = resourceName === undefined ? undefined : resolveResource(resourceName, context.api);
  const isName = id?.startsWith('@') === true;
  return {
    resource: resource?.name,
    id:
      resource && id !== undefined && isName
        ? await (await context.session()).names.idOf(resource.name, id)
        : id,
    since: sinceTime?.getTime(),
    run,
    field: field?.replaceAll('-', '_'),
    by,
  };
}

/** Maximum number of writes in a prompt, newest first. Older writes can be named by their number. */
const maxPromptEntries = 500;

/** Prompts for a write. Returns its number. */
export async function pickWrite(journal: Journal | undefined, context: Context): Promise<string> {
  const zone = await shownTimeZone(context, 'err');
  const choices = newestEntries(journal).map((entry): Choice<string> => {
    const { at, user, profile, fields, outcome } = entryToJson(entry);
    const description = [describeWrite(entry, context.api), fields.join(', ')].filter(Boolean).join(': ');
    return {
      value: String(entry.number),
      key: String(entry.number),
      label: `${entry.number}  ${timeInZone(at, zone)}  ${description}${outcome === 'done' ? '' : ` (${outcome})`}`,
      description: entry.command?.line ?? '',
      searchText: `${user ?? ''} ${profile ?? ''} ${entry.command?.line ?? ''}`,
    };
  });
  return pickFrom(choices, 'Which write to show?', context);
}

/** Prompts for a command or run that changed records. Returns the ID of its run. */
export async function pickRecordedRun(journal: Journal | undefined, context: Context): Promise<string> {
  const sentWrites = newestEntries(journal).filter(({ outcome }) => outcome !== 'refused');
  const runs = Map.groupBy(sentWrites, ({ run }) => run);
  const zone = await shownTimeZone(context, 'err');
  const choices = [...runs].flatMap(([run, [first, ...otherWrites]]): Choice<string>[] => {
    if (!first) return [];
    const { at, user, profile, command } = entryToJson(first);
    const count = otherWrites.length + 1;
    const description = count === 1 ? describeWrite(first, context.api) : `${formatCount(count)} writes`;
    return [
      {
        value: run,
        key: run,
        label: `${timeInZone(at, zone)}  ${description}${command === null || count === 1 ? '' : `: ${command}`}`,
        description: command ?? '',
        searchText: `${run} ${user ?? ''} ${profile ?? ''} ${command ?? ''}`,
      },
    ];
  });
  return pickFrom(choices, 'Which writes to undo?', context);
}

function newestEntries(journal: Journal | undefined): Entry[] {
  return journal ? [...entries(journal, {}).take(maxPromptEntries)] : [];
}

async function pickFrom(
  choices: readonly Choice<string>[],
  message: string,
  { streams }: Context,
): Promise<string> {
  if (choices.length === 0) throw new Failure('not_found', 'No writes in the history of this account.');
  return (await promptsFor(streams)).pick({ message, entries: choices });
}
