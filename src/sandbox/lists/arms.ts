/**
 * Ways by which the matches of a filter are found, each in the order of `seq`: what several of them find comes
 * together in that order without being sorted, however much it is.
 */

import { quoted } from '../../storage/quoted.ts';
import type { Cell } from '../store/cells.ts';
import type { LinkRelation } from '../store/links.ts';
import type { Column, Table } from '../store/tables.ts';
import { textCandidates } from '../store/text-index.ts';

export interface Arm {
  /** Another table, as `x`, that knows the matches sooner than the list's own, which is `t`; and what leads from there to it. */
  source?: { table: string; join: string } | undefined;
  /** The match's `seq`, as the arm knows it, and what an index has in that order. */
  seq: string;
  order: string;
  /** Those behind a `seq`, which stands in the place of the mark. */
  behind: string;
  sql: string;
  cells: readonly Cell[];
  /** Whether it comes by some matches more than once. */
  isRepeating?: boolean;
  /** Whether `behind` still costs a look at all that comes before. */
  isOpenedFromStart?: boolean;
}

/** The list's own table. */
export function ownArm(sql: string, cells: readonly Cell[]): Arm {
  return { ...inOwnOrder, sql, cells };
}

const inOwnOrder = { seq: 't.seq', order: 't.seq', behind: 't.seq > ?' };

/** Undefined for text that is too short to be in the index. What it finds may match: whether it does is still to be seen. */
export function textArm(table: Table, column: Column, text: string): Arm | undefined {
  const found = textCandidates(table, column, text);
  if (!found) return undefined;
  const { from, seq, ...rest } = found;
  const source = { table: from, join: `t.seq = ${seq}` };
  return { source, seq: 't.seq', isOpenedFromStart: true, ...rest };
}

/**
 * The link table itself knows who has a link to a record: from the side that declares the relation in their order,
 * from the other one as the few that a single record names.
 */
export function linkArm({ table, target, near, far }: LinkRelation, id: string): Arm {
  const sql = `x.${far} = (SELECT id FROM ${quoted(target.name)} WHERE id = ?${activity(target)})`;
  if (near === 'from_id') return { ...inOrderOfLinks(table.name), sql, cells: [id] };
  const source = { table: `${quoted(table.name)} x`, join: `t.id = x.${near}` };
  return { ...inOwnOrder, source, sql, cells: [id] };
}

/** Who has any link at all. */
export function anyLinkArm({ table, target, far }: LinkRelation): Arm {
  const sql = `EXISTS (SELECT 1 FROM ${quoted(target.name)} WHERE id = x.${far}${activity(target)})`;
  return { ...inOrderOfLinks(table.name), sql, cells: [], isRepeating: true };
}

function inOrderOfLinks(table: string): Pick<Arm, 'source' | 'seq' | 'order' | 'behind'> {
  const source = { table: `${quoted(table)} x`, join: 't.seq = x.from_seq' };
  return { source, seq: 'x.from_seq', order: 'x.from_seq', behind: 'x.from_seq > ?' };
}

function activity({ isSoftDeleted }: Table): string {
  return isSoftDeleted ? ' AND deleted_at IS NULL' : '';
}
