/** Formats counts, names of records and the footer of lists for people. */

import type { ListSummary } from '../../account/session/list.ts';
import { type Api, apiOf } from '../../api/contract/api.ts';
import type { Operation } from '../../api/contract/operation.ts';
import { type Resource, titleFields } from '../../api/contract/resource.ts';
import { wordOf } from '../../api/contract/value-text.ts';
import { shortenValue } from '../../base/short-value.ts';
import type { ShownRow } from '../terminal/value-at.ts';

/** Formats a count with the noun of a resource: "1 customer", "2 customers". */
export function formatCount({ noun, nouns }: Resource, count: number): string {
  return `${count} ${count === 1 ? noun : nouns}`;
}

/** Formats the number of records that a run changes: "3 customers". For links it is the number of linked records. */
export function formatTargetCount({ resource, link, params }: Operation, count: number): string {
  if (!link) return formatCount(resource, count);
  return formatCountByName(apiOf(resource), params[1]?.target ?? '', count);
}

/** Formats a count with the noun of the resource that has this API name. */
export function formatCountByName(api: Api, name: string, count: number): string {
  return `${count} ${count === 1 ? api.nounOf(name) : api.nounsOf(name)}`;
}

/** Returns the title of a record without its resource: the first non-empty of the usual title fields, else the ID. */
export function inferTitle(record: ShownRow): string {
  for (const name of [...titleFields, 'id']) {
    const value = record[name];
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'number' || value instanceof Number) return String(value);
  }
  return '';
}

/** Returns the name of a record with its key or kind: `Tomatoes (SKU-001)`, `Regular (customer)`. */
export function labelOf({ key, columns, fields }: Resource, record: ShownRow): string {
  const title = inferTitle(record);
  // Records without a natural key, such as addresses, are distinguished by the text fields of their table row.
  const textFields = columns.filter((name) => name !== 'id' && fields[name]?.kind === 'text');
  const codes = (key.length > 0 ? key : textFields)
    .map((name) => record[name])
    .filter((value) => value !== title);
  const kinds = columns.map((name) => fields[name] && wordOf(fields[name], record[name]));
  const details = [...codes, ...kinds].filter((part) => part !== undefined && part !== null && part !== '');
  return details.length === 0 ? title : `${title} (${details.join(', ')})`;
}

/** Returns the noun, name and ID of a record: `supplier "Fresh Farms" (42)`. The name is omitted if it isn't known. */
export function describeRecord(noun: string, id: string, record: ShownRow | undefined): string {
  const title = record && inferTitle(record);
  return !title || title === id ? `${noun} ${shortenValue(id)}` : `${noun} "${shortenValue(title)}" (${id})`;
}

/** Formats the line below a list: the number of records, and how to list more. `page` is set if only this page was requested. */
export function formatFooter(resource: Resource, summary: ListSummary, page?: number): string {
  const { count, total, lastPage, leftOut, pages, isLimited, hasMore } = summary;
  const countText =
    total === undefined ? formatCount(resource, count) : `${count} of ${formatCount(resource, total)}`;
  const deletedText = leftOut === 0 ? '' : `, without ${leftOut} deleted`;
  if (page !== undefined && count + leftOut > 0)
    return `Page ${page}${lastPage ? ` of ${lastPage}` : ''}: ${countText}${deletedText}.`;
  if (count === 0 && (leftOut === 0 || hasMore === 'no')) return `No ${resource.nouns} found.`;
  if (isLimited) return `${countText}, limited by --limit.`;
  if (hasMore === 'no') return `${formatCount(resource, count)}.`;
  const remainder = { yes: ', and there are more', unknown: '; there may be more' }[hasMore];
  const more = total === undefined ? deletedText + remainder : '';
  return `${countText}${more}. To list more: --all or --page ${pages + 1}.`;
}
