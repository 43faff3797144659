/** What the columns of a file are: each found among those of the resource, or refused with all the others that aren't. */

import { type FieldMessages, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Resource } from '../../contract/resource.ts';
import { type Column, columnNamed, columnsOf, plainName } from './columns.ts';
import type { ImportOptions } from './options.ts';

/** The column behind a name of the file; undefined for one that is left out. */
export type ColumnFor = (name: string) => Column | undefined;

/** Why a name can be no column of an import. */
export interface ColumnProblem {
  name: string;
  what: string;
}

/**
 * Answers once for each name, however often it is asked for it. `problems` grows as names are asked for. `names` are
 * those of a header, where there is one.
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
    const ours = map.get(name) ?? map.get(name.trim());
    if (ours === '') return undefined;
    const column = elsewhere(columnNamed(resource, ours ?? name));
    if (column === 'left out') return undefined;
    const problem = column ? problemOf(column) : unknown(ours ?? name);
    if (problem !== undefined) problems.push({ name, what: problem });
    if (!column || problem !== undefined || column.role === 'remark' || column.role === 'read_only')
      return undefined;
    const other = fields.get(column.shown);
    if (other !== undefined) problems.push({ name, what: `is the same field as ${other}` });
    fields.set(column.shown, name);
    return column;
  };

  /** Ids of another account name nothing here: what people call the records does, where the file has that, too. */
  const elsewhere = (column: Column | undefined): Column | 'left out' | undefined => {
    const isCalled =
      column?.calledBy !== undefined && names.some((name) => plainName(name) === column.calledBy);
    if (!isReadOnlyIgnored || !column || !isCalled) return column;
    return column.role === 'remark' ? columnNamed(resource, column.shown) : 'left out';
  };

  const problemOf = ({ role }: Column): string | undefined => {
    const isLeftOut = isReadOnlyIgnored || mode === 'delete';
    return role === 'read_only' && !isLeftOut ? "can't be set (--ignore-read-only leaves it out)" : undefined;
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

/** What is to be named anew, and isn't there: what people meant by it would be missing from every record. */
export function mappedInVain(map: ImportOptions['map'], names: readonly string[]): ColumnProblem[] {
  return [...map]
    .filter(([name, ours]) => ours !== '' && !names.some((own) => own === name || own.trim() === name))
    .map(([name]) => ({ name, what: `stands in --map and not in the file.${didYouMean(name, names)}` }));
}

/** A file of thousands of them is of another kind altogether. */
const mostTold = 100;

export function headerFailure(called: string, { command }: Resource, problems: readonly ColumnProblem[]) {
  const fields: FieldMessages = Object.create(null);
  for (const { name, what } of problems.slice(0, mostTold)) fields[name] = [what];
  if (problems.length > mostTold) fields['…'] = [`and ${problems.length - mostTold} more`];
  const count = problems.length === 1 ? 'a column' : `${problems.length} columns`;
  return usage(`${called} has ${count} that can't be imported; nothing was sent.`, {
    fields,
    hint: boh.hint`To rename a column: --map theirs=ours. To leave it out: --map theirs=. ${boh.help(`${command} import`)}`,
  });
}
