/** Finds the relations that requests can include, such as the nested relation `addresses.delivery_zone`. */
import { type Api, apiOf } from './api.ts';
import type { Field, Fields } from './field.ts';
import { type Operation, operation } from './operation.ts';
import { type Resource, scopesOf } from './resource.ts';
import type { Scope } from './scope.ts';

/** Returns whether services may return a field only with `include`, whether or not the API document allows to include it. */
export function isRelation({ kind, traits }: Field): boolean {
  return traits.includable === true || ['one', 'many', 'objects', 'ids'].includes(kind);
}

/** Returns the include paths of a relation and its nested relations: `options`, `options.tax_group`. */
export function includePaths(name: string, field: Field): string[] {
  const { traits } = field;
  if (!isRelation(field)) return [];
  const innerFields = Object.entries(traits.fields ?? {});
  return [name, ...innerFields.flatMap(([part, field]) => includePaths(`${name}.${part}`, field))];
}

/** Returns the named fields that services may return only with `include`. */
export function fieldsToInclude({ fields }: Resource, names: Iterable<string>): string[] {
  return [...names].filter((name) => Object.hasOwn(fields, name) && isRelation(fields[name] as Field));
}

/** Returns the field at an include path whose parts, except the first, are fields of nested objects. */
export function relationAt({ fields }: Resource, path: string): Field | undefined {
  let [field, inner]: [Field | undefined, Fields | undefined] = [undefined, fields];
  for (const name of path.split('.')) {
    field = inner && Object.hasOwn(inner, name) ? inner[name] : undefined;
    inner = field?.traits.fields;
  }
  return field;
}

/** Returns whether a path names relations that the API document doesn't allow to include. */
export function isUndocumentedInclude(resource: Resource, path: string): boolean {
  const field = relationAt(resource, path);
  return field !== undefined && isRelation(field) && includeProblem(resource, path) !== undefined;
}

/** Returns the names that can follow a path: `delivery_zone` after `['addresses']` of customers. Returns undefined if the path is invalid. */
export function includableAfter(resource: Resource, prefix: readonly string[]): string[] | undefined {
  let fields: Fields | undefined = resource.fields;
  for (const name of prefix) {
    const field: Field | undefined = fields && Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!field?.traits.includable) return undefined;
    fields = field.traits.fields ?? apiOf(resource).resource(field.traits.target ?? '')?.fields ?? {};
  }
  return Object.keys(fields ?? {}).filter((name) => fields?.[name]?.traits.includable);
}

/** Returns the first part of a dotted path that can't be included, and the names that can; undefined if the path is valid. */
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
 * Returns the scopes that a token needs to include a dotted path: a list for each resource on the path. The token needs
 * one scope of each list. API document, "Authentication", 3: requests for data outside the scopes fail.
 */
export function scopesToInclude(resource: Resource, path: string): (readonly Scope[])[] {
  const scopeLists: (readonly Scope[])[] = [];
  let fields: Fields | undefined = resource.fields;
  for (const name of path.split('.')) {
    const field: Field | undefined = fields && Object.hasOwn(fields, name) ? fields[name] : undefined;
    const target = apiOf(resource).resource(field?.traits.target ?? '');
    const accesses = [target?.list, target?.get].filter((access) => access !== undefined);
    if (accesses.length > 0) scopeLists.push([...new Set(accesses.flatMap(scopesOf))]);
    fields = field?.traits.fields ?? target?.fields;
  }
  return scopeLists.filter((scopes) => scopes.length > 0);
}

/** Returns whether a token with these scopes may read every resource on a path of relations, such as `items.tags`. */
export function mayInclude(resource: Resource, path: string, scopes: readonly string[]): boolean {
  return scopesToInclude(resource, path).every((needed) => needed.some((scope) => scopes.includes(scope)));
}

/** A list whose records contain records of another kind, and the relation to include. */
export interface ListWith {
  list: Operation;
  include: readonly string[];
}

/** Returns the first list whose records contain records of the target; undefined if there is none. */
export function listWith({ collections }: Api, target: string): ListWith | undefined {
  for (const resource of collections) {
    const list = operation(resource, 'list');
    const relation = Object.entries(resource.fields).find(([, { traits }]) => traits.target === target);
    if (list && relation) return { list, include: relation[1].traits.includable ? [relation[0]] : [] };
  }
  return undefined;
}

/** Returns the command of `listWith`, without `boh`: `users list --include branches`. */
export function listCommandWith(api: Api, target: string): string | undefined {
  const found = listWith(api, target);
  return found && [found.list.command, ...found.include.map((name) => `--include ${name}`)].join(' ');
}

/** Returns the fields by which the list can be sorted. */
export function sortableFields({ fields }: Resource): string[] {
  return Object.keys(fields).filter((name) => fields[name]?.traits.sortable);
}
