/** From a page of a list to what changes in the mirror: rows put in place, and what belonged to them before taken away. */
import { Failure } from '../../base/errors.ts';
import type { Row } from '../../session/row.ts';
import { type Converted, misfit, textCell } from '../schema/cell.ts';
import type { Mirrored } from '../schema/derive.ts';
import { type Cell, idColumn } from '../schema/table.ts';
import type { Change } from '../stores/store.ts';

/**
 * `isFresh` where the mirror holds none of these records: then nothing belongs to them. One that came twice counts as it
 * was the last time, with its links.
 */
export function changesOf(
  mirrored: Mirrored,
  shown: readonly Row[],
  walk: number,
  isFresh: boolean,
): Change[] {
  if (shown.length === 0) return [];
  const { main, children } = mirrored;
  const made = onceEach(shown).map((record) => ({ id: String(record.id), ...mirrored.rows(record, walk) }));
  const changes: Change[] = [];
  for (const [at, { table }] of children.entries()) {
    const owners: string[] = [];
    const all: Cell[][] = [];
    for (const { id, lists } of made) {
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
  changes.push({ kind: 'put', table: main, rows: made.map(({ own }) => own), isNew: isFresh });
  return changes;
}

function onceEach(shown: readonly Row[]): readonly Row[] {
  const ids = new Set<string>();
  for (const { id } of shown) ids.add(String(id));
  if (ids.size === shown.length) return shown;
  return [...new Map(shown.map((record) => [String(record.id), record])).values()];
}

/** All that a mirror holds of some records. */
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
  return id !== null && id !== '' && id !== misfit;
}

/** A row is found again by its id, in every engine. */
export function demandIds({ resource }: Mirrored, records: readonly Row[]): void {
  if (records.every(({ id }) => isUsable(textCell(id)))) return;
  throw new Failure(
    'unavailable',
    `The service shows ${resource.nouns} without ids, or with ids that no database holds: they can’t be mirrored.`,
    {
      hint: `Look at them: boh ${resource.command} list -o json`,
    },
  );
}
