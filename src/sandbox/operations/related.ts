/** Writes what belongs to a record in addition to its own row: links, records that refer to it, and its parts. */
import { quoted } from '../../storage/quoted.ts';
import { formatTimestamp } from '../calendar.ts';
import type { Context, OperationCall } from '../context.ts';
import type { Cells } from '../store/cells.ts';
import { type LinkRelation, type NewLink, replaceChildren, replaceLinks } from '../store/links.ts';
import { insertRow, removeRow, updateRow } from '../store/rows.ts';
import { positionColumn, type Relation } from '../store/tables.ts';

/** The data of a record to write. */
export interface RecordInput {
  cells: Cells;
  links: { relation: LinkRelation; links: NewLink[] }[];
  /** The ids of the records that should refer to this one, by their own relation. */
  children: { relation: ChildRelation; ids: string[] }[];
  parts: { relation: ChildRelation; parts: PartInput[] }[];
}

/** A part with an id exists and is changed; one without is created. */
export interface PartInput extends RecordInput {
  id: string | undefined;
}

/** A relation that the other table stores. */
export type ChildRelation = Exclude<Relation, LinkRelation>;

/** Writes the links, children and parts of a record. */
export function writeRelated(call: OperationCall, id: string, { links, children, parts }: RecordInput): void {
  for (const { relation, links: wanted } of links) {
    touchOthers(call, relation, replaceLinks(call.database, relation, id, wanted));
  }
  for (const { relation, ids } of children) {
    replaceChildren(call.database, relation, id, ids, formatTimestamp(call.now));
  }
  for (const { relation, parts: wanted } of parts) replaceParts(call, relation, id, wanted);
}

/** Makes these the record's only parts, in this order. */
function replaceParts(
  call: OperationCall,
  { target, column }: ChildRelation,
  id: string,
  parts: readonly PartInput[],
): void {
  const { database } = call;
  const sql = `SELECT id FROM ${quoted(target.name)} WHERE ${quoted(column)} = ?`;
  const before = database.all(sql, id).map((row) => String(row.id));
  for (const deletedId of before.filter((partId) => !parts.some((part) => part.id === partId))) {
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

/** Updates the time of change of the records at the other end of a link. */
export function touchOthers(
  { database, now }: Context,
  relation: LinkRelation,
  ids: readonly string[],
): void {
  const { target } = relation;
  const isShown = target.relations.some(
    (other) =>
      other.kind === 'links' && other.table.name === relation.table.name && other.near === relation.far,
  );
  if (!isShown || ids.length === 0) return;
  database.run(
    `UPDATE ${quoted(target.name)} SET updated_at = ? WHERE id IN (SELECT value FROM json_each(?))`,
    formatTimestamp(now),
    JSON.stringify(ids),
  );
}
