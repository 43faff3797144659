/** Writes the related data of a record: its links, the records that refer to it (children), and its parts. */
import { quoteName } from '../../storage/quote-name.ts';
import { formatTimestamp } from '../calendar.ts';
import type { Context, OperationCall } from '../context.ts';
import type { Cells } from '../store/cells.ts';
import {
  insertRow,
  type LinkRelation,
  type NewLink,
  removeRow,
  replaceChildren,
  replaceLinks,
  updateRow,
} from '../store/rows.ts';
import { positionColumn, type Relation } from '../store/tables.ts';

/** The data of a record to write. */
export interface RecordInput {
  cells: Cells;
  links: { relation: LinkRelation; links: NewLink[] }[];
  /** The IDs of the records that will refer to this record. */
  children: { relation: ChildRelation; ids: string[] }[];
  parts: { relation: ChildRelation; parts: PartInput[] }[];
}

/** A part to write: with an ID, an existing part is changed; without an ID, a part is created. */
export interface PartInput extends RecordInput {
  id: string | undefined;
}

/** A relation that is stored in the other table. */
export type ChildRelation = Exclude<Relation, LinkRelation>;

export function writeRelated(call: OperationCall, id: string, { links, children, parts }: RecordInput): void {
  for (const { relation, links: newLinks } of links) {
    touchLinkedRecords(call, relation, replaceLinks(call.database, relation, id, newLinks));
  }
  for (const { relation, ids } of children) {
    replaceChildren(call.database, relation, id, ids, formatTimestamp(call.now));
  }
  for (const { relation, parts: newParts } of parts) replaceParts(call, relation, id, newParts);
}

/** Replaces the parts of a record. Their order is stored. */
function replaceParts(
  call: OperationCall,
  { target, column }: ChildRelation,
  id: string,
  parts: readonly PartInput[],
): void {
  const { database } = call;
  const sql = `SELECT id FROM ${quoteName(target.name)} WHERE ${quoteName(column)} = ?`;
  const oldIds = database.all(sql, id).map((row) => String(row.id));
  for (const deletedId of oldIds.filter((partId) => !parts.some((part) => part.id === partId))) {
    removeRow(database, target, deletedId);
  }
  for (const [position, part] of parts.entries()) {
    const partId = part.id ?? call.newId(target.name);
    const cells = { ...part.cells, [positionColumn]: position };
    if (part.id === undefined) insertRow(database, target, { ...cells, id: partId, [column]: id });
    else updateRow(database, target, partId, cells);
    writeRelated(call, partId, part);
  }
}

/** Sets `updated_at` of the linked records to the current time, if their responses contain the link. */
export function touchLinkedRecords(
  { database, now }: Context,
  relation: LinkRelation,
  ids: readonly string[],
): void {
  const { target } = relation;
  const containsLink = target.relations.some(
    (targetRelation) =>
      targetRelation.kind === 'links' &&
      targetRelation.table.name === relation.table.name &&
      targetRelation.recordColumn === relation.targetColumn,
  );
  if (!containsLink || ids.length === 0) return;
  database.run(
    `UPDATE ${quoteName(target.name)} SET updated_at = ? WHERE id IN (SELECT value FROM json_each(?))`,
    formatTimestamp(now),
    JSON.stringify(ids),
  );
}
