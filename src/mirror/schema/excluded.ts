/** What a mirror leaves out of its rows: `customers.phone`, and all that is inside of what is named. */
import { violations } from '../../base/errors.ts';
import type { Api } from '../../contract/api.ts';
import type { Fields } from '../../contract/field.ts';
import { deletedColumn, idColumn, otherColumn } from './table.ts';

/** Dotted names of fields by their resource. */
export type Excluded = ReadonlyMap<string, ReadonlySet<string>>;

export const nothingExcluded: Excluded = new Map();

export function isExcluded(excluded: Excluded, resource: string, path: string): boolean {
  const paths = excluded.get(resource);
  if (!paths) return false;
  const parts = path.split('.');
  return parts.some((_, at) => paths.has(parts.slice(0, at + 1).join('.')));
}

/** Whether something inside of a field is left out, or all of it. */
export function holdsExcluded(excluded: Excluded, resource: string, field: string): boolean {
  return [...(excluded.get(resource) ?? [])].some((path) => path === field || path.startsWith(`${field}.`));
}

/** Names as they are given, such as `customers.phone`. Throws a usage failure that names all that aren’t there. */
export function readExcluded(api: Api, names: readonly string[]): Excluded {
  const wrong: string[] = [];
  const found = new Map<string, Set<string>>();
  for (const name of names) {
    const [first = '', ...path] = name.split('.');
    const resource = api.resourceCalled(first);
    if (!resource?.list || !isField(resource.fields, path)) wrong.push(name);
    else found.set(resource.name, (found.get(resource.name) ?? new Set()).add(path.join('.')));
  }
  if (wrong.length === 0) return found;
  const messages = wrong.map((name) => `${name} is no field of a resource, or one that can’t be left out.`);
  throw violations('--exclude', { exclude: messages }, 'Name a resource and a field: customers.phone.');
}

/** As they are kept. */
export function excludedNames(excluded: Excluded): string[] {
  return [...excluded].flatMap(([resource, paths]) => [...paths].map((path) => `${resource}.${path}`)).sort();
}

/** Without these a mirror couldn’t be kept. */
const needed = [idColumn, 'updated_at', deletedColumn];

function isField(fields: Fields, path: readonly string[]): boolean {
  const [first, ...rest] = path;
  if (first === undefined || needed.includes(path.join('.'))) return false;
  if (first === otherColumn && rest.length === 0) return true;
  const field = Object.hasOwn(fields, first) ? fields[first] : undefined;
  if (!field) return false;
  return rest.length === 0 || isField(field.traits.fields ?? {}, rest);
}
