/** Matches the columns of a file with those of the resource. All unknown columns are refused together. */

import { type FieldMessages, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Resource } from '../../contract/resource.ts';
import { type Column, columnNamed, columnsOf, plainName } from './columns.ts';
import type { ImportOptions } from './options.ts';

/** Returns the column for a name in the file; undefined for one that is left out. */
export type ColumnFor = (name: string) => Column | undefined;

/** Why a name can't be a column of an import. */
export interface ColumnProblem {
  name: string;
  what: string;
}

/**
 * Returns a function that finds columns, and caches them, with the problems found so far. `names` are those of a header,
 * if there is one.
 */
export function headerFor(
  resource: Resource,
  { map, isReadOnlyIgnored, mode }: Pick<ImportOptions, 'map' | 'isReadOnlyIgnored' | 'mode'>,
  names: readonly string[] = [],
): { columnFor: ColumnFor; problems: ColumnProblem[] } {
  const found = new Map<string, Column | undefined>();
  const fields = new Map<string, string>();
  const problems: ColumnProblem[] = [];

  const look = (name: string): Column | undefined => {
    const field = map.get(name) ?? map.get(name.trim());
    if (field === '') return undefined;
    const column = withoutForeignIds(columnNamed(resource, field ?? name));
    if (column === 'left out') return undefined;
    const problem = column ? problemOf(column) : unknown(field ?? name);
    if (problem !== undefined) problems.push({ name, what: problem });
    if (!column || problem !== undefined || column.role === 'remark' || column.role === 'read_only')
      return undefined;
    const other = fields.get(column.shown);
    if (other !== undefined) problems.push({ name, what: `is the same field as ${other}` });
    fields.set(column.shown, name);
    return column;
  };

  /** Replaces ids of another account by names, if the file has both: those ids don't exist in this account. */
  const withoutForeignIds = (column: Column | undefined): Column | 'left out' | undefined => {
    const isCalled =
      column?.calledBy !== undefined && names.some((name) => plainName(name) === column.calledBy);
    if (!isReadOnlyIgnored || !column || !isCalled) return column;
    return column.role === 'remark' ? columnNamed(resource, column.shown) : 'left out';
  };

  const problemOf = ({ role }: Column): string | undefined => {
    const isLeftOut = isReadOnlyIgnored || mode === 'delete';
    return role === 'read_only' && !isLeftOut ? "can't be set (skip it with --ignore-read-only)" : undefined;
  };

  const unknown = (name: string): string => {
    const all = columnsOf(resource).map((column) => column.name);
    return `is not a field of ${resource.command}.${didYouMean(name, all)}`;
  };

  return {
    problems,
    columnFor: (name) => {
      if (!found.has(name)) found.set(name, look(name));
      return found.get(name);
    },
  };
}

/** Returns problems for names in --map that the file doesn't have. */
export function unknownMapNames(map: ImportOptions['map'], names: readonly string[]): ColumnProblem[] {
  return [...map]
    .filter(([name, field]) => field !== '' && !names.some((own) => own === name || own.trim() === name))
    .map(([name]) => ({ name, what: `is in --map but not in the file.${didYouMean(name, names)}` }));
}

/** Problems that are listed at most. */
const maxListedProblems = 100;

/** Returns the failure for wrong columns. */
export function headerFailure(label: string, { command }: Resource, problems: readonly ColumnProblem[]) {
  const fields: FieldMessages = Object.create(null);
  for (const { name, what } of problems.slice(0, maxListedProblems)) fields[name] = [what];
  if (problems.length > maxListedProblems) fields['…'] = [`and ${problems.length - maxListedProblems} more`];
  const count = problems.length === 1 ? 'a column' : `${problems.length} columns`;
  return usage(`${label} has ${count} that can't be imported; nothing was sent.`, {
    fields,
    hint: boh.hint`To rename a column: --map COLUMN=FIELD. To ignore it: --map COLUMN=. ${boh.help(`${command} import`)}`,
  });
}
