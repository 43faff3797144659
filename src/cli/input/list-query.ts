/** Parses the query of a list from its flags and checks it against the contract before a request is sent. */

import type { ListQuery } from '../../account/client/request.ts';
import { splitList } from '../../api/contract/comma-list.ts';
import { includeProblem, sortableFields } from '../../api/contract/include.ts';
import type { Resource } from '../../api/contract/resource.ts';
import { flagName, parseFilterValue } from '../../api/contract/value-text.ts';
import { type FieldMessages, violations } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { didYouMean, likelyTypo } from '../../base/suggest.ts';

export interface ListFlags {
  /** The values of `--filter KEY=VALUE`, which are sent unchanged. */
  filter?: readonly string[] | undefined;
  include?: string;
  sort?: string;
  page?: string;
  limit?: string;
}

export interface QueryFlags extends ListFlags {
  filters: readonly { name: string; values: string[] }[];
}

/** Returns the query. Throws one failure for all problems. With `unchecked`, includes and sorts are not checked. */
export async function parseListQuery(
  resource: Resource,
  flags: QueryFlags,
  now: Date,
  unchecked: boolean,
): Promise<ListQuery> {
  const messages: FieldMessages = Object.create(null);
  // Users type the keys, so __proto__ must be an ordinary key.
  const filters: Record<string, string> = Object.create(null);
  for (const { name, values } of flags.filters) {
    const filter = resource.filters.find((candidate) => candidate.name === name);
    if (!filter) continue;
    const { value, problem } = parseFilterValue(filter, values.at(-1) ?? '', now);
    if (problem === undefined) filters[name] = String(value);
    else messages[name] = [`--${flagName(name)} ${problem}`];
  }
  for (const pair of flags.filter ?? []) {
    const [, key, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (key === undefined || value === undefined)
      addMessage(messages, 'filter', `"${pair}" is not KEY=VALUE`);
    else filters[key] = value;
    const problem = unchecked ? undefined : invalidDayProblem(resource, key, value, now);
    if (problem !== undefined) addMessage(messages, 'filter', `${key} ${problem}`);
  }
  const include = splitList(flags.include ?? '');
  const sort = splitList(flags.sort ?? '');
  if (!unchecked) {
    Object.assign(messages, await includeMessages(resource, include), await sortMessages(resource, sort));
  }
  for (const name of ['page', 'limit'] as const) {
    if (!/^[1-9]\d{0,14}$/.test(flags[name] ?? '1')) {
      messages[name] = [`--${name} must be a whole number, at least 1`];
    }
  }
  const page = flags.page === undefined ? undefined : Number(flags.page);
  if (Object.keys(messages).length === 0) return { filters, include, sort, page };
  const command = `${resource.command} list`;
  throw violations(`input for ${command}`, messages, boh.help(command));
}

/** Returns a problem for a day that doesn't exist, such as February 30, which services would convert to another day. */
function invalidDayProblem(
  { filters }: Resource,
  key: string | undefined,
  text: string | undefined,
  now: Date,
): string | undefined {
  const filter = filters.find(({ name }) => name === key);
  if (!filter || !['date', 'timestamp'].includes(filter.value.kind)) return undefined;
  const days = (text ?? '').split(',').filter((part) => /^\d{4}-\d\d-\d\d/.test(part));
  return days
    .map((day) => parseFilterValue(filter, day, now).problem)
    .find((problem) => problem !== undefined);
}

/** Returns notes on filters that look like typos of documented filters. They are sent unchanged. */
export async function filterNotes(resource: Resource, { filters = {} }: ListQuery): Promise<string[]> {
  const documented = resource.filters.map(({ name }) => name);
  const undocumented = Object.keys(filters).filter((name) => !documented.includes(name));
  if (undocumented.length === 0) return [];
  return undocumented.flatMap((name) => {
    const suggested = likelyTypo(name, documented);
    return suggested
      ? [`The filter "${name}" isn't documented and is sent unchanged. Did you mean "${suggested}"?`]
      : [];
  });
}

/** Returns the problems of `--include`. */
export async function includeMessages(resource: Resource, paths: readonly string[]): Promise<FieldMessages> {
  const problems: string[] = [];
  for (const path of paths) {
    const problem = includeProblem(resource, path);
    if (!problem) continue;
    const { part, allowed } = problem;
    const allowedText = allowed.length > 0 ? `; --include accepts ${allowed.join(', ')}` : '';
    problems.push(`"${path}" can't be included${allowedText}.${didYouMean(part, allowed)}`);
  }
  return problems.length > 0 ? { include: problems } : {};
}

async function sortMessages(resource: Resource, parts: readonly string[]): Promise<FieldMessages> {
  const allowed = sortableFields(resource);
  const invalid = parts.filter((part) => !allowed.includes(part.replace(/^-/, '')));
  if (invalid.length === 0) return {};
  const advice =
    allowed.length > 0
      ? `--sort accepts ${allowed.join(', ')}; prefix - for descending order`
      : `the API document marks no field of ${resource.command} as sortable; --unchecked sends it anyway`;
  return {
    sort: invalid.map(
      (part) => `can't sort by "${part}"; ${advice}.${didYouMean(part.replace(/^-/, ''), allowed)}`,
    ),
  };
}

function addMessage(messages: FieldMessages, name: string, message: string): void {
  messages[name] = [...(messages[name] ?? []), message];
}
