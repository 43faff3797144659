/** `boh find TEXT`: searches records of all resources. */

import { isRefusedList } from '../../account/session/list.ts';
import type { Session } from '../../account/session/session.ts';
import { operation, requireOperation } from '../../api/contract/operation.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { type Failure, usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../context/context.ts';
import { presentInView } from '../output/present.ts';
import { messageResult, type Result } from '../output/result.ts';
import { labelOf } from '../output/wording.ts';
import {
  createMatcher,
  createPhoneMatcher,
  hasPhones,
  isPhonePart,
  searchFilters,
} from '../prompts/search.ts';
import { promptsFor } from '../prompts/terminal/prompts.ts';
import type { Command } from './command.ts';
import { createCommand } from './declare.ts';
import { listableResources, resolveResources } from './flags/shared-flags.ts';
import { readTargetRecords } from './verbs/read.ts';

export function findCommand(context: Context): Command {
  return createCommand(context, {
    name: 'find',
    about:
      'Search records of all resources by part of a name or phone number, or by a complete code or email address.',
    args: [['<text...>', 'the text to search for']],
    flags: [
      ['--in <resources>', 'search only these resources, separated by commas'],
      ['--open', 'show the record; on a terminal, choose it if there are several'],
    ],
    examples: ['boh find Huda', 'boh find 555000222 --in customers,suppliers', 'boh find Huda --open'],
    run: async ([words], { in: resourceNames, open }) => {
      const text = words.join(' ').trim();
      if (text === '') throw usage('Missing the text to search for.');
      const { api } = context;
      const names = resourceNames === undefined ? undefined : [resourceNames];
      const resources = resolveResources(names, '--in', api) ?? listableResources(api).allowed;
      const { matches, searched, incomplete, notAllowed, refused } = await searchAllResources(
        await context.session(),
        resources,
        text,
      );
      if (open && matches.length > 0) return openMatch(matches, text, context);
      const [first] = matches;
      return {
        kind: 'data',
        data: matches,
        columns: [
          { name: 'resource', isIndivisible: true },
          { name: 'id', isIndivisible: true },
          { name: 'name' },
        ],
        idField: 'id',
        emptyNote: `No matches for "${text}".`,
        notes: [
          describeSearch(searched),
          ...(first && context.streams.isTerminal.out
            ? [boh.hint`To open one: ${boh.account(`${first.resource} get`, first.id)}, or add --open`]
            : []),
          ...(incomplete.length > 0
            ? [`Too many matches, not all are shown: ${incomplete.join(', ')}.`]
            : []),
          ...(notAllowed.length > 0
            ? [`Skipped, because the token doesn't allow it: ${notAllowed.join(', ')}.`]
            : []),
          ...refused.map((reason) => `Skipped: ${reason}`),
        ],
      };
    },
  });
}

/** Shows the match; of several, the one that the user chooses. */
async function openMatch(matches: readonly RecordMatch[], text: string, context: Context): Promise<Result> {
  const { api, streams } = context;
  const [only] = matches;
  if (matches.length > 1 && !streams.interactive)
    throw usage(`${matches.length} records match "${text}": --open shows one.`, {
      hint: 'Make the text longer, or search fewer resources with --in.',
    });
  const match =
    matches.length > 1
      ? await (await promptsFor(streams)).pick({
          message: `Which of the matches for "${text}"?`,
          entries: matches.map((value) => ({
            ...{ value, label: value.name, key: value.id, description: `${value.resource} ${value.id}` },
          })),
        })
      : only;
  const resource = match && api.findResource(match.resource);
  if (!resource) return messageResult();
  const get = requireOperation(resource, 'get');
  await presentInView(context, resource, {}, (view) => readTargetRecords([match.id], view, get, context));
  return messageResult();
}

/** Names the searched lists if they are few. */
function describeSearch(lists: readonly string[]): string {
  const names = lists.length <= 5 ? `: ${lists.join(', ')}` : '';
  return `Searched ${lists.length} ${lists.length === 1 ? 'list' : 'lists'}${names}.`;
}

/** The maximum number of records read per filter: some services allow only 30 requests per minute. */
const maxSearchedRecords = 200;

/** The maximum number of records read to find part of a phone number, which services have no filter for. */
const maxListedRecords = 1000;

interface RecordMatch {
  resource: string;
  id: string;
  name: string;
}

interface SearchResult {
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
async function searchAllResources(
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
  const matcher = createMatcher(resource, text);
  const searches = searchFilters(resource, text).map(({ filter, value }) => ({
    ...{ name: filter.name, filters: { [filter.name]: value }, limit: maxSearchedRecords, isMatch: matcher },
  }));
  if (hasPhones(resource) && isPhonePart(text))
    searches.push({
      ...{ name: 'part of a phone number', filters: {} },
      ...{ limit: maxListedRecords, isMatch: createPhoneMatcher(resource, text) },
    });
  for (const { name: filterName, filters, limit, isMatch } of searches) {
    const name = `${resource.command} by ${filterName}`;
    const reading = session.list({ operation: list, query: { filters } }, { limit });
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
