/** Collects the records that a list refers to and that the API names only by ID, with the names in its responses. */
import { type NamedReference, referencesIn } from '../../../account/session/references.ts';
import type { Row } from '../../../account/session/row.ts';
import { apiOf } from '../../../api/contract/api.ts';
import { mismatch, textCell } from '../schema/cell.ts';
import type { MirroredResource } from '../schema/derive.ts';
import { referenceTables } from '../schema/reference-tables.ts';
import type { Cell, Table } from '../schema/table.ts';
import type { StoreChange } from '../stores/store.ts';

/** The references in the records of one resource during a sync. */
export class SeenReferences {
  readonly #mirrored: MirroredResource;
  readonly #seenAt: string;
  readonly #tables: readonly Table[];
  /** The name of each reference that was stored, by table and ID. */
  readonly #stored = new Map<string, string | undefined>();

  /** `seenAt` is the start of the sync. */
  constructor(mirrored: MirroredResource, seenAt: string) {
    this.#mirrored = mirrored;
    this.#seenAt = seenAt;
    const names = new Set(
      mirrored.tables.flatMap(({ columns }) => columns.map(({ references }) => references)),
    );
    this.#tables = referenceTables([mirrored]).filter(({ name }) => names.has(name));
  }

  /**
   * Returns the changes that store the references in `rowChanges`, with their names in the records that the rows are from.
   * References in excluded fields aren't stored, because the rows don't contain them.
   */
  changes(records: readonly Row[], rowChanges: readonly StoreChange[]): StoreChange[] {
    if (this.#tables.length === 0 || records.length === 0) return [];
    const { resource } = this.#mirrored;
    const named = referencesIn(apiOf(resource), resource, records);
    return this.#tables.flatMap((table): StoreChange[] => {
      const references = new Map<string, NamedReference>();
      for (const reference of named.get(table.name) ?? []) references.set(reference.id, reference);
      const rows: Cell[][] = [];
      for (const id of idsIn(rowChanges, table.name)) {
        const { name, reference } = references.get(id) ?? {};
        const key = `${table.name}/${id}`;
        if (this.#stored.has(key) && (name === undefined || this.#stored.get(key) === name)) continue;
        this.#stored.set(key, name);
        rows.push([id, storable(name), storable(reference), this.#seenAt, this.#seenAt]);
      }
      return rows.length > 0 ? [{ kind: 'put', table, rows }] : [];
    });
  }
}

function storable(text: string | undefined): Cell {
  const cell = textCell(text);
  return cell === mismatch ? null : cell;
}

/** Returns the IDs in the columns of the rows that refer to the table. */
function idsIn(changes: readonly StoreChange[], references: string): Set<string> {
  const ids = new Set<string>();
  for (const change of changes) {
    if (change.kind !== 'put') continue;
    for (const [index, column] of change.table.columns.entries()) {
      if (column.references !== references) continue;
      for (const row of change.rows) if (row[index] !== null) ids.add(String(row[index]));
    }
  }
  return ids;
}
