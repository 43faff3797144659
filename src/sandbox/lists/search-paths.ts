/**
 * Ways to find the matches of a filter, each in the order of `seq`. The results of several are merged in that order
 * without sorting, however many there are.
 */

import { quoted } from '../../storage/quoted.ts';
import type { Cell } from '../store/cells.ts';
import type { LinkRelation } from '../store/links.ts';
import type { Column, Table } from '../store/tables.ts';
import { textCandidates } from '../store/text-index.ts';

/** One way to find matches. */
export interface SearchPath {
  /**
   * Another table, as `x`, that finds the matches faster than the list's own table `t`, and the join between them.
   */
  source?: { table: string; join: string } | undefined;
  /** The expression for the match's `seq`, and the one that an index is ordered by. */
  seq: string;
  order: string;
  /** The condition for matches after a `seq`, which replaces the question mark. */
  afterSql: string;
  sql: string;
  cells: readonly Cell[];
  /** Whether it finds some matches more than once. */
  hasDuplicates?: boolean;
}

/** Searches the list's own table. */
export function ownPath(sql: string, cells: readonly Cell[]): SearchPath {
  return { ...ownTableOrder, sql, cells };
}

const ownTableOrder = { seq: 't.seq', order: 't.seq', afterSql: 't.seq > ?' };

/**
 * Searches the text index. Returns undefined if the text is too short for it. The results may match: the condition
 * must still be checked.
 */
export function textPath(table: Table, column: Column, text: string): SearchPath | undefined {
  const candidates = textCandidates(table, column, text);
  if (!candidates) return undefined;
  const { from, seq, ...rest } = candidates;
  const source = { table: from, join: `t.seq = ${seq}` };
  return { source, seq: 't.seq', ...rest };
}

/**
 * Searches the link table for records linked to a record. From the side that declares the relation, they come in
 * order; from the other side, they are the few that one record names.
 */
export function linkPath({ table, target, near, far }: LinkRelation, id: string): SearchPath {
  const sql = `x.${far} = (SELECT id FROM ${quoted(target.name)} WHERE id = ?${activeSql(target)})`;
  if (near === 'from_id') return { ...linkTableOrder(table.name), sql, cells: [id] };
  const source = { table: `${quoted(table.name)} x`, join: `t.id = x.${near}` };
  return { ...ownTableOrder, source, sql, cells: [id] };
}

/** Searches for records that have any link. */
export function anyLinkPath({ table, target, far }: LinkRelation): SearchPath {
  const sql = `EXISTS (SELECT 1 FROM ${quoted(target.name)} WHERE id = x.${far}${activeSql(target)})`;
  return { ...linkTableOrder(table.name), sql, cells: [], hasDuplicates: true };
}

function linkTableOrder(table: string): Pick<SearchPath, 'source' | 'seq' | 'order' | 'afterSql'> {
  const source = { table: `${quoted(table)} x`, join: 't.seq = x.from_seq' };
  return { source, seq: 'x.from_seq', order: 'x.from_seq', afterSql: 'x.from_seq > ?' };
}

function activeSql({ isSoftDeleted }: Table): string {
  return isSoftDeleted ? ' AND deleted_at IS NULL' : '';
}
