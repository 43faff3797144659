/** A record whose links change has changed, on both sides where both show the link. */
import { writeMoment } from '../calendar.ts';
import type { Context } from '../context.ts';
import type { LinkRelation } from '../store/links.ts';
import { quoted } from '../store/quoted.ts';

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
