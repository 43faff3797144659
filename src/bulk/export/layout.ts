/** Which columns a file has: those of the contract, as far as the service shows them to this token. */
import { usage } from '../../base/errors.ts';
import { didYouMean } from '../../base/suggest.ts';
import { pathsTo } from '../../contract/include.ts';
import { splitList } from '../../contract/list-text.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import { type Column, columnNamed, columnsOf, deletedColumn } from '../../tables/columns/columns.ts';
import { isShown, type OutColumn } from './cells.ts';
import { openNames } from './related-names.ts';

export interface LayoutOptions {
  /** Names of columns, as the line has them; else those that an import takes. */
  columns?: string | undefined;
  /** Relations by their ids alone. */
  isById: boolean;
  /** Deleted records are among the rows: a column of its own says so. */
  hasDeleted: boolean;
}

/** Those that are asked for, in order. Throws a usage failure that names all that aren’t there. */
export function wantedColumns(resource: Resource, { columns: asked, hasDeleted }: LayoutOptions): Column[] {
  const all = columnsOf(resource);
  const chosen = asked === undefined ? usualColumns(resource) : chosenColumns(resource, asked);
  const always = ['id', 'updated_at'].filter((name) => !chosen.some((column) => column.name === name));
  const mark = hasDeleted ? [deletedColumn] : [];
  const more = all.filter(({ name }) => [...always, ...mark].includes(name));
  return [
    ...more.filter(({ role }) => role === 'id'),
    ...chosen,
    ...more.filter(({ role }) => role !== 'id'),
  ];
}

/** What nobody can import is worth exporting whole. */
function usualColumns(resource: Resource): Column[] {
  const { create, update } = resource;
  const isWritten = create !== undefined || update !== undefined;
  return columnsOf(resource).filter(({ isExported, name, field }) =>
    isWritten ? isExported : name in resource.fields && !field?.isHidden,
  );
}

function chosenColumns(resource: Resource, asked: string): Column[] {
  const known = columnsOf(resource).filter(({ field }) => field !== undefined && !field.isHidden);
  const names = splitList(asked);
  const unknown = names.filter((name) => !known.some((column) => column === columnNamed(resource, name)));
  if (unknown.length > 0 || names.length === 0) {
    const all = known.map(({ name }) => name);
    const told = unknown.map(
      (name) => `${resource.command} have no column "${name}".${didYouMean(name, all)}`,
    );
    throw usage(told.join(' ') || '--columns needs a name.', { hint: `Columns: ${all.join(', ')}.` });
  }
  return [...new Set(names)].flatMap((name) => columnNamed(resource, name) ?? []);
}

/** Relations that have to be shown for the columns to be filled. */
export function includesFor(columns: readonly Column[]): string[] {
  const needed = columns.flatMap(({ shown, field }) => (field ? pathsTo(shown, field) : []));
  return [...new Set(needed)];
}

export interface Layout {
  columns: OutColumn[];
  /** Columns that the service shows nothing of, as to a token without the scope for them. */
  missing: string[];
}

/** `rows` are the first ones: a column that none of them shows is left out, as nothing is known of it. */
export async function layoutFor(
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

/** By id, with a column beside it that tells people which record it is. */
function byId(resource: Resource, { shown }: Column, isByIdAlone: boolean): Column[] {
  const all = columnsOf(resource).filter((column) => column.shown === shown && column.isById);
  const ids = all.find(({ role }) => role !== 'remark');
  const title = all.find(({ role }) => role === 'remark');
  return [...(ids ? [ids] : []), ...(title && !isByIdAlone ? [title] : [])];
}
