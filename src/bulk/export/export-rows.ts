/**
 * Exports the records of a resource as the text of a file, a page at a time: everything that matches the filters, or
 * nothing.
 */
import { usage } from '../../base/errors.ts';
import { didYouMean } from '../../base/suggest.ts';
import { includePaths } from '../../contract/include.ts';
import { splitList } from '../../contract/list-text.ts';
import { type Operation, operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { type ListPage, recordsWithDeleted } from '../../session/list.ts';
import { readingClock } from '../../session/reading-clock.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import { type Column, columnNamed, columnsOf, deletedColumn } from '../../tables/columns/columns.ts';
import { isShown, type OutColumn, relatedIn, type TextOptions } from './cells.ts';
import { openNames } from './related-names.ts';
import { rowsText } from './rows-text.ts';

/** What an export writes. */
export interface Export {
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
  text: TextOptions;
}

/** The result of an export. */
export interface Exported {
  /** The text of the file, which can be read once. It throws if the list can't be read whole. */
  texts: AsyncIterable<string>;
  /** Returns the facts, which are known once the text has been read. */
  facts(): ExportFacts;
}

/** The facts of an export for messages. */
export interface ExportFacts {
  rows: number;
  /** The columns for which the service shows no values. */
  missing: readonly string[];
  /** The time until which changes were seen, by the service's clock. */
  seenUntil: string | undefined;
}

/** Returns the export of a resource. Throws for unknown columns, before anything is requested. */
export function exportRows(request: Export): Exported {
  const { session, resource, filters, sort, layout: options } = request;
  const list = operation(resource, 'list');
  if (!list) throw usage(`${resource.command} can't be listed, so they can't be exported.`);
  const wanted = wantedColumns(resource, options);
  const query = { filters, sort, optional: includesFor(wanted) };
  const facts: { rows: number; missing: readonly string[]; seenUntil: string | undefined } = {
    rows: 0,
    missing: [],
    seenUntil: undefined,
  };

  async function* batches(onPage: (page: ListPage) => void): AsyncGenerator<readonly Row[]> {
    if (request.withDeleted) {
      const { is_deleted: _, ...active } = filters;
      yield* recordsWithDeleted(
        session,
        { operation: list as Operation, query: { ...query, filters: active } },
        onPage,
      );
      return;
    }
    for await (const page of session
      .list({ operation: list as Operation, query }, { isWanted: true })
      .pages()) {
      onPage(page);
      yield page.rows;
    }
  }

  async function* texts(): AsyncGenerator<string> {
    const clock = readingClock(request.since);
    let expected: number | undefined;
    const onPage = ({ date, rows, total }: ListPage) => {
      clock.see(date, rows);
      expected = total;
    };
    let writer: Awaited<ReturnType<typeof rowsText>> | undefined;
    let columns: OutColumn[] = [];
    const begin = async (rows: readonly Row[], expected?: number) => {
      const layout = await layoutFor(session, resource, wanted, rows, options);
      columns = layout.columns;
      facts.missing = layout.missing;
      writer = rowsText(columns, request.text);
      return writer.begin(expected);
    };
    for await (const rows of batches(onPage)) {
      if (rows.length === 0) continue;
      const before = writer ? '' : await begin(rows, expected);
      await meetRelated(columns, rows);
      facts.rows += rows.length;
      yield before + (writer?.rows(rows) ?? '');
    }
    if (!writer) yield await begin([]);
    facts.seenUntil = clock.at();
    yield writer?.end() ?? '';
  }

  return { texts: { [Symbol.asyncIterator]: texts }, facts: () => facts };
}

async function meetRelated(columns: readonly OutColumn[], rows: readonly Row[]): Promise<void> {
  for (const column of columns) {
    if (column.names) await column.names.meet(rows.flatMap((row) => relatedIn(column, row)));
  }
}

interface LayoutOptions {
  /** The names of columns on the command line, or else all that an import accepts. */
  columns?: string | undefined;
  /** Whether relations are written as ids. */
  isById: boolean;
  /** Whether deleted records are among the rows, which a column of its own shows. */
  hasDeleted: boolean;
}

/** Returns the requested columns in order. Throws a usage failure that names all unknown columns. */
function wantedColumns(resource: Resource, { columns: request, hasDeleted }: LayoutOptions): Column[] {
  const all = columnsOf(resource);
  const chosen = request === undefined ? usualColumns(resource) : chosenColumns(resource, request);
  const always = ['id', 'updated_at'].filter((name) => !chosen.some((column) => column.name === name));
  const mark = hasDeleted ? [deletedColumn] : [];
  const more = all.filter(({ name }) => [...always, ...mark].includes(name));
  return [
    ...more.filter(({ role }) => role === 'id'),
    ...chosen,
    ...more.filter(({ role }) => role !== 'id'),
  ];
}

/** Returns the columns that an import accepts, or all columns if the resource can't be imported. */
function usualColumns(resource: Resource): Column[] {
  const { create, update } = resource;
  const isWritten = create !== undefined || update !== undefined;
  return columnsOf(resource).filter(({ isExported, name, field }) =>
    isWritten ? isExported : name in resource.fields && !field?.isHidden,
  );
}

function chosenColumns(resource: Resource, request: string): Column[] {
  const known = columnsOf(resource).filter(({ field }) => field !== undefined && !field.isHidden);
  const names = splitList(request);
  const unknown = names.filter((name) => !known.some((column) => column === columnNamed(resource, name)));
  if (unknown.length > 0 || names.length === 0) {
    const all = known.map(({ name }) => name);
    const messages = unknown.map(
      (name) => `${resource.command} have no column "${name}".${didYouMean(name, all)}`,
    );
    throw usage(messages.join(' ') || '--columns needs a name.', { hint: `Columns: ${all.join(', ')}.` });
  }
  return [...new Set(names)].flatMap((name) => columnNamed(resource, name) ?? []);
}

/** Returns the relations that have to be requested to fill the columns. */
function includesFor(columns: readonly Column[]): string[] {
  const needed = columns.flatMap(({ shown, field }) => (field ? includePaths(shown, field) : []));
  return [...new Set(needed)];
}

interface Layout {
  columns: OutColumn[];
  /** The columns for which the service shows no values, for example because the token lacks the scope. */
  missing: string[];
}

/** Returns the columns to write. `rows` are the first rows: a column that none of them shows is omitted. */
async function layoutFor(
  session: Session,
  resource: Resource,
  wanted: readonly Column[],
  rows: readonly Row[],
  { isById }: Pick<LayoutOptions, 'isById'>,
): Promise<Layout> {
  const isKnown = (column: Column) => rows.length === 0 || rows.some((row) => isShown(column, row));
  const columns: OutColumn[] = [];
  for (const column of wanted.filter(isKnown)) {
    const { field } = column;
    const isRelation = (field?.kind === 'one' || field?.kind === 'many') && column.role !== 'remark';
    if (!field || !isRelation || column.isById) columns.push(column);
    else {
      const names = isById ? undefined : await openNames(session, resource, field);
      if (names) columns.push({ ...column, names });
      else columns.push(...byId(resource, column, isById));
    }
  }
  return { columns, missing: wanted.filter((column) => !isKnown(column)).map(({ name }) => name) };
}

/** Returns the id column of a relation, with a column after it that shows the name of the record. */
function byId(resource: Resource, { shown }: Column, isByIdAlone: boolean): Column[] {
  const all = columnsOf(resource).filter((column) => column.shown === shown && column.isById);
  const ids = all.find(({ role }) => role !== 'remark');
  const title = all.find(({ role }) => role === 'remark');
  return [...(ids ? [ids] : []), ...(title && !isByIdAlone ? [title] : [])];
}
