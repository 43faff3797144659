/** `@NAME` in ids, relation flags and filters, turned into ids before a request is made. */
import type { Row } from '../client/answer.ts';
import type { Client } from '../client/client.ts';
import { isLookup, lookUp } from '../client/lookup.ts';
import type { ListQuery } from '../client/query.ts';
import type { Call } from '../client/request.ts';
import type { Resource } from '../contract/resource.ts';
import { usage } from '../errors.ts';
import { resourceNamed } from '../resources/index.ts';

/** A call whose ids and relations hold no look-up any more. `names` are fields given by flags: only those are looked up. */
export async function resolveCall(client: Client, call: Call, names: readonly string[]): Promise<Call> {
  const { operation, ids = [], body } = call;
  const deleted = operation.effect === 'restore';
  const resolved: string[] = [];
  for (const [index, id] of ids.entries()) {
    resolved.push(await resolveId(client, operation.params[index]?.target ?? '', id, deleted));
  }
  if (!body) return { ...call, ids: resolved };
  const relations = operation.body.filter(({ name, field }) => names.includes(name) && field.traits.target);
  const changed: Row = {};
  for (const { name, field } of relations) {
    changed[name] = await resolveValue(client, field.traits.target ?? '', body[name]);
  }
  return { ...call, ids: resolved, body: { ...body, ...changed } };
}

/** The same for relation filters: `--category-id @Vegetables`. */
export async function resolveFilters(
  client: Client,
  resource: Resource,
  query: ListQuery,
): Promise<ListQuery> {
  const filters: Record<string, string> = { ...query.filters };
  for (const { name, value, on } of resource.list?.filters ?? []) {
    const text = filters[name];
    const target = value.traits.target ?? resource.fields[on ?? '']?.traits.target;
    if (text === undefined || target === undefined || !isLookup(text)) continue;
    filters[name] = await resolveId(client, target, text, false);
  }
  return { ...query, filters };
}

async function resolveValue(client: Client, target: string, value: unknown): Promise<unknown> {
  if (typeof value === 'string') return resolveId(client, target, value, false);
  if (!Array.isArray(value)) return value;
  const links: unknown[] = [];
  for (const link of value as Row[])
    links.push({ ...link, id: await resolveId(client, target, String(link.id), false) });
  return links;
}

async function resolveId(client: Client, target: string, id: string, deleted: boolean): Promise<string> {
  if (!isLookup(id)) return id;
  const resource = resourceNamed(target);
  if (resource) return lookUp(client, resource, id, { deleted });
  throw usage(
    `${id}: ${target.replaceAll('_', ' ')} can’t be looked up by name, as the API has no list of them.`,
    {
      hint: 'Give the id.',
    },
  );
}
