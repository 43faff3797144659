/** Converts stored rows to entries. An invalid row means that the file is damaged. */
import { isRow, isStringArray } from '../../../account/session/row.ts';
import type { Database, StoredRow } from '../../../base/storage/database.ts';
import { parseJsonCell, type ShapeCheck } from '../../../base/storage/json-cell.ts';
import type { CommandContent, Entry, EntryContent, EntryOutcome, OutcomeContent } from './entry.ts';

/** Returns the entry of a row. Throws the storage failure for a damaged file. */
export function entryIn(row: StoredRow, database: Database): Entry {
  const at = Number(row.at);
  if (Number.isNaN(new Date(at).getTime())) throw database.damagedFailure();
  const contentOf = <Value>(name: string, isShape: ShapeCheck<Value>): Value | undefined =>
    row[name] == null ? undefined : parseJsonCell(row[name], database, isShape);
  const sent = contentOf('sent', isEntryContent);
  const command = contentOf('command', isCommandContent);
  const { business, user } = command ?? {};
  return {
    number: Number(row.number),
    at,
    run: String(row.run),
    command,
    business: business?.name ?? business?.id ?? null,
    user: user?.name ?? user?.id ?? null,
    resource: textIn(row, 'resource'),
    verb: textIn(row, 'verb'),
    id: textIn(row, 'id'),
    fields: parseJsonCell(row.fields, database, isStringArray),
    sent,
    outcome: (row.outcome as EntryOutcome | null) ?? 'unknown',
    answered: contentOf('answered', isOutcomeContent),
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
  return isRow(value) && isStringArray(value.ids) && isRow(value.request);
}

function isOutcomeContent(value: unknown): value is OutcomeContent {
  return isRow(value);
}
