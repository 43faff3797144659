/** The links of all records that the filters leave, as the text of a file: a row a link. */
import { Failure, usage } from '../../base/errors.ts';
import { shownWhenAsked } from '../../contract/include.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import { isRow, type Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import type { Column } from '../../tables/columns/columns.ts';
import { type OutColumn, relatedIn } from '../export/cells.ts';
import type { Exported } from '../export/export-rows.ts';
import { openNames } from '../export/related-names.ts';
import { rowsText } from '../export/rows-text.ts';
import type { TextOptions } from '../export/text-options.ts';
import type { LinkColumns } from './link-columns.ts';

export interface LinkExport {
  session: Session;
  resource: Resource;
  columns: LinkColumns;
  filters: Readonly<Record<string, string>>;
  isById: boolean;
  text: TextOptions;
}

/** Throws `not_allowed` while its texts are read where the service doesn’t show the links. */
export function exportLinks({ session, resource, columns, filters, isById, text }: LinkExport): Exported {
  const { own, other, held, link } = columns;
  const list = operation(resource, 'list');
  if (!list) throw usage(`${resource.command} can’t be listed, and so not exported.`);
  const include = shownWhenAsked(resource, [link.field]);
  let count = 0;

  async function* texts(): AsyncGenerator<string> {
    const named = isById ? [own[1], other[1]] : [await withNames(own), await withNames(other)];
    const out: OutColumn[] = [...named, ...held];
    const writer = await rowsText(out, text);
    yield writer.begin(undefined);
    for await (const records of session
      .list({ operation: list as NonNullable<typeof list>, query: { filters, include } }, { isWanted: true })
      .batches()) {
      const rows = records.flatMap((record) => linksIn(record, columns, resource));
      for (const column of out) {
        await column.names?.meet(rows.flatMap((row) => relatedIn(column, row)));
      }
      count += rows.length;
      if (rows.length > 0) yield writer.rows(rows);
    }
    yield writer.end();
  }

  const withNames = async ([byName, byId]: readonly [Column, Column]): Promise<OutColumn> => {
    const names = byName.field && (await openNames(session, resource, byName.field));
    return names ? { ...byName, names } : byId;
  };

  return {
    texts: { [Symbol.asyncIterator]: texts },
    facts: () => ({ rows: count, missing: [], seenUntil: undefined }),
  };
}

/** A link as a row: both its ends, and what it holds. */
function linksIn(record: Row, { own, other, link }: LinkColumns, { noun }: Resource): Row[] {
  const links = record[link.field];
  if (!Array.isArray(links)) {
    throw new Failure(
      'unavailable',
      `The service doesn’t show the ${link.field} of the ${noun} ${record.id}.`,
    );
  }
  return links.filter(isRow).map((linked) => {
    const { pivot, ...rest } = linked;
    return { ...(isRow(pivot) ? pivot : {}), [own[0].shown]: record, [other[0].shown]: rest };
  });
}
