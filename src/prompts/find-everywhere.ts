/** Searches the records of all resources for a text. */
import { Failure } from '../base/errors.ts';
import { operation } from '../contract/operation.ts';
import type { Resource } from '../contract/resource.ts';
import { labelOf } from '../output/wording.ts';
import type { Session } from '../session/session.ts';
import { isSearched, searchFilters } from './search.ts';

/** Records read per filter at most: some services allow only 30 requests per minute. */
const maxSearchedRecords = 200;

/** A record that was found. */
export interface FoundRecord {
  resource: string;
  id: string;
  name: string;
}

/** The result of a search. */
export interface Finding {
  found: FoundRecord[];
  /** The filters that were used: `customers by phone`. */
  searched: string[];
  /** The filters whose results were too long to be read completely. */
  cut: string[];
  /** Resources that the token may not list. */
  notAllowed: string[];
}

/** Searches all resources. Those that the token may not list are skipped and returned in `notAllowed`. */
export async function findEverywhere(
  session: Session,
  resources: readonly Resource[],
  text: string,
): Promise<Finding> {
  const finding: Finding = { found: [], searched: [], cut: [], notAllowed: [] };
  const parts = await Promise.all(
    resources.map(async (resource) => {
      try {
        return await findAmong(session, resource, text, finding);
      } catch (error) {
        if (!(error instanceof Failure) || error.category !== 'not_allowed') throw error;
        finding.notAllowed.push(resource.command);
        return [];
      }
    }),
  );
  finding.found = parts.flat();
  return finding;
}

async function findAmong(
  session: Session,
  resource: Resource,
  text: string,
  finding: Finding,
): Promise<FoundRecord[]> {
  const list = operation(resource, 'list');
  if (!list) return [];
  const found = new Map<string, FoundRecord>();
  const isWanted = isSearched(resource, text);
  for (const { filter, value } of searchFilters(resource, text)) {
    finding.searched.push(`${resource.command} by ${filter.name}`);
    const reading = session.list(
      { operation: list, query: { filters: { [filter.name]: value } } },
      { limit: maxSearchedRecords },
    );
    for await (const row of reading.rows()) {
      const id = String(row.id);
      if (isWanted(row)) found.set(id, { resource: resource.command, id, name: labelOf(resource, row) });
    }
    if (reading.facts().isCut) finding.cut.push(`${resource.command} by ${filter.name}`);
  }
  return [...found.values()];
}
