/** Declares a resource that can only be read and that isn't part of the API document. */
import type { Fields } from '../../contract/field.ts';
import { type Declaration, type Resource, resource } from '../../contract/resource.ts';
import { dateFilters, id, name, nameLocalized, sortableTimestamps } from '../../resources/shared-fields.ts';

/** The properties of such a resource. `fields` come after ID and names; each is also a filter. */
type ReadOnly = Pick<
  Declaration,
  'path' | 'one' | 'group' | 'summary' | 'exampleKey' | 'cursor' | 'filterRules'
> & {
  /** The natural key before the name: `reference`, `sku`. */
  key: readonly string[];
  fields: () => Fields;
  /** False if the records have no names. */
  isNamed?: false;
  /** The filters in addition to `id`, the names, the key and dates. */
  filters?: readonly string[];
};

/** Returns the resource: a list and single records, with names, the given fields and timestamps. */
export function readOnly({ isNamed, key, filters = [], fields, ...properties }: ReadOnly): Resource {
  const names = isNamed === false ? {} : { name, name_localized: nameLocalized };
  const keys = isNamed === false ? key : [...key, 'name'];
  const declaration: Declaration = {
    ...properties,
    summary: `${properties.summary} (not part of the API document)`,
    key: keys,
    exampleKeyField: keys.at(-1) ?? 'id',
    columns: ['id', ...Object.keys(names), ...key, 'updated_at'],
    undocumented: true,
    fields: () => ({ id, ...names, ...fields(), ...sortableTimestamps }),
    // The scopes aren't known, so the service decides.
    list: { scope: [], filters: ['id', ...keys, ...filters, ...dateFilters] },
    get: { scope: [] },
  };
  return resource(declaration);
}
