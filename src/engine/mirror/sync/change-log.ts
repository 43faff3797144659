/** Logs what a sync changes: compares the rows that it writes with those in the mirror. */
import { identifier, sql } from '../../../api/sql/sql.ts';
import type { MirroredResource } from '../schema/derive.ts';
import { withDigits } from '../schema/numbers.ts';
import type { State } from '../schema/state.ts';
import {
  type Cell,
  columnNames,
  deletedColumn,
  idColumn,
  readingColumn,
  type Table,
} from '../schema/table.ts';
import { changesTable, type RowOperation } from '../schema/versions.ts';
import { readIds } from '../stores/reads.ts';
import type { Store, StoreChange, StoredRow } from '../stores/store.ts';
import { metadataChange, readMetadata, readStates, stateChange } from './states.ts';

/** When the rows of a batch were seen, and the start of the last sync before that. */
export interface SeenRows {
  seenAt: string;
  seenAfter: string | undefined;
}

const versionsKey = 'versions';
const sequenceKey = 'sequence';

/** The maximum number of rows that are deleted at a time. */
const maxRemovedRows = 500;

/** Returns whether the mirror keeps versions of rows. */
export async function keepsVersions(store: Pick<Store, 'read'>): Promise<boolean> {
  return (await readMetadata(store, versionsKey)) !== 'off';
}

/** Assigns the numbers of changes. Only one sync at a time has the lock of the mirror. */
export class ChangeLog {
  readonly #store: Store;
  #sequence: number;

  private constructor(store: Store, sequence: number) {
    this.#store = store;
    this.#sequence = sequence;
  }

  /** Opens the log of a mirror; returns undefined if it keeps no versions. `keeps` changes that for later syncs. */
  static async open(store: Store, keeps: boolean | undefined): Promise<ChangeLog | undefined> {
    const isOn = await keepsVersions(store);
    if (keeps !== undefined && keeps !== isOn) {
      const states = [...(await readStates(store)).values()];
      await store.scrub([
        metadataChange(versionsKey, keeps ? 'on' : 'off'),
        ...(keeps ? [] : [{ kind: 'clear', table: changesTable } as const, ...states.map(forgetVersions)]),
      ]);
    }
    if (!(keeps ?? isOn)) return undefined;
    return new ChangeLog(store, Number((await readMetadata(store, sequenceKey)) ?? 0));
  }

  /** Returns the changes that log the differences between the mirror and the changes of some records. */
  async entries(
    { tables }: MirroredResource,
    changes: readonly StoreChange[],
    seen: SeenRows,
  ): Promise<StoreChange[]> {
    const rows: Cell[][] = [];
    for (const table of tables) {
      for (const { id, owner, operation, changed, old } of await this.#differences(table, changes)) {
        const sequence = ++this.#sequence;
        const names = changed && JSON.stringify(changed);
        rows.push([
          ...[String(sequence), sequence, table.resource ?? null, owner, table.name, id, operation],
          ...[seen.seenAfter ?? null, seen.seenAt, names ?? null, old ? storedJson(old) : null],
        ]);
      }
    }
    if (rows.length === 0) return [];
    return [{ kind: 'put', table: changesTable, rows }, metadataChange(sequenceKey, String(this.#sequence))];
  }

  async #differences(table: Table, changes: readonly StoreChange[]): Promise<Difference[]> {
    const names = columnNames(table);
    const newRows = new Map<string, StoredRow>();
    let column = idColumn;
    let values: readonly string[] = [];
    for (const change of changes) {
      if (change.table !== table) continue;
      if (change.kind === 'drop') ({ column, values } = change);
      if (change.kind !== 'put') continue;
      for (const cells of change.rows)
        newRows.set(
          String(cells[0]),
          Object.fromEntries(names.map((name, index) => [name, cells[index] ?? null])),
        );
    }
    if (values.length === 0) values = [...newRows.keys()];
    if (values.length === 0) return [];
    const query = sql`SELECT * FROM ${identifier(table.name)} WHERE ${identifier(column)} IN ${values}`;
    const oldRows = await this.#store.read(query);
    const ownerOf = (row: StoredRow) => String(row[table.owner ?? idColumn]);
    const differences: Difference[] = [];
    for (const old of oldRows) {
      const id = String(old[idColumn]);
      const row = newRows.get(id);
      newRows.delete(id);
      if (!row) differences.push({ id, owner: ownerOf(old), operation: 'remove', old });
      else {
        const cells = withDigits(table, old);
        const changed = names.filter((name) => name !== readingColumn && !isSame(cells[name], row[name]));
        if (changed.length > 0)
          differences.push({ id, owner: ownerOf(row), operation: operationOf(cells, row), changed, old });
      }
    }
    for (const [id, row] of newRows) differences.push({ id, owner: ownerOf(row), operation: 'insert' });
    return differences;
  }

  /** Deletes changes before a time. Versions are then known since that time. */
  async prune(before: string): Promise<void> {
    for (;;) {
      const ids = await readIds(this.#store, changesTable, sql`seen_at < ${before}`, maxRemovedRows);
      if (ids.length === 0) break;
      await this.#store.write([{ kind: 'drop', table: changesTable, column: idColumn, values: ids }]);
    }
    const states = [...(await readStates(this.#store)).values()];
    const outdated = states.filter(
      ({ versionsSince }) => versionsSince !== undefined && versionsSince < before,
    );
    await this.#store.write(outdated.map((state) => stateChange({ ...state, versionsSince: before })));
  }
}

interface Difference {
  id: string;
  /** The record that the row belongs to. */
  owner: string;
  operation: RowOperation;
  changed?: readonly string[];
  old?: StoredRow;
}

function isSame(old: Cell | undefined, cell: Cell | undefined): boolean {
  return old === cell || String(old ?? null) === String(cell ?? null);
}

function operationOf(old: StoredRow, row: StoredRow): RowOperation {
  const [wasDeleted, isDeleted] = [old, row].map(
    ({ [deletedColumn]: at }) => at !== null && at !== undefined,
  );
  if (wasDeleted === isDeleted) return 'update';
  return isDeleted ? 'delete' : 'restore';
}

/** Returns the row as it is stored, without nulls and without the number of the reading. */
function storedJson(row: StoredRow): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(row).filter(([name, cell]) => cell !== null && name !== readingColumn)),
  );
}

function forgetVersions(state: State): StoreChange {
  return stateChange({ ...state, versionsSince: undefined });
}

/** Returns the changes that delete the versions of some resources; the next sync starts again. */
export function clearVersions(states: readonly State[], resources: ReadonlySet<string>): StoreChange[] {
  return [
    { kind: 'drop', table: changesTable, column: 'resource', values: [...resources] },
    ...states.filter(({ resource }) => resources.has(resource)).map(forgetVersions),
  ];
}

/** Returns the changes that delete the versions of some records. */
export async function versionRemovals(
  store: Pick<Store, 'read'>,
  resource: string,
  recordIds: readonly string[],
): Promise<StoreChange[]> {
  const ids = await readIds(store, changesTable, sql`resource = ${resource} AND record_id IN ${recordIds}`);
  return ids.length === 0 ? [] : [{ kind: 'drop', table: changesTable, column: idColumn, values: ids }];
}
