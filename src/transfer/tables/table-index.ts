/** An index of the rows of an export: their ids and keys, and the names of other records that they contain. */
import { keyForm } from '../../contract/key-form.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Intent } from '../../runs/intent.ts';
import { keyText } from '../../session/record-key.ts';
import type { Row } from '../../session/row.ts';

/** Rows of each resource that are compared with the account to find out whether it is the same one. */
const maxSampleRows = 25;

/** A row with an id, and what it shows in the fields of its key. */
export interface SampleRow {
  id: string;
  keys: Row;
}

/** Finds rows by id and by key. */
export class TableIndex {
  /** The line of each id, by resource. */
  readonly #ids = new Map<string, Map<string, number>>();
  /** The id of the only row with a value, by resource, field and value; null if there are several. */
  readonly #keys = new Map<string, Map<string, Map<string, string | null>>>();
  readonly samples = new Map<Resource, SampleRow[]>();
  /** The texts of names that cells contain, by target. */
  readonly names = new Map<string, Set<string>>();
  /** The resources whose rows contain them. */
  readonly naming = new Map<string, Set<Resource>>();

  /** Adds a row, and returns the id by which others refer to it. */
  add(resource: Resource, { id, body }: Intent, line: number): string {
    const own = this.idOf(resource, id, line);
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
      const form = keyForm(field, text);
      forms.set(form, forms.has(form) ? null : own);
    }
    return own;
  }

  /** Returns the id of a row, or a text that no id can be if it has none, or that of an earlier row. */
  idOf(resource: Resource, id: string | undefined, line: number): string {
    const first = id === undefined ? undefined : this.#ids.get(resource.name)?.get(id);
    return id !== undefined && (first === undefined || first === line) ? id : `of line ${line}`;
  }

  /** Returns the line of the row that has an id first; undefined if there is none. */
  lineOf({ name }: Resource, id: string): number | undefined {
    return this.#ids.get(name)?.get(id);
  }

  /** Returns the id of the row that a name stands for, by the first field of the key that has it, or else by its id. */
  find(resource: Resource, text: string): string | undefined {
    const keys = this.#keys.get(resource.name);
    for (const shown of resource.key) {
      const found = keys?.get(shown)?.get(keyForm(resource.fields[shown], text));
      if (typeof found === 'string') return found;
    }
    return this.#ids.get(resource.name)?.has(text) ? text : undefined;
  }

  /** Notes a name that a cell of a row contains. */
  note(resource: Resource, target: string, text: string): void {
    this.naming.set(target, (this.naming.get(target) ?? new Set<Resource>()).add(resource));
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
