/** Matches the columns of a file with the columns of the resource. All unknown columns are refused together. */

import type { Resource } from '../../../api/contract/resource.ts';
import { type FieldMessages, usage } from '../../../base/errors.ts';
import { boh } from '../../../base/hint.ts';
import { didYouMean } from '../../../base/suggest.ts';
import { type Column, columnsOf, findColumn, normalizeColumnName } from './columns.ts';
import type { ImportOptions } from './options.ts';

/** Returns the column for a name in the file; undefined if the column is ignored. */
export type ColumnFor = (name: string) => Column | undefined;

export interface ColumnProblem {
  name: string;
  message: string;
}

/**
 * Returns a function that finds columns and caches them, and the list to which it adds problems. `names` are the column
 * names of the header, if the file has a header; without one, each row may have other names.
 */
export function matchHeader(
  resource: Resource,
  {
    map,
    isOnlyMapped,
    isReadOnlyIgnored,
    mode,
  }: Pick<ImportOptions, 'map' | 'isOnlyMapped' | 'isReadOnlyIgnored' | 'mode'>,
  names: readonly string[] = [],
  { hasHeader = true } = {},
): { columnFor: ColumnFor; problems: ColumnProblem[] } {
  const columns = new Map<string, Column | undefined>();
  const fields = new Map<string, string>();
  const problems: ColumnProblem[] = [];

  const columnFor = (name: string): Column | undefined => {
    const field = map.get(name) ?? map.get(name.trim()) ?? (isOnlyMapped ? '' : undefined);
    if (field === '') return undefined;
    const column = withoutForeignIds(findColumn(resource, field ?? name));
    if (column === 'ignored') return undefined;
    const problem = column ? problemOf(column) : unknownProblem(field ?? name);
    if (problem !== undefined) problems.push({ name, message: problem });
    if (!column || problem !== undefined || column.role === 'note' || column.role === 'read_only')
      return undefined;
    const otherName = fields.get(column.responseName);
    // Without a header, rows may have different names.
    if (otherName !== undefined && hasHeader)
      problems.push({ name, message: `is the same field as ${otherName}` });
    fields.set(column.responseName, name);
    return column;
  };

  /** Replaces an ID column of another account with the name column if the file has both: the IDs don't exist in this account. */
  const withoutForeignIds = (column: Column | undefined): Column | 'ignored' | undefined => {
    const hasNameColumn =
      column?.nameColumn !== undefined &&
      names.some((name) => normalizeColumnName(name) === column.nameColumn);
    if (!isReadOnlyIgnored || !column || !hasNameColumn) return column;
    return column.role === 'note' ? findColumn(resource, column.responseName) : 'ignored';
  };

  const problemOf = ({ role }: Column): string | undefined => {
    const isIgnored = isReadOnlyIgnored || mode === 'delete';
    return role === 'read_only' && !isIgnored ? "can't be set (skip it with --ignore-read-only)" : undefined;
  };

  const unknownProblem = (name: string): string => {
    const columnNames = columnsOf(resource).map((column) => column.name);
    return `is not a field of ${resource.command}.${didYouMean(name, columnNames)}`;
  };

  return {
    problems,
    columnFor: (name) => {
      if (!columns.has(name)) columns.set(name, columnFor(name));
      return columns.get(name);
    },
  };
}

export function unknownMapNameProblems(map: ImportOptions['map'], names: readonly string[]): ColumnProblem[] {
  return [...map]
    .filter(
      ([name, field]) => field !== '' && !names.some((column) => column === name || column.trim() === name),
    )
    .map(([name]) => ({ name, message: `is in --map but not in the file.${didYouMean(name, names)}` }));
}

/** The maximum number of problems in the message. */
const maxListedProblems = 100;

/** Returns the failure for wrong columns. `command` reads the file: `customers import`. */
export function headerFailure(label: string, command: string, problems: readonly ColumnProblem[]) {
  const fields: FieldMessages = Object.create(null);
  for (const { name, message } of problems.slice(0, maxListedProblems)) fields[name] = [message];
  if (problems.length > maxListedProblems) fields['…'] = [`and ${problems.length - maxListedProblems} more`];
  const count = problems.length === 1 ? 'a column' : `${problems.length} columns`;
  return usage(`${label} has ${count} that can't be imported; nothing was sent.`, {
    fields,
    hint: boh.hint`To rename a column: --map COLUMN=FIELD. To ignore it: --map COLUMN=. If another row is the header: --header-row NUMBER. ${boh.help(command)}`,
  });
}
