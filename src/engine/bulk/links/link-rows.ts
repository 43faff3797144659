/** Exports the links of all records that match the filters as rows of a file. */

import { MissingFields } from '../../../account/session/missing-fields.ts';
import { linksIn } from '../../../account/session/record-body.ts';
import { isRow, type Row } from '../../../account/session/row.ts';
import type { Session } from '../../../account/session/session.ts';
import { one } from '../../../api/contract/field.ts';
import { fieldsToInclude } from '../../../api/contract/include.ts';
import {
  type BodyField,
  linkFields,
  type Operation,
  type OperationLink,
  operation,
  operations,
  requireOperation,
} from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { Failure, usage } from '../../../base/errors.ts';
import { didYouMean } from '../../../base/suggest.ts';
import {
  bohColumn,
  type Column,
  commandColumn,
  normalizeColumnName,
  reasonColumn,
} from '../../tables/columns/columns.ts';
import type { ColumnFor } from '../../tables/columns/match-header.ts';
import type { OpenTable } from '../../tables/open-table.ts';
import { type ExportColumn, type FormatOptions, relatedRecords } from '../export/cells.ts';
import type { ExportResult } from '../export/export-rows.ts';
import { openNames } from '../export/related-names.ts';
import { createRowWriter } from '../export/row-writer.ts';

export interface LinkColumns {
  link: OperationLink;
  linkOperation: Operation;
  /** The record that has the links, by name and by id. */
  owner: readonly [Column, Column];
  /** The linked record, by name and by id. */
  linked: readonly [Column, Column];
  /** The fields of the link, such as `cost`. */
  values: readonly Column[];
  noteColumns: readonly Column[];
}

/** Returns the kinds of links that a resource has, such as `item`. */
export function linkKindsOf(resource: Resource): string[] {
  return linkOperations(resource).map(({ link }) => link?.suffix ?? '');
}

/** Returns the columns of a kind of link. Throws a usage failure that lists the existing kinds if the kind is unknown. */
export function linkColumnsOf(resource: Resource, kind: string | undefined): LinkColumns {
  const linkOperation = linkOperations(resource).find(({ link }) => link?.suffix === kind);
  const link = linkOperation?.link;
  const field = link && resource.fields[link.field];
  if (!linkOperation || !link || !field) {
    const kinds = linkKindsOf(resource);
    const problem =
      kind === undefined
        ? 'The kind of link is missing'
        : `Unknown kind of link "${kind}" for ${resource.command}`;
    throw usage(`${problem}.${didYouMean(kind ?? '', kinds)}`, { hint: `Links: ${kinds.join(', ')}.` });
  }
  return {
    link,
    linkOperation,
    owner: relationColumns(resource.one.replaceAll('-', '_'), resource.name),
    linked: relationColumns(link.suffix.replaceAll('-', '_'), field.traits.target ?? ''),
    values: linkFields(field).map((entry) => valueColumn(entry.name, entry)),
    noteColumns: [bohColumn(commandColumn, 'command'), bohColumn(reasonColumn, 'note')],
  };
}

/** Returns all columns in the order of the file. */
export function allColumns({ owner, linked, values, noteColumns }: LinkColumns): Column[] {
  return [...owner, ...linked, ...values, ...noteColumns];
}

/**
 * Returns a function that finds the column for a name in the file. Throws one usage failure for all unknown columns of a
 * header. Without a header, the function throws it.
 */
export function linkColumnFinder({
  table,
  columns,
  label,
  resource,
}: {
  table: Pick<OpenTable, 'columns'>;
  columns: LinkColumns;
  label: string;
  resource: Resource;
}): ColumnFor {
  const existingColumns = allColumns(columns);
  const columnOf = (name: string) =>
    existingColumns.find((column) => column.name === normalizeColumnName(name));
  const unknownColumnsFailure = (names: readonly string[]) => {
    const fields = names.map((name) => {
      const message = `is not a field of the links of ${resource.nouns}.${didYouMean(
        name,
        existingColumns.map((column) => column.name),
      )}`;
      return [name, [message]] as [string, string[]];
    });
    return usage(`${label} has columns that can't be imported; nothing was sent.`, {
      fields: Object.fromEntries(fields),
      hint: `Columns: ${existingColumns.map(({ name }) => name).join(', ')}.`,
    });
  };
  const unknownNames = (table.columns ?? []).filter((name) => name !== '' && !columnOf(name));
  if (unknownNames.length > 0) throw unknownColumnsFailure(unknownNames);
  return (name) => {
    const column = columnOf(name);
    if (!column) throw unknownColumnsFailure([name]);
    return column;
  };
}

function linkOperations(resource: Resource): Operation[] {
  return operations(resource).filter(({ effect }) => effect === 'link');
}

function relationColumns(name: string, target: string): [Column, Column] {
  const field = one(target);
  const entry = { name: `${name}_id`, responseName: name, field, isRequired: true, mustBeSent: true };
  const column = valueColumn(name, entry);
  return [column, { ...column, name: `${name}_id`, isById: true }];
}

function valueColumn(name: string, entry: BodyField): Column {
  const { field, responseName } = entry;
  const requests = { create: entry, update: entry };
  return { name, role: 'value', field, responseName, ...requests, isById: false, isExported: true };
}

interface LinkExport {
  session: Session;
  resource: Resource;
  columns: LinkColumns;
  filters: Readonly<Record<string, string>>;
  isById: boolean;
  text: FormatOptions;
  /** Whether links that the service doesn't return are omitted. Otherwise the export fails. */
  isOptional?: boolean;
}

/** Returns the kinds of links that an update doesn't accept. They are exported to separate files. */
export function separateLinks(resource: Resource): LinkColumns[] {
  const updateFields = operation(resource, 'update')?.body ?? [];
  return linkKindsOf(resource)
    .map((kind) => linkColumnsOf(resource, kind))
    .filter(({ link }) => !updateFields.some(({ responseName }) => responseName === link.field));
}

/** Exports links. Reading the chunks throws `unavailable` if the service doesn't return the links. */
export function exportLinks(request: LinkExport): ExportResult {
  const { session, resource, columns, filters, isById, text } = request;
  const { owner, linked, values, link } = columns;
  const list = requireOperation(resource, 'list');
  const missingRelations = new MissingFields();
  const include = fieldsToInclude(resource, [link.field]);
  const query = { filters, include, onMissing: missingRelations.of(resource) };
  let count = 0;
  const missing = new Set<string>();
  const collectRows = (record: Row): Row[] => {
    if (!request.isOptional || Array.isArray(record[link.field])) return linkRows(record, columns, resource);
    missing.add(link.field);
    return [];
  };

  async function* chunks(): AsyncGenerator<string> {
    const recordColumns = isById ? [owner[1], linked[1]] : [await withNames(owner), await withNames(linked)];
    const exportColumns: ExportColumn[] = [...recordColumns, ...values];
    const writer = createRowWriter(exportColumns, text);
    let hasBegun = false;
    for await (const records of session.list({ operation: list, query }, { readsAll: true }).batches()) {
      if (!hasBegun) yield writer.begin(undefined);
      hasBegun = true;
      const rows = records.flatMap(collectRows);
      for (const column of exportColumns) {
        await column.names?.addRecords(rows.flatMap((row) => relatedRecords(column, row)));
      }
      count += rows.length;
      if (rows.length > 0) yield writer.rows(rows);
    }
    if (!hasBegun) yield writer.begin(undefined);
    yield writer.end();
  }

  const withNames = async ([byName, byId]: readonly [Column, Column]): Promise<ExportColumn> => {
    const names = byName.field && (await openNames(session, resource, byName.field));
    return names ? { ...byName, names } : byId;
  };

  return {
    chunks: { [Symbol.asyncIterator]: chunks },
    summary: () => ({ rows: count, missing: [...missing], missingRelations, completeUntil: undefined }),
  };
}

/** Returns the links of a record. Throws `unavailable` if the service doesn't return them. */
export function requireLinks(record: Row, { link }: LinkColumns, { noun }: Resource): Row[] {
  const links = linksIn(record, link.field);
  if (links) return links;
  throw new Failure(
    'unavailable',
    `The service doesn't return the ${link.field} of the ${noun} ${record.id}.`,
  );
}

/** Returns a row for each link of a record: the fields of the link, and the records at both ends. */
function linkRows(record: Row, columns: LinkColumns, resource: Resource): Row[] {
  const { owner, linked } = columns;
  return requireLinks(record, columns, resource).map(({ pivot, ...linkedRecord }) => {
    return {
      ...(isRow(pivot) ? pivot : {}),
      [owner[0].responseName]: record,
      [linked[0].responseName]: linkedRecord,
    };
  });
}
