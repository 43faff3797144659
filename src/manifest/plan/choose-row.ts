/**
 * Chooses the row of the account for each declared record, or reports a mistake; and finds new records with a
 * similar key.
 */
import { maxShownItems } from '../../base/shown-items.ts';
import type { Resource } from '../../contract/resource.ts';
import { formatCountedCandidates, keyFromNames } from '../../session/record-key.ts';
import type { Row } from '../../session/row.ts';
import { SimilarKeys, similarKeyNote } from '../../session/similar-keys.ts';
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

/** Finds similar keys. Compares declared records whose key is one text with each other and with other rows. */
export class SimilarDeclared {
  readonly #noun: string;
  readonly #byField = new Map<string, SimilarKeys<Declared>>();

  constructor(resource: Resource, declared: readonly Declared[]) {
    this.#noun = resource.noun;
    for (const record of declared) {
      const [part, ...otherParts] = record.key;
      if (!part || otherParts.length > 0 || typeof part.value !== 'string') continue;
      const similar = this.#byField.get(part.name) ?? new SimilarKeys(keyFromNames(resource, [part.name]));
      this.#byField.set(part.name, similar);
      similar.add([part.value], record);
    }
  }

  addRow(row: Row): void {
    for (const similarKeys of this.#byField.values()) similarKeys.addRecord(row);
  }

  /** Returns one note for each new record with a similar key. */
  notes(isExisting: (record: Declared) => boolean): string[] {
    const messages = new Set<string>();
    const addNote = (record: Declared, text: string | undefined, other: string) => {
      if (isExisting(record)) return;
      messages.add(`${text} would be a new ${this.#noun}, although ${other}. ${similarKeyNote}`);
    };
    const similarPairs = [...this.#byField.values()].flatMap((similarKeys) => similarKeys.matches);
    for (const { item, values, other } of similarPairs) {
      const [[text], [otherText]] = [values, other.values];
      if ('record' in other) addNote(item, text, `${other.record.id} is named ${otherText}`);
      else {
        addNote(item, text, `${formatLocation(other.item.location)} declares ${otherText}`);
        addNote(other.item, otherText, `${formatLocation(item.location)} declares ${text}`);
      }
    }
    return [...messages].slice(0, maxShownItems);
  }
}
