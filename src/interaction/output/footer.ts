/** What stands below a list: how many there are, and how to see the rest. */
import type { Resource } from '../../contract/resource.ts';
import type { ListFacts } from '../../session/list.ts';
import { counted } from './wording.ts';

/** `page` is the one that was asked for by itself. */
export function footer(resource: Resource, facts: ListFacts, page?: number): string {
  const { count, total, lastPage, isCut, hasMore } = facts;
  const some = total === undefined ? counted(resource, count) : `${count} of ${counted(resource, total)}`;
  if (count === 0) return `No ${resource.nouns} found.`;
  if (page !== undefined) return `Page ${page}${lastPage ? ` of ${lastPage}` : ''}: ${some}.`;
  if (isCut) return `${some}; --limit leaves out the rest.`;
  if (hasMore === 'no') return `${counted(resource, count)}.`;
  const rest = { yes: ', and there are more', unknown: '; there may be more' }[hasMore];
  return `${some}${total === undefined ? rest : ''}. To see the rest, add --all, or --page 2.`;
}
