/** Exports all records of a resource that match the filters, as a file. Reads one page at a time. */

import { type ListPage, recordsWithDeleted } from '../../../account/session/list.ts';
import { MissingFields } from '../../../account/session/missing-fields.ts';
import { type ReadingClock, startReadingClock } from '../../../account/session/reading-clock.ts';
import type { Row } from '../../../account/session/row.ts';
import type { Session } from '../../../account/session/session.ts';
import { splitList } from '../../../api/contract/comma-list.ts';
import { includePaths } from '../../../api/contract/include.ts';
import { type Operation, requireOperation } from '../../../api/contract/operation.ts';
import { otherFieldsOf } from '../../../api/contract/other-fields.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { usage } from '../../../base/errors.ts';
import { didYouMean } from '../../../base/suggest.ts';
import {
  type Column,
  columnsOf,
  deletedColumn,
  findColumn,
  otherFieldsColumn,
} from '../../tables/columns/columns.ts';
import {
  type ExportColumn,
  type FormatOptions,
  hasColumnValue,
  type RowWriter,
  relatedRecords,
} from './cells.ts';
import { openNames } from './related-names.ts';
import { createRowWriter } from './row-writer.ts';

/** The request for an export: the records and the format. */
export interface ExportRequest {
  session: Session;
  resource: Resource;
  /** The filters, by the names in the API document. */
  filters: Readonly<Record<string, string>>;
  sort?: readonly string[] | undefined;
  /** The time until which an earlier export has written all changes, `YYYY-MM-DD HH:MM:SS` in UTC. */
  since?: string | undefined;
  /** Whether deleted records are written as well as active ones. */
  withDeleted?: boolean;
  layout: LayoutOptions;
  text: FormatOptions;
}

export interface ExportResult {
  /** The file in chunks, which can be read once. Throws if the list can't be read completely. */
  chunks: AsyncIterable<string>;
  /** Returns the summary, which is complete after all chunks have been read. */
  summary(): ExportSummary;
}

export interface ExportSummary {
  rows: number;
  /** The columns for which the service returned no values. */
  missing: readonly string[];
  /** The relations that the service doesn't return. */
  missingRelations: MissingFields;
  /** The export contains all changes until this time, by the service's clock. */
  completeUntil: string | undefined;
}

/** Returns the export of a resource. Throws for unknown columns, before anything is requested. */
export function exportRows(request: ExportRequest): ExportResult {
  const { resource, layout } = request;
  const list = requireOperation(resource, 'list');
  const reader = new ExportReader(request, list, resolveColumns(resource, layout));
  return { chunks: { [Symbol.asyncIterator]: () => reader.chunks() }, summary: () => reader.summary };
}

/** Reads the list page by page, and formats each page. */
class ExportReader {
  readonly summary = {
    rows: 0,
    missing: [] as readonly string[],
    missingRelations: new MissingFields(),
    completeUntil: undefined as string | undefined,
  };
  readonly #request: ExportRequest;
  readonly #list: Operation;
  readonly #columns: readonly Column[];
  /** The number of records, if the service returns it. */
  #expectedRows: number | undefined;

  constructor(request: ExportRequest, list: Operation, columns: readonly Column[]) {
    this.#request = request;
    this.#list = list;
    this.#columns = columns;
  }

  async *chunks(): AsyncGenerator<string> {
    const clock = startReadingClock(this.#request.since);
    let current: ColumnWriter | undefined;
    for await (const rows of this.#batches(clock)) {
      if (rows.length === 0) continue;
      const isFirst = current === undefined;
      current ??= await this.#openWriter(rows);
      await addRelated(current.columns, rows);
      this.summary.rows += rows.length;
      if (isFirst) yield current.writer.begin(this.#expectedRows);
      yield current.writer.rows(rows);
    }
    if (!current) {
      current = await this.#openWriter([]);
      yield current.writer.begin(undefined);
    }
    this.summary.completeUntil = clock.startedAt();
    yield current.writer.end();
  }

  async *#batches(clock: ReadingClock): AsyncGenerator<readonly Row[]> {
    const { session, filters, sort, withDeleted } = this.#request;
    const onMissing = this.summary.missingRelations.of(this.#request.resource);
    const query = { filters, sort, optional: relationsFor(this.#columns), onMissing };
    const onPage = ({ date, rows, total }: ListPage) => {
      clock.observe(date, rows);
      this.#expectedRows = total;
    };
    if (withDeleted) {
      const { is_deleted: _, ...active } = filters;
      const call = { operation: this.#list, query: { ...query, filters: active } };
      yield* recordsWithDeleted(session, call, onPage);
      return;
    }
    const list = session.list({ operation: this.#list, query }, { readsAll: true });
    for await (const page of list.pages()) {
      onPage(page);
      yield page.rows;
    }
  }

  /** Chooses the columns by the first rows, and creates the writer. */
  async #openWriter(rows: readonly Row[]): Promise<ColumnWriter> {
    const { session, resource, layout, text } = this.#request;
    const { columns, missing } = await resolveLayout(session, resource, this.#columns, rows, layout);
    this.summary.missing = missing;
    return { columns, writer: createRowWriter(columns, text) };
  }
}

interface ColumnWriter {
  columns: readonly ExportColumn[];
  writer: RowWriter;
}

async function addRelated(columns: readonly ExportColumn[], rows: readonly Row[]): Promise<void> {
  for (const column of columns) {
    if (column.names) await column.names.addRecords(rows.flatMap((row) => relatedRecords(column, row)));
  }
}

interface LayoutOptions {
  /** The column names from the command line. The default is all columns that an import accepts. */
  columns?: string | undefined;
  /** Whether relations are written as ids. */
  isById: boolean;
  /** Whether the rows include deleted records, which an extra column marks. */
  hasDeleted: boolean;
}

/** Returns the requested columns in order. Throws a usage failure that names all unknown columns. */
function resolveColumns(resource: Resource, { columns: columnList, hasDeleted }: LayoutOptions): Column[] {
  const allColumns = columnsOf(resource);
  const selectedColumns =
    columnList === undefined ? defaultColumns(resource) : selectColumns(resource, columnList);
  const requiredNames = ['id', 'updated_at'].filter(
    (name) => !selectedColumns.some((column) => column.name === name),
  );
  const deletedNames = hasDeleted ? [deletedColumn] : [];
  const extraColumns = allColumns.filter(({ name }) => [...requiredNames, ...deletedNames].includes(name));
  return [
    ...extraColumns.filter(({ role }) => role === 'id'),
    ...selectedColumns,
    ...extraColumns.filter(({ role }) => role !== 'id'),
    ...(columnList === undefined ? allColumns.filter(({ name }) => name === otherFieldsColumn) : []),
  ];
}

/** Returns the columns that an import accepts, or all columns if the resource can't be imported. */
function defaultColumns(resource: Resource): Column[] {
  const { create, update } = resource;
  const isWritable = create !== undefined || update !== undefined;
  return columnsOf(resource).filter(({ isExported, name, field }) =>
    isWritable ? isExported : name in resource.fields && !field?.isHidden,
  );
}

function selectColumns(resource: Resource, columnList: string): Column[] {
  const availableColumns = columnsOf(resource).filter(({ field }) => field !== undefined && !field.isHidden);
  const names = splitList(columnList);
  const unknownNames = names.filter(
    (name) => !availableColumns.some((column) => column === findColumn(resource, name)),
  );
  if (unknownNames.length > 0 || names.length === 0) {
    const availableNames = availableColumns.map(({ name }) => name);
    const messages = unknownNames.map(
      (name) => `${resource.command} have no column "${name}".${didYouMean(name, availableNames)}`,
    );
    throw usage(messages.join(' ') || '--columns needs a name.', {
      hint: `Columns: ${availableNames.join(', ')}.`,
    });
  }
  return [...new Set(names)].flatMap((name) => findColumn(resource, name) ?? []);
}

function relationsFor(columns: readonly Column[]): string[] {
  const paths = columns.flatMap(({ responseName, field }) =>
    field ? includePaths(responseName, field) : [],
  );
  return [...new Set(paths)];
}

interface Layout {
  columns: ExportColumn[];
  /** The columns for which the service returned no values, for example because the token lacks the scope. */
  missing: string[];
}

/** Returns the columns to write. `rows` are the first rows: a column without a value in any of them is omitted. */
async function resolveLayout(
  session: Session,
  resource: Resource,
  requestedColumns: readonly Column[],
  rows: readonly Row[],
  { isById }: Pick<LayoutOptions, 'isById'>,
): Promise<Layout> {
  const hasOtherFields = rows.some((row) => nonEmpty(otherFieldsOf(resource, row)));
  const hasValues = (column: Column) =>
    column.name === otherFieldsColumn
      ? hasOtherFields
      : rows.length === 0 || rows.some((row) => hasColumnValue(column, row));
  const columns: ExportColumn[] = [];
  for (const column of requestedColumns.filter(hasValues)) {
    const { field } = column;
    const isRelation = (field?.kind === 'one' || field?.kind === 'many') && column.role !== 'note';
    if (column.name === otherFieldsColumn)
      columns.push({ ...column, read: (row) => nonEmpty(otherFieldsOf(resource, row)) });
    else if (!field || !isRelation || column.isById) columns.push(column);
    else {
      const names = isById ? undefined : await openNames(session, resource, field);
      if (names) columns.push({ ...column, names });
      else columns.push(...idColumns(resource, column, isById));
    }
  }
  return {
    columns,
    missing: requestedColumns.flatMap((column) =>
      hasValues(column) || column.name === otherFieldsColumn ? [] : [column.name],
    ),
  };
}

function nonEmpty(fields: Row): Row | undefined {
  return Object.keys(fields).length === 0 ? undefined : fields;
}

/** Returns the id column of a relation, followed by the column with the name of the record unless it is excluded. */
function idColumns(resource: Resource, { responseName }: Column, isWithoutTitle: boolean): Column[] {
  const columns = columnsOf(resource).filter(
    (column) => column.responseName === responseName && column.isById,
  );
  const idColumn = columns.find(({ role }) => role !== 'note');
  const titleColumn = columns.find(({ role }) => role === 'note');
  return [...(idColumn ? [idColumn] : []), ...(titleColumn && !isWithoutTitle ? [titleColumn] : [])];
}
