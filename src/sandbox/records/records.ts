/** Converts rows to records of responses. Related records are IDs, or whole records if they are included. */
import type { Field, Fields } from '../../api/contract/field.ts';
import { scopesToInclude } from '../../api/contract/include.ts';
import type { Resource } from '../../api/contract/resource.ts';
import type { Database, StoredRow } from '../../base/storage/database.ts';
import { canReadField, describeScopes } from '../access/access.ts';
import type { Grant } from '../access/tokens.ts';
import type { Variant } from '../business/settings.ts';
import type { OperationCall } from '../context.ts';
import { badRequest, unauthorized } from '../http/message.ts';
import { fromCell, fromCells, kinds } from '../kinds.ts';
import { ruleOf } from '../rules/index.ts';
import { findRows, type LinkedRecord, linkedRecords } from '../store/rows.ts';
import type { Column, Relation, StoredField, Table, Tables } from '../store/tables.ts';

export type ApiRecord = { id: string } & { [field: string]: unknown };

/** The context that determines which fields and relations records have in a response. */
export interface RecordView {
  database: Database;
  tables: Tables;
  grant: Grant;
  include: Include;
  /** The settings for relations that aren't included, for parts of records, and for values. */
  variant: Pick<Variant, 'wire.relations' | 'wire.parts' | 'wire.scalars'>;
  /** Whether the records are those of a list. */
  isList?: boolean;
}

/** Returns the records for a response, in the order of the rows. */
export function apiRecordsOf(view: RecordView, table: Table, rows: readonly StoredRow[]): ApiRecord[] {
  const ids = rows.map((row) => String(row.id));
  const records: ApiRecord[] = ids.map((id) => ({ id }));
  for (const storedField of table.storedFields) {
    const { fieldName, field } = storedField;
    if (!canReadField(field, view.grant) || isOmitted(view, fieldName, field)) continue;
    const values = valuesOf(view, table, storedField, rows, ids);
    // Without entries(): a page has a thousand fields, and this runs for every page.
    records.forEach((record, index) => {
      const value = values?.[index];
      if (!isReturned(field, value)) return;
      record[fieldName] = hasOtherForms(view, rows[index]) ? otherForm(fieldName, value) : value;
    });
  }
  for (const name of ruleOf(table.name).extraColumns ?? []) {
    for (const [index, record] of records.entries()) record[name] = rows[index]?.[name];
  }
  return records;
}

/** Returns whether a field is returned. A field without a value is omitted unless the API document allows null. */
function isReturned({ traits }: Field, value: unknown): boolean {
  return value !== undefined && (value !== null || traits.nullable === true);
}

export function apiRecordOf(view: RecordView, table: Table, row: StoredRow): ApiRecord {
  const [record] = apiRecordsOf(view, table, [row]);
  if (!record) throw new Error('Expected one record for one row');
  return record;
}

/**
 * Returns whether a relation is omitted. Relations that can't be included are never omitted. Where lists have no parts,
 * single records always have them.
 */
function isOmitted(
  { include, variant, isList = false }: RecordView,
  fieldName: string,
  { kind, traits }: Field,
): boolean {
  const { storedAs } = kinds[kind];
  if (storedAs === 'parts' && variant['wire.parts'] === 'single') return isList;
  return (
    variant['wire.relations'] === 'absent' &&
    storedAs !== 'cell' &&
    traits.includable === true &&
    !include.has(fieldName)
  );
}

/** Returns whether a record has other types of values than in the API document. */
function hasOtherForms({ variant }: RecordView, row: StoredRow | undefined): boolean {
  return variant['wire.scalars'] === 'mixed' && Number(row?.seq) % 2 === 0;
}

function otherForm(fieldName: string, value: unknown): unknown {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return fieldName === 'dial_code' && typeof value === 'number' ? String(value) : value;
}

/** Returns the values of one field for all records, so that a relation takes one query per page. */
function valuesOf(
  view: RecordView,
  table: Table,
  { column, relation }: StoredField,
  rows: readonly StoredRow[],
  ids: readonly string[],
): unknown[] | undefined {
  if (column && kinds[column.field.kind].storedAs === 'id') return singleRelations(view, column, rows);
  if (column) {
    const { name } = column;
    return fromCells(
      column.field,
      rows.map((row) => row[name]),
    );
  }
  return relation && manyRelations(view, table, relation, ids);
}

function singleRelations(
  view: RecordView,
  { name, field, fieldName }: Column,
  rows: readonly StoredRow[],
): unknown[] {
  const ids = rows.map((row) => row[name]).filter((id) => typeof id === 'string');
  const includedById = includedRecords(
    view,
    { fieldName, field },
    () => view.tables.get(field.traits.target ?? ''),
    ids,
  );
  return rows.map((row) => {
    const id = row[name];
    return typeof id === 'string' ? (includedById?.get(id) ?? { id }) : null;
  });
}

function manyRelations(
  view: RecordView,
  table: Table,
  relation: Relation,
  ids: readonly string[],
): unknown[] {
  const linkedById = linkedRecords(view.database, relation, ids);
  const linkedIds = [...linkedById.values()].flat().map(({ id }) => id);
  const includedById = includedRecords(view, relation, () => relation.target, linkedIds);
  const hasPivot = relation.kind === 'links' && relation.field.traits.pivot !== undefined;
  return ids.map((id) =>
    (linkedById.get(id) ?? []).map((linkedRecord) => {
      const record = includedById?.get(linkedRecord.id) ?? { id: linkedRecord.id };
      return hasPivot ? { ...record, ...pivotOf(table, relation, id, linkedRecord) } : record;
    }),
  );
}

/**
 * Returns the included records by ID; undefined if the request doesn't include the relation, so that the response
 * contains only IDs.
 */
function includedRecords(
  view: RecordView,
  { fieldName, field }: { fieldName: string; field: Field },
  getTarget: () => Table,
  ids: readonly string[],
): Map<string, ApiRecord> | undefined {
  const include = view.include.get(fieldName) ?? (isReturnedWhole(view, field) ? noRelations : undefined);
  if (!include) return undefined;
  const table = getTarget();
  const rows = findRows(view.database, table, [...new Set(ids)]);
  return new Map(apiRecordsOf({ ...view, include }, table, rows).map((record) => [record.id, record]));
}

/**
 * Returns whether a relation is returned with all fields although it isn't included: clients can't read the names of
 * branches and warehouses otherwise, and parts that only single records have.
 */
function isReturnedWhole(
  { tables, variant }: RecordView,
  { kind, traits: { target = '', includable } }: Field,
): boolean {
  if (kinds[kind].storedAs === 'parts') return variant['wire.parts'] === 'single';
  return kinds[kind].storedAs === 'id' && !includable && tables.api.reference(target)?.isNamed === true;
}

/** Returns the data of a link, and the IDs of both records if the API document contains them. */
function pivotOf(
  table: Table,
  relation: Relation,
  id: string,
  linkedRecord: LinkedRecord,
): { pivot?: object } {
  const { pivot } = relation.field.traits;
  if (!pivot || relation.kind !== 'links') return {};
  const idsByName = new Map([
    [pivotIdName(table), id],
    [pivotIdName(relation.target), linkedRecord.id],
  ]);
  const values = Object.entries(pivot).flatMap(([name, field]) => {
    const value = idsByName.get(name) ?? fromCell(field, linkedRecord.link[name]);
    return isReturned(field, value) ? [[name, value] as const] : [];
  });
  return { pivot: Object.fromEntries(values) };
}

/** Returns the name of a record's ID in a pivot, such as `tax_group_id` for a "tax group". */
function pivotIdName({ noun }: Table): string {
  return `${noun.replaceAll(' ', '_')}_id`;
}

/** The tree of included relations. */
export type Include = ReadonlyMap<string, Include>;

type Tree = Map<string, Tree>;

/** The tree without relations. */
export const noRelations: Include = new Map();

/** The maximum depth. Relations can be circular, and each level multiplies the size of the response. */
const maxDepth = 4;

/**
 * Parses the parameter. Refuses relations that can't be included or that the token can't read. A lenient sandbox ignores
 * empty names, such as that after a trailing comma.
 */
export function parseInclude(
  { tables, grant, variant }: Pick<OperationCall, 'tables' | 'grant' | 'variant'>,
  resource: Resource,
  text: string | undefined,
): Include {
  const tree: Tree = new Map();
  const isStrict = variant['wire.requests'] === 'strict';
  for (const path of text?.split(',').filter((name) => isStrict || name !== '') ?? []) {
    addPath(tables, tree, resource.fields, path);
    const missingScopes = scopesToInclude(resource, path).find(
      (scopes) => !scopes.some((scope) => grant.scopes.has(scope)),
    );
    if (missingScopes) throw unauthorized(`Including ${path} requires ${describeScopes(missingScopes)}.`);
  }
  return tree;
}

function addPath(tables: Tables, tree: Tree, fields: Fields, path: string): void {
  const parts = path.split('.');
  if (parts.length > maxDepth) throw badRequest(`${path} has more than ${maxDepth} relations.`);
  let [branch, branchFields] = [tree, fields];
  for (const part of parts) {
    const field = Object.hasOwn(branchFields, part) ? branchFields[part] : undefined;
    if (!field?.traits.includable) {
      const names = Object.keys(branchFields).filter((name) => branchFields[name]?.traits.includable);
      throw badRequest(
        `${path} can't be included${part === path ? '' : `: ${part} is not an includable relation`}. Includable: ${names.join(', ') || 'none'}.`,
      );
    }
    const childBranch: Tree = branch.get(part) ?? new Map();
    branch.set(part, childBranch);
    const { target, fields: nestedFields } = field.traits;
    [branch, branchFields] = [childBranch, nestedFields ?? (target ? tables.get(target).fields : {})];
  }
}
