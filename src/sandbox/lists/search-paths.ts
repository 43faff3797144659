/**
 * Builds search paths: ways to find the matches of a filter, each in the order of `seq`. The results of several search
 * paths are merged in that order without sorting.
 */

import { quoteName } from '../../storage/quote-name.ts';
import type { Cell } from '../store/cells.ts';
import type { LinkRelation } from '../store/links.ts';
import type { Column, Table } from '../store/tables.ts';
import { textCandidates } from '../store/text-index.ts';

/** One way to find the matches of a filter. */
export interface SearchPath {
  /**
   * Another table, with the alias `x`, that finds the matches faster than the table of the list (`t`), and its join.
   */
  source?: { table: string; join: string } | undefined;
  /** The expression for the `seq` of a match, and the expression by which an index is ordered. */
  seq: string;
  order: string;
  /** The condition for matches after a `seq`, which is the parameter. */
  afterSql: string;
  sql: string;
  cells: readonly Cell[];
  /** Whether it can find a match more than once. */
  hasDuplicates?: boolean;
}

/** Returns a search path in the table of the list. */
export function ownTablePath(sql: string, cells: readonly Cell[]): SearchPath {
  return { ...ownTableOrder, sql, cells };
}

const ownTableOrder = { seq: 't.seq', order: 't.seq', afterSql: 't.seq > ?' };

/**
 * Returns a search path in the text index; undefined if the text is too short for it. It can also find other records, so
 * the condition must still be checked.
 */
export function textPath(table: Table, column: Column, text: string): SearchPath | undefined {
  const candidates = textCandidates(table, column, text);
  if (!candidates) return undefined;
  const { from, seq, ...pathProperties } = candidates;
  const source = { table: from, join: `t.seq = ${seq}` };
  return { source, seq: 't.seq', ...pathProperties };
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
  return { ...ownTableOrder, source, sql, cells: [id] };
}

/** Returns a search path for records that have at least one link. */
export function anyLinkPath({ table, target, targetColumn }: LinkRelation): SearchPath {
  const sql = `EXISTS (SELECT 1 FROM ${quoteName(target.name)} WHERE id = x.${targetColumn}${activeSql(target)})`;
  return { ...linkTableOrder(table.name), sql, cells: [], hasDuplicates: true };
}

function linkTableOrder(table: string): Pick<SearchPath, 'source' | 'seq' | 'order' | 'afterSql'> {
  const source = { table: `${quoteName(table)} x`, join: 't.seq = x.from_seq' };
  return { source, seq: 'x.from_seq', order: 'x.from_seq', afterSql: 'x.from_seq > ?' };
}

function activeSql({ isSoftDeleted }: Table): string {
  return isSoftDeleted ? ' AND deleted_at IS NULL' : '';
}
