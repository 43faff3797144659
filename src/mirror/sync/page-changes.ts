/**
 * Converts a page of a list to changes of the mirror: it upserts the rows and deletes earlier rows that belonged to
 * the records.
 */
import { Failure } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Row } from '../../session/row.ts';
import { type Converted, mismatch, textCell } from '../schema/cell.ts';
import type { Mirrored } from '../schema/derive.ts';
import { type Cell, idColumn } from '../schema/table.ts';
import type { Change } from '../stores/store.ts';

/**
 * Returns the changes for some records. `isFresh` says that the mirror has none of them, so no rows have to be
 * deleted. If a record is listed twice, the last version counts.
 */
export function changesOf(
  mirrored: Mirrored,
  records: readonly Row[],
  walk: number,
  isFresh: boolean,
): Change[] {
  if (records.length === 0) return [];
  const { main, children } = mirrored;
  const converted = lastOfEachId(records).map((record) => ({
    id: String(record.id),
    ...mirrored.rows(record, walk),
  }));
  const changes: Change[] = [];
  for (const [at, { table }] of children.entries()) {
    const owners: string[] = [];
    const all: Cell[][] = [];
    for (const { id, lists } of converted) {
      const rows = lists[at];
      if (rows === undefined) continue;
      owners.push(id);
      all.push(...rows);
    }
    if (!isFresh && owners.length > 0 && table.owner !== undefined) {
      changes.push({ kind: 'drop', table, column: table.owner, values: owners });
    }
    if (all.length > 0) changes.push({ kind: 'put', table, rows: all, isNew: isFresh });
  }
  changes.push({ kind: 'put', table: main, rows: converted.map(({ own }) => own), isNew: isFresh });
  return changes;
}

function lastOfEachId(records: readonly Row[]): readonly Row[] {
  const ids = new Set<string>();
  for (const { id } of records) ids.add(String(id));
  if (ids.size === records.length) return records;
  return [...new Map(records.map((record) => [String(record.id), record])).values()];
}

/** Returns the changes that delete everything about some records. */
export function removalOf({ main, children }: Mirrored, ids: readonly string[]): Change[] {
  if (ids.length === 0) return [];
  return [
    ...children.flatMap(({ table }): Change[] =>
      table.owner === undefined ? [] : [{ kind: 'drop', table, column: table.owner, values: ids }],
    ),
    { kind: 'drop', table: main, column: idColumn, values: ids },
  ];
}

function isUsable(id: Converted): boolean {
  return id !== null && id !== '' && id !== mismatch;
}

/** Throws `unavailable` unless every record has an ID that all engines can store: rows are found by it. */
export function requireIds({ resource }: Mirrored, records: readonly Row[]): void {
  if (records.every(({ id }) => isUsable(textCell(id)))) return;
  throw new Failure(
    'unavailable',
    `The service returned ${resource.nouns} without a usable ID, so they can't be mirrored.`,
    {
      hint: boh.hint`To show them: ${boh.account(`${resource.command} list`, '-o', 'json')}`,
    },
  );
}
