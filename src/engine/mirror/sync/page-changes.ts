/**
 * Converts a page of a list to changes of the mirror: it upserts the rows and deletes earlier rows that belonged to
 * the records.
 */

import type { Row } from '../../../account/session/row.ts';
import { Failure } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { type ConvertedCell, mismatch, textCell } from '../schema/cell.ts';
import type { MirroredResource } from '../schema/derive.ts';
import { type Cell, idColumn } from '../schema/table.ts';
import type { StoreChange } from '../stores/store.ts';

/** Returns the changes for some records. If a record is listed twice, its last version is stored. */
export function recordChanges(
  mirrored: MirroredResource,
  records: readonly Row[],
  readingNumber: number,
): StoreChange[] {
  if (records.length === 0) return [];
  const { main, children } = mirrored;
  const convertedRecords = removeDuplicateIds(records).map((record) => ({
    id: String(record.id),
    ...mirrored.rows(record, readingNumber),
  }));
  const changes: StoreChange[] = [];
  for (const [index, { table }] of children.entries()) {
    const owners: string[] = [];
    const allRows: Cell[][] = [];
    for (const { id, childRows } of convertedRecords) {
      const rows = childRows[index];
      if (rows === undefined) continue;
      owners.push(id);
      allRows.push(...rows);
    }
    if (owners.length > 0 && table.owner !== undefined) {
      changes.push({ kind: 'drop', table, column: table.owner, values: owners });
    }
    if (allRows.length > 0) changes.push({ kind: 'put', table, rows: allRows });
  }
  changes.push({ kind: 'put', table: main, rows: convertedRecords.map(({ mainRow }) => mainRow) });
  return changes;
}

function removeDuplicateIds(records: readonly Row[]): readonly Row[] {
  const ids = new Set<string>();
  for (const { id } of records) ids.add(String(id));
  if (ids.size === records.length) return records;
  return [...new Map(records.map((record) => [String(record.id), record])).values()];
}

/** Returns the changes that delete all rows of some records. */
export function recordRemovals({ main, children }: MirroredResource, ids: readonly string[]): StoreChange[] {
  if (ids.length === 0) return [];
  return [
    ...children.flatMap(({ table }): StoreChange[] =>
      table.owner === undefined ? [] : [{ kind: 'drop', table, column: table.owner, values: ids }],
    ),
    { kind: 'drop', table: main, column: idColumn, values: ids },
  ];
}

function isUsableId(id: ConvertedCell): boolean {
  return id !== null && id !== '' && id !== mismatch;
}

/** Throws `unavailable` unless every record has an ID that all engines can store: it is the key of rows. */
export function requireIds({ resource }: MirroredResource, records: readonly Row[]): void {
  if (records.every(({ id }) => isUsableId(textCell(id)))) return;
  throw new Failure(
    'unavailable',
    `The service returned ${resource.nouns} without a usable ID, so they can't be mirrored.`,
    {
      hint: boh.hint`To show them: ${boh.account(`${resource.command} list`, '-o', 'json')}`,
    },
  );
}
