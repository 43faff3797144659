/** The names of the records in a plan, by id, and values with names instead of ids. */
import { redactionText } from '../../base/redaction.ts';
import type { Field } from '../../contract/field.ts';
import { nestedFields } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { wordOf } from '../../contract/text.ts';
import { isRowReference } from '../../runs/ledger/row-reference.ts';
import { isRow, type Row } from '../../session/row.ts';
import { entryName } from '../declared/fields.ts';

/** Names of records by resource and id. */
export class Names {
  readonly #known = new Map<string, Map<string, string>>();

  /** Stores a name, unless the id already has one. */
  note(target: string, id: string, name: string): void {
    const own = this.#of(target);
    if (!own.has(id)) own.set(id, name);
  }

  /** Stores a name, and replaces an earlier one. */
  prefer(target: string, id: string, name: string): void {
    this.#of(target).set(id, name);
  }

  /** Returns the name, or the id if no name is known. Without a target the record may be of any kind. */
  of(target: string, id: string): string {
    if (target !== '') return this.#known.get(target)?.get(id) ?? id;
    for (const own of this.#known.values()) {
      const name = own.get(id);
      if (name !== undefined) return name;
    }
    return id;
  }

  /** Stores the names of related records that an answer shows. */
  noteShown(target: string, title: string, shown: unknown): void {
    for (const each of Array.isArray(shown) ? shown : [shown]) {
      const name = isRow(each) ? each[title] : undefined;
      if (isRow(each) && typeof each.id === 'string' && typeof name === 'string' && name !== '')
        this.note(target, each.id, name);
    }
  }

  #of(target: string): Map<string, string> {
    const own = this.#known.get(target) ?? new Map<string, string>();
    this.#known.set(target, own);
    return own;
  }
}

/** What showing a value needs. */
export interface Showing {
  resource: Resource;
  /** Returns the name of a record, by its id or the reference to the row that creates it. */
  called(target: string, id: unknown, only?: Field['traits']['only']): unknown;
}

/** Returns a value with names instead of ids, and with secrets redacted. */
export function shownValue(field: Field, value: unknown, name: string, showing: Showing): unknown {
  if (value === null || value === undefined) return null;
  if (field.isHidden) return redactionText;
  const { target = '', only } = field.traits;
  switch (field.kind) {
    case 'choice':
      return wordOf(field, Number(value)) ?? value;
    case 'integers':
      return Array.isArray(value) ? value.map((item) => wordOf(field, Number(item)) ?? item) : value;
    case 'one':
      return showing.called(target, value, only);
    case 'many':
      return Array.isArray(value) ? value.map((link) => shownLink(field, link, name, showing)) : value;
    case 'ids':
      return Array.isArray(value) ? value.map((id) => showing.called('', id)) : value;
    case 'objects':
      return Array.isArray(value)
        ? value.filter(isRow).map((part) => shownPart(field, part, showing))
        : value;
    default:
      return value;
  }
}

function shownLink(field: Field, link: unknown, name: string, showing: Showing): unknown {
  const { target = '', only } = field.traits;
  if (!isRow(link) || isRowReference(link)) return showing.called(target, link, only);
  const { id, ...held } = link;
  const called = showing.called(target, id, only);
  return Object.keys(held).length === 0
    ? called
    : { [entryName(showing.resource, name, field)]: called, ...held };
}

/** Returns a part without its id, which users don't need. */
function shownPart(field: Field, part: Row, showing: Showing): Row {
  const entries = nestedFields(field).flatMap((entry) =>
    Object.hasOwn(part, entry.name)
      ? [[entry.shown, shownValue(entry.field, part[entry.name], entry.shown, showing)] as const]
      : [],
  );
  return Object.fromEntries(entries.filter(([name]) => name !== 'id'));
}
