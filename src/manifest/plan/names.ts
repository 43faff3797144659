/** What people call the records whose ids a plan has met, and values with those names in the place of ids. */
import { mask } from '../../base/mask.ts';
import type { Field } from '../../contract/field.ts';
import { nestedFields } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { wordOf } from '../../contract/text.ts';
import { isRowReference } from '../../runs/ledger/row-reference.ts';
import { isRow, type Row } from '../../session/row.ts';
import { entryName } from '../declared/fields.ts';

export class Names {
  readonly #known = new Map<string, Map<string, string>>();
  #later: (() => void) | undefined;

  /** The first name that is noted stays. */
  note(target: string, id: string, name: string): void {
    const own = this.#of(target);
    if (!own.has(id)) own.set(id, name);
  }

  /** In the place of any other. */
  prefer(target: string, id: string, name: string): void {
    this.#of(target).set(id, name);
  }

  /** Called once a name is asked for: mostly none is. */
  noteLater(later: () => void): void {
    this.#later = later;
  }

  /** The id where no name is known. Without a target it may be of any. */
  of(target: string, id: string): string {
    const later = this.#later;
    this.#later = undefined;
    later?.();
    if (target !== '') return this.#known.get(target)?.get(id) ?? id;
    for (const own of this.#known.values()) {
      const name = own.get(id);
      if (name !== undefined) return name;
    }
    return id;
  }

  /** The related records that an answer shows with their names. */
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

export interface Showing {
  resource: Resource;
  /** What a record is called, by its id or by the reference to the row that makes it. */
  called(target: string, id: unknown, only?: Field['traits']['only']): unknown;
}

export function shownValue(field: Field, value: unknown, name: string, showing: Showing): unknown {
  if (value === null || value === undefined) return null;
  if (field.isHidden) return mask;
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

/** Its id says nothing to people. */
function shownPart(field: Field, part: Row, showing: Showing): Row {
  const entries = nestedFields(field).flatMap((entry) =>
    Object.hasOwn(part, entry.name)
      ? [[entry.shown, shownValue(entry.field, part[entry.name], entry.shown, showing)] as const]
      : [],
  );
  return Object.fromEntries(entries.filter(([name]) => name !== 'id'));
}
