/** An index of the rows of an export, by which other rows and the records of the account are found. */

import { RecordBatch, recordKey } from '../../../account/session/find-by-key.ts';
import { KeyIndex, keyFromNames, keyText, relateRecords } from '../../../account/session/record-key.ts';
import type { Row } from '../../../account/session/row.ts';
import type { Session } from '../../../account/session/session.ts';
import type { Spellings } from '../../../account/session/spellings.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { usage } from '../../../base/errors.ts';
import type { Intent } from '../../runs/ledger/row.ts';

/** The maximum number of rows of each resource that are compared with the account. */
const maxSampleRows = 25;

/** A row with an ID, and its values of the key fields. */
export interface SampleRow {
  id: string;
  keys: Row;
}

interface KeyedRow {
  id: string;
  text: string;
}

/** Finds rows by ID and by key. */
export class TableIndex {
  /** The line of each ID, by resource. */
  readonly #ids = new Map<string, Map<string, number>>();
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

/** The maximum number of resources whose rows are looked up. */
const maxSampledResources = 3;

/**
 * Returns whether the IDs of an export belong to records of the account with the same keys. Other accounts may have the same
 * IDs. Rows without IDs aren't compared. Throws a usage failure if only a few match.
 */
export async function isExportOfAccount(
  session: Session,
  { samples }: TableIndex,
  label: string,
): Promise<boolean> {
  const sampled = [...samples]
    .filter(([{ get, list }, rows]) => rows.length > 0 && (get ?? list) !== undefined)
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, maxSampledResources);
  const batch = new RecordBatch();
  for (const [resource, rows] of sampled) for (const { id } of rows) batch.idsOf(resource).ids.add(id);
  const records = await batch.read(session);
  let [matchingCount, totalCount] = [0, 0];
  for (const [resource, rows] of sampled) {
    totalCount += rows.length;
    matchingCount += rows.filter((row) =>
      isSameRecord(resource, row, records.get(recordKey(resource, row.id))),
    ).length;
  }
  if (matchingCount * 2 >= totalCount) return true;
  if (matchingCount === 0) return false;
  throw usage(
    `Only ${matchingCount} of ${totalCount} IDs in ${label} exist in this account. The others may be deleted, or of another account.`,
    {
      hint: 'To match records by ID: --match id. To match them by key, as in another account: --match key',
    },
  );
}

function isSameRecord(resource: Resource, { keys }: SampleRow, record: Row | undefined): boolean {
  if (!record) return false;
  const keyNames = resource.key.filter((name) => keys[name] !== undefined);
  const relations = keyFromNames(resource, keyNames).map((field) => relateRecords([field], keys, record));
  return keyNames.length === 0 || relations.includes('same') || relations.includes('folded');
}
