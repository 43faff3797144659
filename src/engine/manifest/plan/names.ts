/** The names of the records in a plan, by ID, and values with names instead of IDs. */

import { isRow, type Row } from '../../../account/session/row.ts';
import type { Field } from '../../../api/contract/field.ts';
import { nestedFields } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { wordOf } from '../../../api/contract/value-text.ts';
import { redactionMarker } from '../../../base/redaction.ts';
import { isRowReference } from '../../runs/ledger/row.ts';
import { entryName } from '../declared/fields.ts';

/** Names of records by resource and ID. */
export class RecordNames {
  readonly #names = new Map<string, Map<string, string>>();

  /** Stores a name, unless the ID already has one. */
  add(target: string, id: string, name: string): void {
    const namesById = this.#namesOf(target);
    if (!namesById.has(id)) namesById.set(id, name);
  }

  /** Stores a name, and replaces an earlier one. */
  set(target: string, id: string, name: string): void {
    this.#namesOf(target).set(id, name);
  }

  /** Returns the name, or the ID if the record has no stored name. Without a target all resources are searched. */
  nameOf(target: string, id: string): string {
    if (target !== '') return this.#names.get(target)?.get(id) ?? id;
    for (const namesById of this.#names.values()) {
      const name = namesById.get(id);
      if (name !== undefined) return name;
    }
    return id;
  }

  /** Stores the names of related records that a response contains. */
  addRelated(target: string, title: string, relatedRecords: unknown): void {
    for (const record of Array.isArray(relatedRecords) ? relatedRecords : [relatedRecords]) {
      const name = isRow(record) ? record[title] : undefined;
      if (isRow(record) && typeof record.id === 'string' && typeof name === 'string' && name !== '')
        this.add(target, record.id, name);
    }
  }

  #namesOf(target: string): Map<string, string> {
    const namesById = this.#names.get(target) ?? new Map<string, string>();
    this.#names.set(target, namesById);
    return namesById;
  }
}

/** The resource of a displayed value, and the labels of related records. */
export interface DisplayContext {
  resource: Resource;
  /** Returns the name of a record, from its ID or the reference to the row that creates it. */
  labelOf(target: string, id: unknown, targetFilter?: Field['traits']['targetFilter']): unknown;
}

/** Returns a value with names instead of IDs, and with secrets redacted. */
export function toDisplayValue(field: Field, value: unknown, name: string, display: DisplayContext): unknown {
  if (value === null || value === undefined) return null;
  if (field.isHidden) return redactionMarker;
  const { target = '', targetFilter } = field.traits;
  switch (field.kind) {
    case 'choice':
      return wordOf(field, Number(value)) ?? value;
    case 'integers':
      return Array.isArray(value) ? value.map((item) => wordOf(field, Number(item)) ?? item) : value;
    case 'one':
      return display.labelOf(target, value, targetFilter);
    case 'many':
      return Array.isArray(value) ? value.map((link) => toDisplayLink(field, link, name, display)) : value;
    case 'ids':
      return Array.isArray(value) ? value.map((id) => display.labelOf('', id)) : value;
    case 'objects':
      return Array.isArray(value)
        ? value.filter(isRow).map((part) => toDisplayPart(field, part, display))
        : value;
    default:
      return value;
  }
}

function toDisplayLink(field: Field, link: unknown, name: string, display: DisplayContext): unknown {
  const { target = '', targetFilter } = field.traits;
  if (!isRow(link) || isRowReference(link)) return display.labelOf(target, link, targetFilter);
  const { id, ...linkData } = link;
  const label = display.labelOf(target, id, targetFilter);
  return Object.keys(linkData).length === 0
    ? label
    : { [entryName(display.resource, name, field)]: label, ...linkData };
}

/** Returns a part without its ID, which users don't need. */
function toDisplayPart(field: Field, part: Row, display: DisplayContext): Row {
  const entries = nestedFields(field).flatMap((entry) =>
    Object.hasOwn(part, entry.name)
      ? [
          [
            entry.responseName,
            toDisplayValue(entry.field, part[entry.name], entry.responseName, display),
          ] as const,
        ]
      : [],
  );
  return Object.fromEntries(entries.filter(([name]) => name !== 'id'));
}
