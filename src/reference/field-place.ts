/** Finds fields by dotted names, through relations and links. */
import { apiOf } from '../contract/api.ts';
import type { Field, Fields } from '../contract/field.ts';
import { bodyField, type Resource } from '../contract/resource.ts';

/** A field with its resource and the names that lead to it (`items`, `pivot`, `cost`). */
export interface FieldPlace {
  resource: Resource;
  path: readonly string[];
  field: Field;
}

/**
 * Returns the field at a path such as `items.cost`. After a relation, fields of the link come before those of the
 * related resource. `category_id`, the name in requests, is the relation `category`.
 */
export function fieldAt(resource: Resource, path: readonly string[]): FieldPlace | undefined {
  const [first = '', ...rest] = path;
  const field = named(resource.fields, first) ?? relationOf(resource, first);
  if (!field) return undefined;
  const name = named(resource.fields, first) ? first : first.slice(0, -'_id'.length);
  return below({ resource, path: [name], field }, rest);
}

function below(place: FieldPlace, rest: readonly string[]): FieldPlace | undefined {
  const [next, ...further] = rest;
  if (next === undefined) return place;
  const { resource, path, field } = place;
  const { pivot, fields, target } = field.traits;
  if (next === 'pivot') return further.length > 0 ? inPivot(place, further) : undefined;
  if (named(pivot, next)) return inPivot(place, rest);
  const inner = named(fields, next);
  if (inner) return below({ resource, path: [...path, next], field: inner }, further);
  const other = apiOf(resource).resource(target ?? '');
  return other && fieldAt(other, rest);
}

function inPivot({ resource, path, field }: FieldPlace, rest: readonly string[]): FieldPlace | undefined {
  const [name = '', ...further] = rest;
  const inner = named(field.traits.pivot, name);
  return inner && below({ resource, path: [...path, 'pivot', name], field: inner }, further);
}

/** Looks up only own properties, because people may type `constructor`. */
function named(fields: Fields | undefined, name: string): Field | undefined {
  return fields && Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function relationOf({ fields }: Resource, name: string): Field | undefined {
  return name.endsWith('_id') ? bodyField(fields, name) : undefined;
}

/** Returns all fields of a resource, including those of its links and nested fields. */
export function everyField(resource: Resource): FieldPlace[] {
  return Object.entries(resource.fields).flatMap(([name, field]) =>
    withInner({ resource, path: [name], field }),
  );
}

function withInner(place: FieldPlace): FieldPlace[] {
  const { resource, path, field } = place;
  const inner = [
    ...Object.entries(field.traits.pivot ?? {}).map(([name, it]) => ({ names: ['pivot', name], it })),
    ...Object.entries(field.traits.fields ?? {}).map(([name, it]) => ({ names: [name], it })),
  ];
  return [
    place,
    ...inner.flatMap(({ names, it }) => withInner({ resource, path: [...path, ...names], field: it })),
  ];
}
