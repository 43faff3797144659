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
import { type ReadingClock, readingClock } from '../../session/reading-clock.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import { type Column, columnNamed, columnsOf, deletedColumn } from '../../tables/columns/columns.ts';
import { isShown, type OutColumn, type RowsText, relatedIn, type TextOptions } from './cells.ts';
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
  const { resource, layout } = request;
  const list = operation(resource, 'list');
  if (!list) throw usage(`${resource.command} can't be listed, so they can't be exported.`);
  const reading = new ExportReading(request, list, wantedColumns(resource, layout));
  return { texts: { [Symbol.asyncIterator]: () => reading.texts() }, facts: () => reading.facts };
}

/** Reads the list page by page, and writes each page as text. */
class ExportReading {
  readonly facts = { rows: 0, missing: [] as readonly string[], seenUntil: undefined as string | undefined };
  readonly #request: Export;
  readonly #list: Operation;
  readonly #wanted: readonly Column[];
  /** The number of records, if the service returns it. */
  #expected: number | undefined;

  constructor(request: Export, list: Operation, wanted: readonly Column[]) {
    this.#request = request;
    this.#list = list;
    this.#wanted = wanted;
  }

  async *texts(): AsyncGenerator<string> {
    const clock = readingClock(this.#request.since);
    let open: OpenText | undefined;
    for await (const rows of this.#batches(clock)) {
      if (rows.length === 0) continue;
      const isFirst = open === undefined;
      open ??= await this.#open(rows);
      await meetRelated(open.columns, rows);
      this.facts.rows += rows.length;
      if (isFirst) yield open.writer.begin(this.#expected);
      yield open.writer.rows(rows);
    }
    if (!open) {
      open = await this.#open([]);
      yield open.writer.begin(undefined);
    }
    this.facts.seenUntil = clock.at();
    yield open.writer.end();
  }

  async *#batches(clock: ReadingClock): AsyncGenerator<readonly Row[]> {
    const { session, filters, sort, withDeleted } = this.#request;
    const query = { filters, sort, optional: includesFor(this.#wanted) };
    const onPage = ({ date, rows, total }: ListPage) => {
      clock.see(date, rows);
      this.#expected = total;
    };
    if (withDeleted) {
      const { is_deleted: _, ...active } = filters;
      const call = { operation: this.#list, query: { ...query, filters: active } };
      yield* recordsWithDeleted(session, call, onPage);
      return;
    }
    const list = session.list({ operation: this.#list, query }, { isWanted: true });
    for await (const page of list.pages()) {
      onPage(page);
      yield page.rows;
    }
  }

  /** Chooses the columns by the first rows, and opens the format. */
  async #open(rows: readonly Row[]): Promise<OpenText> {
    const { session, resource, layout, text } = this.#request;
    const { columns, missing } = await layoutFor(session, resource, this.#wanted, rows, layout);
    this.facts.missing = missing;
    return { columns, writer: rowsText(columns, text) };
  }
}

interface OpenText {
  columns: readonly OutColumn[];
  writer: RowsText;
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
