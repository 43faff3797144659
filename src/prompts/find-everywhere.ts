/** Searches the records of all resources for text. */
import type { Failure } from '../base/errors.ts';
import { operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { labelOf } from '../output/wording.ts';
import { isRefusedList } from '../session/list.ts';
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
  /** The resources that the token may not list. */
  notAllowed: string[];
  /** The other lists and filters that the service refused, with its reasons. */
  refused: string[];
}

/** Searches all resources and returns the matches. Throws only if nothing could be searched. */
export async function searchAllResources(
  session: Session,
  resources: readonly Resource[],
  text: string,
): Promise<SearchResult> {
  const result: SearchResult = { matches: [], searched: [], incomplete: [], notAllowed: [], refused: [] };
  const failures: Failure[] = [];
  const onRefused = (failure: Failure, { command }: Resource, filter: string) => {
    failures.push(failure);
    const { category, message } = failure;
    if (category !== 'not_allowed') result.refused.push(`${filter}: ${message}`);
    else if (!result.notAllowed.includes(command)) result.notAllowed.push(command);
  };
  const matches = await Promise.all(
    resources.map((resource) => searchResource(session, resource, text, result, onRefused)),
  );
  if (failures[0] && result.searched.length === 0) throw failures[0];
  result.matches = matches.flat();
  return result;
}

async function searchResource(
  session: Session,
  resource: Resource,
  text: string,
  result: SearchResult,
  onRefused: (failure: Failure, resource: Resource, filter: string) => void,
): Promise<RecordMatch[]> {
  const list = operation(resource, 'list');
  if (!list) return [];
  const matchesById = new Map<string, RecordMatch>();
  const isMatch = createMatcher(resource, text);
  for (const { filter, value } of searchFilters(resource, text)) {
    const name = `${resource.command} by ${filter.name}`;
    const reading = session.list(
      { operation: list, query: { filters: { [filter.name]: value } } },
      { limit: maxSearchedRecords },
    );
    try {
      for await (const row of reading.rows()) {
        const id = String(row.id);
        if (isMatch(row))
          matchesById.set(id, { resource: resource.command, id, name: labelOf(resource, row) });
      }
    } catch (error) {
      if (!isRefusedList(error)) throw error;
      onRefused(error, resource, name);
      continue;
    }
    result.searched.push(name);
    if (reading.summary().isLimited) result.incomplete.push(name);
  }
  return [...matchesById.values()];
}
