/** Which relations a request may ask to see expanded, nested ones included: `addresses.delivery_zone`. */
import { type Api, apiOf } from './api.ts';
import type { Field, Fields } from './field.ts';
import { type Resource, scopesOf } from './resource.ts';
import type { Scope } from './scope.ts';

/** The path of a relation with those of what it holds, where answers show either only when asked: `options`, `options.tax_group`. */
export function pathsTo(name: string, { traits }: Field): string[] {
  if (!traits.includable) return [];
  const inner = Object.entries(traits.fields ?? {});
  return [name, ...inner.flatMap(([part, field]) => pathsTo(`${name}.${part}`, field))];
}

/** Those of a resource’s own fields, by the names of answers, that these show only when asked. */
export function shownWhenAsked({ fields }: Resource, names: Iterable<string>): string[] {
  return [...names].filter((name) => Object.hasOwn(fields, name) && fields[name]?.traits.includable);
}

/** The names that may follow a path: after `['addresses']` of customers, `delivery_zone`. Undefined: no such path. */
export function includableAfter(resource: Resource, prefix: readonly string[]): string[] | undefined {
  let fields: Fields | undefined = resource.fields;
  for (const name of prefix) {
    const field: Field | undefined = fields && Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!field?.traits.includable) return undefined;
    fields = field.traits.fields ?? apiOf(resource).resource(field.traits.target ?? '')?.fields ?? {};
  }
  return Object.keys(fields ?? {}).filter((name) => fields?.[name]?.traits.includable);
}

/** The first part of a dotted path that can't be included, with what could stand there. */
export function includeProblem(
  resource: Resource,
  path: string,
): { part: string; allowed: string[] } | undefined {
  const parts = path.split('.');
  for (const [index, part] of parts.entries()) {
    const allowed = includableAfter(resource, parts.slice(0, index)) ?? [];
    if (!allowed.includes(part)) return { part, allowed };
  }
  return undefined;
}

/**
 * What a token needs to see the relations of a dotted path in full: for each resource on the way the scopes that open
 * its records, of which any one is enough. Document: "Authentication", 3: data outside the scopes yields an error.
 */
export function scopesToInclude(resource: Resource, path: string): (readonly Scope[])[] {
  const needed: (readonly Scope[])[] = [];
  let fields: Fields | undefined = resource.fields;
  for (const name of path.split('.')) {
    const field: Field | undefined = fields && Object.hasOwn(fields, name) ? fields[name] : undefined;
    const target = apiOf(resource).resource(field?.traits.target ?? '');
    const reads = [target?.list, target?.get].filter((access) => access !== undefined);
    if (reads.length > 0) needed.push([...new Set(reads.flatMap(scopesOf))]);
    fields = field?.traits.fields ?? target?.fields;
  }
  return needed.filter((scopes) => scopes.length > 0);
}

/** The words of the first list that shows records of a kind, as they stand behind `boh`: `users list --include branches`. */
export function listShowing({ collections }: Api, target: string): string | undefined {
  for (const { command, list, fields } of collections) {
    const shown = list && Object.entries(fields).find(([, { traits }]) => traits.target === target);
    if (shown) return `${command} list${shown[1].traits.includable ? ` --include ${shown[0]}` : ''}`;
  }
  return undefined;
}

/** Fields that `sort` takes. */
export function sortable({ fields }: Resource): string[] {
  return Object.keys(fields).filter((name) => fields[name]?.traits.sortable);
}
