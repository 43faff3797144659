/** By what a row is known to be a record: the values of its key in one form, however either side writes them. */

import { keyForm } from '../../contract/key-form.ts';
import { withCallingCode } from '../../contract/phone-form.ts';
import type { Resource } from '../../contract/resource.ts';
import { usage } from '../../errors.ts';
import { isRow, type Row } from '../../session/row.ts';
import { type Column, columnNamed } from '../columns/columns.ts';
import type { Intent } from './intent.ts';
import type { ImportOptions } from './options.ts';

/** The columns of a key, in the order in which they were given; none where rows can't be matched. */
export type Key = readonly Column[];

export const idKey = 'id';

/** As it is said, else a field that the document calls unique. Ids go before either, where rows have them. */
export function keyFor(resource: Resource, { key }: Pick<ImportOptions, 'key'>): Key {
  const names = key ?? resource.key.filter((name) => resource.fields[name]?.traits.unique).slice(0, 1);
  return names.map((name) => {
    const column = columnNamed(resource, name);
    if (column?.field && !column.field.traits.secret && column.field.kind !== 'many') return column;
    throw usage(`--key ${name}: ${resource.command} have no such field to tell records apart by.`, {
      hint: `Their names are ${resource.key.join(', ') || 'their ids alone'}.`,
    });
  });
}

/** Whether what stands in the rows has to be looked up first. */
export function restsOnNames(key: Key): boolean {
  return key.some(({ field }) => field?.traits.target !== undefined);
}

/** Undefined where a part of the key is missing. */
export function markOfRow(intent: Intent, key: Key): string | undefined {
  return markOf(
    key,
    key.map((column) => (column.role === 'id' ? intent.id : intent.body[requestName(column)])),
  );
}

export function markOfRecord(record: Row, key: Key): string | undefined {
  return markOf(
    key,
    key.map((column) => shownBy(record, column)),
  );
}

export function markOfId(id: string): string {
  return JSON.stringify([id]);
}

/** As people read it. */
export function textOfMark(mark: string): string {
  return (JSON.parse(mark) as string[]).join(', ');
}

/** The texts of a part of a row's key, as it is taken and as the file writes it: a list may know the record by either. */
export function writtenIn({ body, written }: Intent, column: Column): string[] {
  const name = requestName(column);
  const texts = [body[name], written?.[name]].filter((text) => typeof text === 'string');
  const { form, dialCode } = column.field?.traits ?? {};
  if (form !== 'phone' || dialCode === undefined) return texts;
  return [...texts, ...texts.flatMap((text) => withCallingCode(text, body[dialCode]))];
}

export function requestName({ create, update, name }: Column): string {
  return (update ?? create)?.name ?? name;
}

function shownBy(record: Row, { shown, field }: Column): unknown {
  const value = record[shown];
  if (field?.kind !== 'one') return value;
  return isRow(value) ? value.id : (value ?? record[`${shown}_id`]);
}

function markOf(key: Key, values: readonly unknown[]): string | undefined {
  const parts = values.map((value, at) => {
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
    if (typeof value !== 'string' || value === '') return undefined;
    return keyForm(key[at]?.field, value);
  });
  return parts.length > 0 && parts.every((part) => part !== undefined) ? JSON.stringify(parts) : undefined;
}
