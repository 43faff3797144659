/** Finds fields by dotted names, including fields of relations and links. */
import { apiOf } from '../contract/api.ts';
import type { Field, Fields } from '../contract/field.ts';
import { bodyField, type Resource } from '../contract/resource.ts';

/** A field with its resource and the names that lead to it (`items`, `pivot`, `cost`). */
export interface FieldLocation {
  resource: Resource;
  path: readonly string[];
  field: Field;
}

/**
 * Returns the field at a path such as `items.cost`. After a relation, fields of the link come before those of the
 * related resource. `category_id`, the name in requests, is the relation `category`.
 */
export function fieldAt(resource: Resource, path: readonly string[]): FieldLocation | undefined {
  const [first = '', ...remainingPath] = path;
  const field = ownField(resource.fields, first) ?? relationOf(resource, first);
  if (!field) return undefined;
  const name = ownField(resource.fields, first) ? first : first.slice(0, -'_id'.length);
  return descend({ resource, path: [name], field }, remainingPath);
}

function descend(location: FieldLocation, remainingPath: readonly string[]): FieldLocation | undefined {
  const [next, ...further] = remainingPath;
  if (next === undefined) return location;
  const { resource, path, field } = location;
  const { pivot, fields, target } = field.traits;
  if (next === 'pivot') return further.length > 0 ? descendIntoPivot(location, further) : undefined;
  if (ownField(pivot, next)) return descendIntoPivot(location, remainingPath);
  const inner = ownField(fields, next);
  if (inner) return descend({ resource, path: [...path, next], field: inner }, further);
  const relatedResource = apiOf(resource).resource(target ?? '');
  return relatedResource && fieldAt(relatedResource, remainingPath);
}

function descendIntoPivot(
  { resource, path, field }: FieldLocation,
  remainingPath: readonly string[],
): FieldLocation | undefined {
  const [name = '', ...further] = remainingPath;
  const inner = ownField(field.traits.pivot, name);
  return inner && descend({ resource, path: [...path, 'pivot', name], field: inner }, further);
}

/** Looks up only own properties, because users may enter `constructor`. */
function ownField(fields: Fields | undefined, name: string): Field | undefined {
  return fields && Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function relationOf({ fields }: Resource, name: string): Field | undefined {
  return name.endsWith('_id') ? bodyField(fields, name) : undefined;
}

/** Returns all fields of a resource, including those of its links and nested fields. */
export function everyField(resource: Resource): FieldLocation[] {
  return Object.entries(resource.fields).flatMap(([name, field]) =>
    withNestedFields({ resource, path: [name], field }),
  );
}

function withNestedFields(location: FieldLocation): FieldLocation[] {
  const { resource, path, field } = location;
  const inner = [
    ...Object.entries(field.traits.pivot ?? {}).map(([name, nestedField]) => ({
      names: ['pivot', name],
      field: nestedField,
    })),
    ...Object.entries(field.traits.fields ?? {}).map(([name, nestedField]) => ({
      names: [name],
      field: nestedField,
    })),
  ];
  return [
    location,
    ...inner.flatMap(({ names, field: nestedField }) =>
      withNestedFields({ resource, path: [...path, ...names], field: nestedField }),
    ),
  ];
}
