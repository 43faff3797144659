/** A value of a request as manifests write it: records by what they are called, enumerations by their words. */
import { mask } from '../../base/mask.ts';
import type { Field } from '../../contract/field.ts';
import { nestedFields } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { wordOf } from '../../contract/text.ts';
import { isRowReference } from '../../runs/ledger/row-reference.ts';
import { isRow, type Row } from '../../session/row.ts';
import { entryName } from '../declared/fields.ts';

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
