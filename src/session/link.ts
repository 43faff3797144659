/** A link from one record to another, as answers show it: an entry of a list, with what the link itself holds under `pivot`. */
import { isRow, type Row } from '../client/shape.ts';

/** Those that the record shows in a field; undefined where it shows none of that field. */
export function linksIn(record: Row | null | undefined, field: string): Row[] | undefined {
  const links = record?.[field];
  return Array.isArray(links) ? links.filter(isRow) : undefined;
}

/** The one to the record with this id. */
export function linkTo(
  record: Row | null | undefined,
  field: string,
  id: string | undefined,
): Row | undefined {
  return linksIn(record, field)?.find((link) => String(link.id) === id);
}

/** What it holds itself; nothing where there is no link. */
export function pivotOf(link: Row | undefined): Row {
  return isRow(link?.pivot) ? link.pivot : {};
}
