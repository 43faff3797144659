/** An index of the rows of an export: their ids and keys, and the names of other records that they contain. */
import { normalizeKey } from '../../contract/key-form.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Intent } from '../../runs/intent.ts';
import { keyText } from '../../session/record-key.ts';
import type { Row } from '../../session/row.ts';

/** The maximum number of rows of each resource that are compared with the account. */
const maxSampleRows = 25;

/** A row with an id, and its values of the key fields. */
export interface SampleRow {
  id: string;
  keys: Row;
}

/** Finds rows by id and by key. */
export class TableIndex {
  /** The line of each id, by resource. */
  readonly #ids = new Map<string, Map<string, number>>();
  /** The id of the row with a value, by resource, field and value; null if several rows have the value. */
  readonly #keys = new Map<string, Map<string, Map<string, string | null>>>();
  readonly samples = new Map<Resource, SampleRow[]>();
  /** The names of other records that cells contain, by target. */
  readonly names = new Map<string, Set<string>>();
  /** The resources whose rows contain these names, by target. */
  readonly namingResources = new Map<string, Set<Resource>>();

  /** Adds a row, and returns the id by which other rows refer to it. */
  add(resource: Resource, { id, body }: Intent, line: number): string {
    const rowId = this.idOf(resource, id, line);
    if (id !== undefined) {
      const ids = this.#ids.get(resource.name) ?? new Map<string, number>();
      this.#ids.set(resource.name, ids);
      if (!ids.has(id)) ids.set(id, line);
    }
    this.#addSample(resource, { id, body });
    const keys = this.#keys.get(resource.name) ?? new Map<string, Map<string, string | null>>();
    this.#keys.set(resource.name, keys);
    for (const responseName of resource.key) {
      const field = resource.fields[responseName];
      const text = keyText(body, { responseName, field });
      if (text === undefined) continue;
      const forms = keys.get(responseName) ?? new Map<string, string | null>();
      keys.set(responseName, forms);
      const form = normalizeKey(field, text);
      forms.set(form, forms.has(form) ? null : rowId);
    }
    return rowId;
  }

  /** Returns the id of a row. If the row has no id, or the id of an earlier row, returns a text that can't be an id. */
  idOf(resource: Resource, id: string | undefined, line: number): string {
    const first = id === undefined ? undefined : this.#ids.get(resource.name)?.get(id);
    return id !== undefined && (first === undefined || first === line) ? id : `of line ${line}`;
  }

  /** Returns the line of the first row with an id; undefined if there is none. */
  lineOf({ name }: Resource, id: string): number | undefined {
    return this.#ids.get(name)?.get(id);
  }

  /** Returns the id of the row with a name: by the first key field with this value, or otherwise by its id. */
  find(resource: Resource, text: string): string | undefined {
    const keys = this.#keys.get(resource.name);
    for (const shown of resource.key) {
      const found = keys?.get(shown)?.get(normalizeKey(resource.fields[shown], text));
      if (typeof found === 'string') return found;
    }
    return this.#ids.get(resource.name)?.has(text) ? text : undefined;
  }

  /** Adds a name that a cell of a row contains. */
  addName(resource: Resource, target: string, text: string): void {
    this.namingResources.set(target, (this.namingResources.get(target) ?? new Set<Resource>()).add(resource));
    const names = this.names.get(target) ?? new Set<string>();
    this.names.set(target, names.add(text));
  }

  #addSample(resource: Resource, { id, body }: Pick<Intent, 'id' | 'body'>): void {
    const rows = this.samples.get(resource) ?? [];
    this.samples.set(resource, rows);
    if (id === undefined || rows.length >= maxSampleRows) return;
    rows.push({ id, keys: Object.fromEntries(resource.key.map((shown) => [shown, body[shown]])) });
  }
}
