/** Searches the records of all resources for text. */
import { Failure } from '../base/errors.ts';
import { operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { labelOf } from '../output/wording.ts';
import type { Session } from '../session/session.ts';
import { createMatcher, searchFilters } from './search.ts';

/** The maximum number of records read per filter: some services allow only 30 requests per minute. */
const maxSearchedRecords = 200;

/** A record that matches the search. */
export interface RecordMatch {
  resource: string;
  id: string;
  name: string;
}

/** The result of a search. */
export interface SearchResult {
  matches: RecordMatch[];
  /** The filters that were used: `customers by phone`. */
  searched: string[];
  /** The filters whose results were too long to read completely. */
  incomplete: string[];
  /** Resources that the token may not list. */
  notAllowed: string[];
}

/** Searches all resources and returns the matches. Resources that the token may not list are returned in `notAllowed`. */
export async function searchAllResources(
  session: Session,
  resources: readonly Resource[],
  text: string,
): Promise<SearchResult> {
  const result: SearchResult = { matches: [], searched: [], incomplete: [], notAllowed: [] };
  const matches = await Promise.all(
    resources.map(async (resource) => {
      try {
        return await searchResource(session, resource, text, result);
      } catch (error) {
        if (!(error instanceof Failure) || error.category !== 'not_allowed') throw error;
        result.notAllowed.push(resource.command);
        return [];
      }
    }),
  );
  result.matches = matches.flat();
  return result;
}

async function searchResource(
  session: Session,
  resource: Resource,
  text: string,
  result: SearchResult,
): Promise<RecordMatch[]> {
  const list = operation(resource, 'list');
  if (!list) return [];
  const matchesById = new Map<string, RecordMatch>();
  const isMatch = createMatcher(resource, text);
  for (const { filter, value } of searchFilters(resource, text)) {
    result.searched.push(`${resource.command} by ${filter.name}`);
    const reading = session.list(
      { operation: list, query: { filters: { [filter.name]: value } } },
      { limit: maxSearchedRecords },
    );
    for await (const row of reading.rows()) {
      const id = String(row.id);
      if (isMatch(row)) matchesById.set(id, { resource: resource.command, id, name: labelOf(resource, row) });
    }
    if (reading.summary().isLimited) result.incomplete.push(`${resource.command} by ${filter.name}`);
  }
  return [...matchesById.values()];
}
