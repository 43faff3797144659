/** An index of the rows of an export: their IDs and keys, and the names of other records that they contain. */

import { KeyIndex, keyFromNames, keyText } from '../../../account/session/record-key.ts';
import type { Row } from '../../../account/session/row.ts';
import type { Spellings } from '../../../account/session/spellings.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import type { Intent } from '../../runs/ledger/row.ts';

/** The maximum number of rows of each resource that are compared with the account. */
const maxSampleRows = 25;

/** A row with an ID, and its values of the key fields. */
export interface SampleRow {
  id: string;
  keys: Row;
}

/** A row with the value of a key field. */
interface KeyedRow {
  id: string;
  text: string;
}

/** Finds rows by ID and by key. */
export class TableIndex {
  /** The line of each ID, by resource. */
  readonly #ids = new Map<string, Map<string, number>>();
  /** The rows by each of their key fields, by resource. */
  readonly #keys = new Map<Resource, KeyIndex<KeyedRow>>();
  readonly samples = new Map<Resource, SampleRow[]>();
  /** The names of other records that cells contain, by target. */
  readonly referencedNames = new Map<string, Set<string>>();
  /** The resources whose rows contain these names, by target. */
  readonly referencingResources = new Map<string, Set<Resource>>();

  /** Adds a row, and returns the ID by which other rows refer to it. */
  add(resource: Resource, { id, body }: Intent, line: number): string {
    const rowId = this.idOf(resource, id, line);
    if (id !== undefined) {
      const ids = this.#ids.get(resource.name) ?? new Map<string, number>();
      this.#ids.set(resource.name, ids);
      if (!ids.has(id)) ids.set(id, line);
    }
    this.#addSample(resource, { id, body });
    const keys = this.#keys.get(resource) ?? new KeyIndex<KeyedRow>();
    this.#keys.set(resource, keys);
    for (const keyField of keyFromNames(resource, resource.key))
      keys.add([keyField], body, { id: rowId, text: keyText(body, keyField) ?? '' });
    return rowId;
  }

  /** Returns the ID of a row. If the row has no ID, or the ID of an earlier row, returns a value that no ID can have. */
  idOf(resource: Resource, id: string | undefined, line: number): string {
    const firstLine = id === undefined ? undefined : this.#ids.get(resource.name)?.get(id);
    return id !== undefined && (firstLine === undefined || firstLine === line) ? id : `of line ${line}`;
  }

  /** Returns the line of the first row with an ID; undefined if there is none. */
  lineOf({ name }: Resource, id: string): number | undefined {
    return this.#ids.get(name)?.get(id);
  }

  /**
   * Returns the ID of the row with a name: by the first key field with this value, or otherwise by its ID; with `spellings`
   * also by another spelling, which is reported.
   */
  find(resource: Resource, name: string, spellings?: Spellings): string | undefined {
    const row = this.#rowBy('same', resource, name);
    if (row || this.#ids.get(resource.name)?.has(name)) return row?.id ?? name;
    const spelledRow = spellings && this.#rowBy('folded', resource, name);
    if (spelledRow) spellings.add({ written: name, stored: spelledRow.text });
    return spelledRow?.id;
  }

  #rowBy(relation: 'same' | 'folded', resource: Resource, name: string): KeyedRow | undefined {
    const rows = resource.key.map((key) => this.#keys.get(resource)?.related({ [key]: name })[relation]);
    return rows.find((found) => found?.length === 1)?.[0];
  }

  /** Adds a name that a cell of a row contains. */
  addName(resource: Resource, target: string, name: string): void {
    this.referencingResources.set(
      target,
      (this.referencingResources.get(target) ?? new Set<Resource>()).add(resource),
    );
    const referencedNames = this.referencedNames.get(target) ?? new Set<string>();
    this.referencedNames.set(target, referencedNames.add(name));
  }

  #addSample(resource: Resource, { id, body }: Pick<Intent, 'id' | 'body'>): void {
    const rows = this.samples.get(resource) ?? [];
    this.samples.set(resource, rows);
    if (id === undefined || rows.length >= maxSampleRows) return;
    rows.push({ id, keys: Object.fromEntries(resource.key.map((keyName) => [keyName, body[keyName]])) });
  }
}
