/** The columns of a resource's files: the one list that import reads and export writes, made from the contract. */
import { apiOf } from '../../contract/api.ts';
import type { Field } from '../../contract/field.ts';
import { withoutInvisible } from '../../contract/key-form.ts';
import { type BodyField, operation } from '../../contract/operation.ts';
import { type Resource, titleField } from '../../contract/resource.ts';

/** What a column means to a row. */
export type ColumnRole =
  /** The record's id. */
  | 'id'
  /** When the record last changed, as far as the file knows. */
  | 'updated_at'
  /** A value of the record that a request may give. */
  | 'value'
  /** A value of the record that none may. */
  | 'read_only'
  /** What is to be done with the row. */
  | 'command'
  /** Written by boh for people: passed over. */
  | 'remark';

export interface Column {
  /** As the header has it: `category`, `category_id`, `_command`. */
  name: string;
  role: ColumnRole;
  /** The field behind it; none for boh's own. */
  field?: Field | undefined;
  /** The field's name in answers. */
  shown: string;
  /** The names that a request gives it by, where it does. */
  create?: BodyField | undefined;
  update?: BodyField | undefined;
  /** Of a relation: whether cells hold ids, rather than what people call the records. */
  isById: boolean;
  /** Of an id of another record: the column that has what people call it. */
  calledBy?: string | undefined;
  /** Written by an export unless others are asked for. */
  isExported: boolean;
}

/** Columns that are boh's own begin so: no field of the API does. */
export const commandColumn = '_command';
export const reasonColumn = '_reason';
export const deletedColumn = '_deleted';

const known = new WeakMap<Resource, readonly Column[]>();

/** Every column that a file of the resource may have, in the contract's order. */
export function columnsOf(resource: Resource): readonly Column[] {
  const made = known.get(resource) ?? makeColumns(resource);
  known.set(resource, made);
  return made;
}

/** By the name in a header, however it is written: `Storage Unit` is `storage_unit`. */
export function columnNamed(resource: Resource, name: string): Column | undefined {
  const plain = plainName(name);
  return columnsOf(resource).find((column) => column.name === plain);
}

export function plainName(name: string): string {
  return withoutInvisible(name)
    .trim()
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
}

/** Names for which a header may be known. */
export function knownNames(resource: Resource): ReadonlySet<string> {
  return new Set(columnsOf(resource).map(({ name }) => name));
}

function makeColumns(resource: Resource): Column[] {
  const own = (name: string, role: ColumnRole): Column => ({
    name,
    role,
    shown: name,
    isById: false,
    isExported: false,
  });
  const fields = Object.entries(resource.fields).flatMap(([shown, field]) =>
    fieldColumns(resource, shown, field),
  );
  return [
    ...fields,
    own(commandColumn, 'command'),
    own(reasonColumn, 'remark'),
    own(deletedColumn, 'remark'),
  ];
}

function fieldColumns(resource: Resource, shown: string, field: Field): Column[] {
  const [create, update] = ['create', 'update'].map((verb) =>
    operation(resource, verb)?.body.find((entry) => entry.shown === shown),
  );
  const isWritten = (create ?? update) !== undefined && !field.traits.ignored;
  const role = roleOf(shown, isWritten);
  const column: Column = {
    name: shown,
    role,
    field,
    shown,
    create,
    update,
    isById: false,
    isExported: !field.isHidden && role !== 'read_only',
  };
  const { kind } = field;
  if (kind !== 'one' && kind !== 'many') return [column];
  // What lists show of a related record besides its id: its name tells people which it is.
  const title = titleOf(resource, field);
  const calledBy = title === undefined ? undefined : `${shown}.${title}`;
  const byId = { ...column, isById: true, isExported: false, calledBy };
  const names = [`${shown}_id`, `${shown}.id`].filter((name) => kind === 'one' || name.includes('.'));
  const remarks = calledBy === undefined ? [] : [{ ...byId, name: calledBy, role: 'remark' as const }];
  return [column, ...names.map((name) => ({ ...byId, name })), ...remarks];
}

function roleOf(shown: string, isWritten: boolean): ColumnRole {
  if (shown === 'id' || shown === 'updated_at') return shown;
  return isWritten ? 'value' : 'read_only';
}

function titleOf(resource: Resource, field: Field): string | undefined {
  const target = apiOf(resource).resource(field.traits.target ?? '');
  return target ? titleField(target.fields) : 'name';
}
