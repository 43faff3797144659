/** Entries as their rows hold them. What can’t be one was put there by something else than boh: the file is damaged. */
import { isRow, isTexts } from '../../session/row.ts';
import type { Database, StoredRow } from '../../storage/database.ts';
import { type Check, jsonIn } from '../../storage/json-cell.ts';
import type { CommandContent, Entry, EntryContent, EntryOutcome, OutcomeContent } from './entry.ts';

/** What an entry is about, without what it holds: many of them are read in the time of one. */
export type Outline = Pick<Entry, 'number' | 'verb' | 'fields' | 'outcome'>;

/** Of a row with these columns. Throws the failure that the file is damaged. */
export function outlineIn(row: StoredRow, database: Database): Outline {
  return {
    number: Number(row.number),
    verb: textIn(row, 'verb'),
    fields: jsonIn(row.fields, database, isTexts),
    outcome: (row.outcome as EntryOutcome | null) ?? 'unknown',
  };
}

export function entryIn(row: StoredRow, database: Database): Entry {
  const at = Number(row.at);
  if (Number.isNaN(new Date(at).getTime())) throw database.damaged();
  const content = <Value>(name: string, isOne: Check<Value>): Value | undefined =>
    row[name] == null ? undefined : jsonIn(row[name], database, isOne);
  const sent = content('sent', isEntryContent);
  return {
    ...outlineIn(row, database),
    at,
    run: String(row.run),
    command: content('command', isCommandContent),
    business: textIn(row, 'business_name') ?? textIn(row, 'business'),
    user: textIn(row, 'user_name') ?? textIn(row, 'user'),
    resource: textIn(row, 'resource'),
    id: textIn(row, 'id'),
    sent,
    answered: content('answered', isOutcomeContent),
    isForgotten: sent === undefined,
  };
}

function textIn(row: StoredRow, name: string): string | null {
  return row[name] == null ? null : String(row[name]);
}

export function isCommandContent(value: unknown): value is CommandContent {
  return isRow(value) && typeof value.line === 'string';
}

function isEntryContent(value: unknown): value is EntryContent {
  return isRow(value) && isTexts(value.ids) && isRow(value.request);
}

function isOutcomeContent(value: unknown): value is OutcomeContent {
  return isRow(value);
}

/** Of a mark that names links, by table and key: `entries 12`; and seals what is left of each. */
export function namesLinks(value: unknown): value is { links: string[]; seals?: string[] } {
  return isRow(value) && isTexts(value.links) && (value.seals === undefined || isTexts(value.seals));
}
