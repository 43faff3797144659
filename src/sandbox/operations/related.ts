/** What stands beside a record's own row: its links, the records that name it, its parts with all that is theirs. */
import { quoted } from '../../storage/quoted.ts';
import { writeMoment } from '../calendar.ts';
import type { Call } from '../call.ts';
import type { Context } from '../context.ts';
import type { Cells } from '../store/cells.ts';
import { type LinkRelation, type NewLink, replaceChildren, replaceLinks } from '../store/links.ts';
import { insertRow, removeRow, updateRow } from '../store/rows.ts';
import { positionColumn, type Relation } from '../store/tables.ts';

/** A record as it is to be written. */
export interface Input {
  cells: Cells;
  links: { relation: LinkRelation; links: NewLink[] }[];
  /** The ids of the records that are to name this one, by their own relation to it. */
  children: { relation: ChildRelation; ids: string[] }[];
  parts: { relation: ChildRelation; parts: NewPart[] }[];
}

/** A part with an id is there already and is changed; one without is made. */
export interface NewPart extends Input {
  id: string | undefined;
}

export type ChildRelation = Exclude<Relation, LinkRelation>;

export function writeRelated(call: Call, id: string, { links, children, parts }: Input): void {
  for (const { relation, links: wanted } of links) {
    touchOthers(call, relation, replaceLinks(call.database, relation, id, wanted));
  }
  for (const { relation, ids } of children) {
    replaceChildren(call.database, relation, id, ids, writeMoment(call.now));
  }
  for (const { relation, parts: wanted } of parts) replaceParts(call, relation, id, wanted);
}

/** These are all there are then, in this order. */
function replaceParts(
  call: Call,
  { target, column }: ChildRelation,
  id: string,
  parts: readonly NewPart[],
): void {
  const { database } = call;
  const sql = `SELECT id FROM ${quoted(target.name)} WHERE ${quoted(column)} = ?`;
  const before = database.all(sql, id).map((row) => String(row.id));
  for (const gone of before.filter((partId) => !parts.some((part) => part.id === partId))) {
    removeRow(database, target, gone);
  }
  for (const [position, part] of parts.entries()) {
    const partId = part.id ?? call.newId(target.name);
    const cells = { ...part.cells, [positionColumn]: position };
    if (part.id === undefined) insertRow(database, target, { ...cells, id: partId, [column]: id });
    else updateRow(database, target, partId, cells);
    writeRelated(call, partId, part);
  }
}

/** The records on the far side of a link that was made, changed or removed. */
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
    writeMoment(now),
    JSON.stringify(ids),
  );
}
