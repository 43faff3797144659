/** The columns that import reads and export writes, derived from the contract. */
import { apiOf } from '../../../api/contract/api.ts';
import type { Field } from '../../../api/contract/field.ts';
import { removeInvisible } from '../../../api/contract/normalize-key.ts';
import { type BodyField, operation } from '../../../api/contract/operation.ts';
import { type Resource, titleField } from '../../../api/contract/resource.ts';

export type ColumnRole =
  /** The record's id. */
  | 'id'
  /** The time of the last change when the file was written. */
  | 'updated_at'
  /** A value of the record that can be written. */
  | 'value'
  /** A value of the record that can't be written. */
  | 'read_only'
  /** The command for the row. */
  | 'command'
  /** A note for people, which import ignores. */
  | 'note';

export interface Column {
  /** The name in the header: `category`, `category_id`, `_command`. */
  name: string;
  role: ColumnRole;
  /** The field of the column; undefined for boh's own columns. */
  field?: Field | undefined;
  responseName: string;
  /** The field of the request that creates a record, if it can be set then. */
  create?: BodyField | undefined;
  /** The field of the request that updates a record, if it can be changed. */
  update?: BodyField | undefined;
  /** Whether the cells of a relation contain ids instead of names. */
  isById: boolean;
  /** The column with the name of the related record, for a column with its id. */
  nameColumn?: string | undefined;
  /** Whether an export writes it by default. */
  isExported: boolean;
}

/** The column with the command for a row. boh's own columns start with an underscore, unlike the fields of the API. */
export const commandColumn = '_command';
/** The column for the reason why a row failed. */
export const reasonColumn = '_reason';
/** The column with true for deleted records. */
export const deletedColumn = '_deleted';
/** The column with the fields that the API document doesn't list, as a JSON object. */
export const otherFieldsColumn = 'other_fields';

const columnsByResource = new WeakMap<Resource, readonly Column[]>();

/** Returns all columns that a file of the resource may have, in the order of the contract. */
export function columnsOf(resource: Resource): readonly Column[] {
  const columns = columnsByResource.get(resource) ?? createColumns(resource);
  columnsByResource.set(resource, columns);
  return columns;
}

/** Returns the column with a name in any spelling, such as `Storage Unit`; undefined if there is none. */
export function findColumn(resource: Resource, name: string): Column | undefined {
  const normalized = normalizeColumnName(name);
  return columnsOf(resource).find((column) => column.name === normalized);
}

/** Returns a column name in lower case with underscores. */
export function normalizeColumnName(name: string): string {
  return removeInvisible(name)
    .trim()
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');
}

export function columnNamesOf(resource: Resource): ReadonlySet<string> {
  return new Set(columnsOf(resource).map(({ name }) => name));
}

function createColumns(resource: Resource): Column[] {
  const fields = Object.entries(resource.fields).flatMap(([name, field]) =>
    fieldColumns(resource, name, field),
  );
  return [
    ...fields,
    bohColumn(commandColumn, 'command'),
    bohColumn(reasonColumn, 'note'),
    bohColumn(deletedColumn, 'note'),
    bohColumn(otherFieldsColumn, 'note'),
  ];
}

export function bohColumn(name: string, role: ColumnRole): Column {
  return { name, role, responseName: name, isById: false, isExported: false };
}

function fieldColumns(resource: Resource, responseName: string, field: Field): Column[] {
  const [create, update] = ['create', 'update'].map((verb) =>
    operation(resource, verb)?.body.find((entry) => entry.responseName === responseName),
  );
  const isWritable = (create ?? update) !== undefined && !field.traits.ignored;
  const role = roleOf(responseName, isWritable);
  const column: Column = {
    name: responseName,
    role,
    field,
    responseName,
    create,
    update,
    isById: false,
    isExported: !field.isHidden && role !== 'read_only',
  };
  const { kind } = field;
  if (kind !== 'one' && kind !== 'many') return [column];
  // Exports contain the name of a related record next to its ID.
  const title = titleFieldOf(resource, field);
  const nameColumn = title === undefined ? undefined : `${responseName}.${title}`;
  const byId: Column = { ...column, isById: true, isExported: false, nameColumn };
  const names = [`${responseName}_id`, `${responseName}.id`].filter(
    (name) => kind === 'one' || name.includes('.'),
  );
  const titleColumns = nameColumn === undefined ? [] : [{ ...byId, name: nameColumn, role: 'note' as const }];
  return [column, ...names.map((name) => ({ ...byId, name })), ...titleColumns];
}

function roleOf(responseName: string, isWritable: boolean): ColumnRole {
  if (responseName === 'id' || responseName === 'updated_at') return responseName;
  return isWritable ? 'value' : 'read_only';
}

function titleFieldOf(resource: Resource, field: Field): string | undefined {
  const target = apiOf(resource).resource(field.traits.target ?? '');
  return target ? titleField(target.fields) : 'name';
}
