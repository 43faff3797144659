/** Parses the fields that a mirror excludes: `customers.phone` excludes the field and everything inside it. */

import type { Api } from '../../../api/contract/api.ts';
import type { Fields } from '../../../api/contract/field.ts';
import { violations } from '../../../base/errors.ts';
import { deletedColumn, idColumn, otherColumn } from './table.ts';

/** The dotted names of excluded fields, by resource. */
export type ExcludedFields = ReadonlyMap<string, ReadonlySet<string>>;

export const noExclusions: ExcludedFields = new Map();

/** Returns whether a field is excluded, by its own name or by the name of a field that contains it. */
export function isExcluded(excluded: ExcludedFields, resource: string, path: string): boolean {
  const paths = excluded.get(resource);
  if (!paths) return false;
  const parts = path.split('.');
  return parts.some((_, index) => paths.has(parts.slice(0, index + 1).join('.')));
}

export function containsExcluded(excluded: ExcludedFields, resource: string, field: string): boolean {
  return [...(excluded.get(resource) ?? [])].some((path) => path === field || path.startsWith(`${field}.`));
}

/** Parses names such as `customers.phone`. Throws a usage failure that lists all invalid names. */
export function parseExcluded(api: Api, names: readonly string[]): ExcludedFields {
  const invalidNames: string[] = [];
  const excludedFields = new Map<string, Set<string>>();
  for (const name of names) {
    const [resourceName = '', ...path] = name.split('.');
    const resource = api.findResource(resourceName);
    if (!resource?.list || !isField(resource.fields, path)) invalidNames.push(name);
    else
      excludedFields.set(resource.name, (excludedFields.get(resource.name) ?? new Set()).add(path.join('.')));
  }
  if (invalidNames.length === 0) return excludedFields;
  const messages = invalidNames.map((name) => `${name} isn't a field of a resource, or can't be excluded.`);
  throw violations(
    'value of --exclude',
    { exclude: messages },
    'Enter a resource and a field, such as customers.phone.',
  );
}

/** Returns the sorted names of the fields in the format that the mirror stores: `customers.phone`. */
export function excludedNames(excluded: ExcludedFields): string[] {
  return [...excluded].flatMap(([resource, paths]) => [...paths].map((path) => `${resource}.${path}`)).sort();
}

/** A mirror can't be synced without these fields. */
const requiredFields = [idColumn, 'updated_at', deletedColumn];

function isField(fields: Fields, path: readonly string[]): boolean {
  const [name, ...nestedPath] = path;
  if (name === undefined || requiredFields.includes(path.join('.'))) return false;
  if (name === otherColumn && nestedPath.length === 0) return true;
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (!field) return false;
  return nestedPath.length === 0 || isField(field.traits.fields ?? {}, nestedPath);
}
