/** Chooses the row of the account for each declared record, or reports a mistake; and compares the keys of new records. */
import {
  formatCountedCandidates,
  isCodeKey,
  KeyIndex,
  keyTexts,
} from '../../../account/session/record-key.ts';
import type { Row } from '../../../account/session/row.ts';
import type { Spellings } from '../../../account/session/spellings.ts';
import { type Declared, formatRecordKey } from '../declared/declared.ts';
import { duplicateMessage } from '../declared/parse-records.ts';
import type { Mistakes } from '../source/mistakes.ts';
import { formatLocation } from '../source/node.ts';
import type { RecordLookup } from './lookups.ts';

/** A declared record with its lookups: by its key and by its former key. */
export interface DeclaredLookup {
  record: Declared;
  key: RecordLookup | undefined;
  old: RecordLookup | undefined;
  /** The lookup by the temporary name that an interrupted apply left, if records swap names. */
  temporary?: RecordLookup | undefined;
  /** The lookups by the other natural keys, for rows that don't have the first one. */
  others: readonly RecordLookup[];
}

/** The key by which a record is matched: its current or its former key. */
export type KeySide = 'key' | 'old';

/** Returns the matching row; undefined without a match. `side` is the result of `chooseRenameSides`. */
export function chooseRow(
  { record, key, old, temporary }: DeclaredLookup,
  side: KeySide | undefined,
  mistakes: Mistakes,
): Row | undefined {
  if (temporary?.matches.length === 1) return temporary.matches[0];
  if (key?.matches.length === 1 && !old) return key.matches[0];
  const [rows, oldKeyRows] = [key?.matches ?? [], old?.matches ?? []];
  if (side) return side === 'key' ? rows[0] : oldKeyRows[0];
  if (rows.length > 1) {
    mistakes.add(
      record.location,
      `${formatRecordKey(record)} matches ${formatCountedCandidates(record.resource, rows)}: choose fields with $key that identify one`,
    );
  }
  const isOtherRecord = oldKeyRows.some(({ id }) => id !== rows[0]?.id);
  if (rows.length > 0 && isOtherRecord) {
    mistakes.add(
      record.location,
      `${formatRecordKey(record)} already exists, and so does the record that it is renamed from: rename or delete one of them, or remove $renamed_from`,
    );
  }
  if (oldKeyRows.length > 1)
    mistakes.add(
      record.location,
      `$renamed_from matches ${formatCountedCandidates(record.resource, oldKeyRows)}`,
    );
  return rows[0] ?? oldKeyRows[0];
}

/**
 * Returns the matching deleted row, which is restored. If several deleted rows have the key, none is restored, because the choice
 * is the user's.
 */
export function chooseDeletedRow(
  { record, key, old }: DeclaredLookup,
  mistakes: Mistakes,
  onNote: (note: string) => void,
): Row | undefined {
  const [rows, oldKeyRows] = [key?.matches ?? [], old?.matches ?? []];
  const [first, ...otherRows] = rows;
  if (otherRows.length > 0) {
    const { resource } = record;
    onNote(
      `${formatRecordKey(record)} would be a new ${resource.noun}, because several deleted records have this key: ${formatCountedCandidates(resource, rows)}. To restore one instead: boh ${resource.command} restore ID`,
    );
    return undefined;
  }
  if (first) return first;
  if (oldKeyRows.length > 1) {
    mistakes.add(
      record.location,
      `$renamed_from matches ${formatCountedCandidates(record.resource, oldKeyRows)}, all deleted: restore the right one (boh ${record.resource.command} restore ID)`,
    );
  }
  return oldKeyRows[0];
}

/** Adds a mistake for two declared records with different key fields that match the same row. */
export function addDuplicateMistakes(
  lookups: readonly DeclaredLookup[],
  rows: ReadonlyMap<Declared, Row>,
  mistakes: Mistakes,
): void {
  const recordsById = new Map<unknown, Declared>();
  for (const { record } of lookups) {
    const id = rows.get(record)?.id;
    if (id === undefined) continue;
    const other = recordsById.get(id);
    if (other) mistakes.add(...duplicateMistake(record, other));
    recordsById.set(id, record);
  }
}

function duplicateMistake(
  record: Declared,
  other: Declared,
): [location: Declared['location'], message: string] {
  if (record.oldKey && !other.oldKey) return [record.location, keyConflictMessage(record, other)];
  if (other.oldKey && !record.oldKey) return [other.location, keyConflictMessage(other, record)];
  return [record.location, duplicateMessage(record, other)];
}

/** Returns the message about a rename whose former key is declared, too. */
function keyConflictMessage(record: Declared, other: Declared): string {
  const old = formatRecordKey({ resource: record.resource, key: record.oldKey ?? record.key });
  return `is renamed from ${old}, which ${formatLocation(other.location)} also declares: apply the rename first, then declare a new record with the old key`;
}

/** Uses the rows with another spelling of a key that no row has, and reports each that is the only one. */
export function useFoldedRows(lookups: readonly DeclaredLookup[], spellings: Spellings): void {
  for (const { record, key: lookup, old } of lookups) {
    if (!lookup || lookup.matches.length > 0 || (old && old.matches.length > 0)) continue;
    lookup.matches = lookup.folded;
    const [row, ...others] = lookup.folded;
    if (row && others.length === 0)
      spellings.add({ written: formatRecordKey(record), stored: keyTexts(row, lookup.key) });
  }
}

/**
 * Adds a mistake for each new record whose key is a spelling of another one, or similar to an existing code. Reports other
 * similar keys. A comparison (without `mistakes`) only has reports.
 */
export function checkNewKeys(
  lookups: readonly DeclaredLookup[],
  rowOf: (record: Declared) => Row | undefined,
  spellings: Spellings,
  mistakes: Mistakes | undefined,
): void {
  const index = new KeyIndex<Declared>();
  for (const { record, key: lookup } of lookups) {
    if (!lookup || rowOf(record) || record.isAbsent) continue;
    const { key, values, similar } = lookup;
    const { same, folded, similar: similarRecords } = index.related(values);
    index.add(key, values, record);
    const [written, [row], [duplicate]] = [formatRecordKey(record), similar, folded];
    const [other] = [...same, ...folded, ...similarRecords];
    const stored = row ? `${row.id} (${keyTexts(row, key)})` : other && formatLocation(other.location);
    if (mistakes && duplicate) mistakes.add(record.location, duplicateMessage(record, duplicate));
    else if (mistakes && row && isCodeKey(key)) {
      const create = `To create ${written}: boh ${record.resource.command} create`;
      mistakes.add(
        record.location,
        `${written} matches no ${record.resource.noun}. Did you mean ${keyTexts(row, key)}? ${create}`,
      );
    } else if (stored !== undefined) spellings.add({ written, stored, isSimilar: true });
  }
}
