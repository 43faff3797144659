/**
 * Builds search paths: ways to find the matches of a filter, each in the order of `seq`. The results of several search
 * paths are merged in that order without sorting.
 */

import { quoteName } from '../../storage/quote-name.ts';
import type { Cell } from '../store/cells.ts';
import type { LinkRelation } from '../store/links.ts';
import type { Table } from '../store/tables.ts';

/** One way to find the matches of a filter. */
export interface SearchPath {
  /**
   * Another table, with the alias `x`, that finds the matches faster than the table of the list (`t`), and its join.
   */
  source?: { table: string; join: string } | undefined;
  /** The expression for the `seq` of a match. */
  seq: string;
  sql: string;
  cells: readonly Cell[];
  /** Whether it can find a match more than once. */
  hasDuplicates?: boolean;
}

/** Returns a search path in the table of the list. */
export function ownTablePath(sql: string, cells: readonly Cell[]): SearchPath {
  return { seq: 't.seq', sql, cells };
}

/**
 * Returns a search path in the link table, for records that are linked to a record. On the side that declares the
 * relation, the results are in order. On the other side they aren't, but one record has few links.
 */
export function linkPath(
  { table, target, recordColumn, targetColumn }: LinkRelation,
  id: string,
): SearchPath {
  const sql = `x.${targetColumn} = (SELECT id FROM ${quoteName(target.name)} WHERE id = ?${activeSql(target)})`;
  if (recordColumn === 'from_id') return { ...linkTableOrder(table.name), sql, cells: [id] };
  const source = { table: `${quoteName(table.name)} x`, join: `t.id = x.${recordColumn}` };
  return { source, seq: 't.seq', sql, cells: [id] };
}

/** Returns a search path for records that have at least one link. */
export function anyLinkPath({ table, target, targetColumn }: LinkRelation): SearchPath {
  const sql = `EXISTS (SELECT 1 FROM ${quoteName(target.name)} WHERE id = x.${targetColumn}${activeSql(target)})`;
  return { ...linkTableOrder(table.name), sql, cells: [], hasDuplicates: true };
}

function linkTableOrder(table: string): Pick<SearchPath, 'source' | 'seq'> {
  const source = { table: `${quoteName(table)} x`, join: 't.seq = x.from_seq' };
  return { source, seq: 'x.from_seq' };
}

function activeSql({ isSoftDeleted }: Table): string {
  return isSoftDeleted ? ' AND deleted_at IS NULL' : '';
}
