/** `@NAME` in ids, relation flags and filters, turned into ids before a request is made. */
import type { Client } from '../../client/client.ts';
import { isLookup, lookUp } from '../../client/lookup.ts';
import type { ListQuery } from '../../client/query.ts';
import type { Call } from '../../client/request.ts';
import { isRow, type Row } from '../../client/shape.ts';
import { splitList } from '../../contract/list-text.ts';
import type { Resource } from '../../contract/resource.ts';
import { usage } from '../../errors.ts';
import { resourceNamed } from '../../resources/index.ts';

/** A call whose ids and relations hold no look-up any more. `names` are fields given by flags: only those are looked up. */
export async function resolveCall(client: Client, call: Call, names: readonly string[]): Promise<Call> {
  const { operation, ids = [], body } = call;
  const find = finder(client, operation.effect === 'restore');
  const resolved: string[] = [];
  for (const [index, id] of ids.entries()) resolved.push(await find(operation.params[index]?.target, id));
  if (!body) return { ...call, ids: resolved };
  const changed: Row = {};
  for (const { name, field } of operation.body) {
    const { target } = field.traits;
    if (target && names.includes(name))
      changed[name] = await resolveValue(body[name], (id) => find(target, id));
  }
  return { ...call, ids: resolved, body: { ...body, ...changed } };
}

/** The same for relation filters: `--category-id @Vegetables`, or several with commas. */
export async function resolveFilters(
  client: Client,
  resource: Resource,
  query: ListQuery,
): Promise<ListQuery> {
  const find = finder(client, false);
  const filters: Record<string, string> = { ...query.filters };
  for (const { name, value, on } of resource.filters) {
    const text = filters[name];
    const target = value.traits.target ?? resource.fields[on ?? '']?.traits.target;
    if (!text?.includes('@') || target === undefined) continue;
    const ids: string[] = [];
    for (const id of splitList(text)) ids.push(await find(target, id));
    filters[name] = ids.join(',');
  }
  return { ...query, filters };
}

async function resolveValue(value: unknown, find: (id: string) => Promise<string>): Promise<unknown> {
  if (typeof value === 'string') return find(value);
  if (!Array.isArray(value)) return value;
  const links: unknown[] = [];
  for (const link of value) links.push(isRow(link) ? { ...link, id: await find(String(link.id)) } : link);
  return links;
}

/** Looks each name up once, however often it stands on the line. Ids come back as they are. */
function finder(
  client: Client,
  deleted: boolean,
): (target: string | undefined, id: string) => Promise<string> {
  const found = new Map<string, Promise<string>>();
  return (target = '', id) => {
    if (!isLookup(id)) return Promise.resolve(id);
    const key = `${target} ${id}`;
    const known = found.get(key) ?? resolveId(client, target, id, deleted);
    found.set(key, known);
    return known;
  };
}

async function resolveId(client: Client, target: string, id: string, deleted: boolean): Promise<string> {
  const resource = resourceNamed(target);
  if (resource) return lookUp(client, resource, id, { deleted });
  throw usage(
    `${id}: ${target.replaceAll('_', ' ')} can’t be looked up by name, as the API has no list of them.`,
    {
      hint: 'Give the id.',
    },
  );
}
