/**
 * The fields that a manifest may contain for each resource: every field that a write accepts, with these writes.
 */

import type { Row } from '../../../account/session/row.ts';
import { apiOf } from '../../../api/contract/api.ts';
import type { Field } from '../../../api/contract/field.ts';
import {
  type BodyField,
  linkFields,
  type Operation,
  operation,
  operations,
} from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';

/** The operations that set and remove a single link. */
export interface LinkOperations {
  set: Operation;
  remove: Operation;
}

export interface ManifestField {
  /** The name in manifests and responses: `category`. */
  name: string;
  field: Field;
  /** The name in requests: `category_id`. Undefined if only link operations set the field. */
  requestName: string | undefined;
  create: BodyField | undefined;
  update: BodyField | undefined;
  /** The operations on a single link; they are preferred to a write of the whole list. */
  link: LinkOperations | undefined;
  /** For links with fields of their own: the name of the record at the other end, such as `item`. */
  entry: string | undefined;
}

const fieldCache = new WeakMap<Resource, ReadonlyMap<string, ManifestField>>();

/** Returns the fields by name, in the order of the contract; empty if the API can't write the resource. */
export function manifestFields(resource: Resource): ReadonlyMap<string, ManifestField> {
  const cached = fieldCache.get(resource) ?? createFields(resource);
  fieldCache.set(resource, cached);
  return cached;
}

/** Finds a field by its own name or its name in requests: `category_id` sets `category` by ID. */
export function fieldNamed(
  fields: ReadonlyMap<string, ManifestField>,
  name: string,
): ManifestField | undefined {
  const field = fields.get(name);
  if (field) return field;
  for (const field of fields.values()) if (field.requestName === name) return field;
  return undefined;
}

function createFields(resource: Resource): ReadonlyMap<string, ManifestField> {
  const [create, update] = ['create', 'update'].map((verb) => operation(resource, verb));
  const fields = new Map<string, ManifestField>();
  if (!create || !resource.list) return fields;
  const linkOperations = operations(resource).filter(({ effect }) => effect === 'link');
  for (const [name, field] of Object.entries(resource.fields)) {
    const bodies = [create, update].map((write) => write?.body.find((entry) => entry.responseName === name));
    const linkOperation = linkOperations.find(({ link }) => link?.field === name);
    const link = linkOperation?.inverse ? { set: linkOperation, remove: linkOperation.inverse } : undefined;
    if ((!bodies[0] && !bodies[1] && !link) || field.traits.ignored) continue;
    fields.set(name, {
      name,
      field,
      requestName: (bodies[0] ?? bodies[1])?.name,
      create: bodies[0],
      update: bodies[1],
      link,
      entry: linkFields(field).length > 0 ? entryName(resource, name, field) : undefined,
    });
  }
  return fields;
}

/**
 * Returns the name of the record in a link: the name of that link here or elsewhere in the API, or the singular of
 * the target resource.
 */
export function entryName(resource: Resource, name: string, field: Field): string {
  const api = apiOf(resource);
  const links = [...operations(resource), ...api.operations].flatMap(({ link }) => link ?? []);
  const suffix = links.find((link) => link.field === name)?.suffix;
  return suffix ?? api.nounOf(field.traits.target ?? '').replaceAll(' ', '-');
}

/**
 * Returns the role of a built-in record, which every account has from the start, such as its owner; undefined for other
 * records.
 */
export function builtInRole({ fields }: Resource, row: Row): string | undefined {
  const builtIn = Object.entries(fields).find(
    ([name, { traits }]) => traits.builtIn !== undefined && (row[name] === true || row[name] === 1),
  );
  return builtIn?.[1].traits.builtIn;
}

/** Returns whether the API can create a record like this one. */
export function canBeCreated(resource: Resource, row: Row): boolean {
  const { create, fields } = resource;
  if (!create || builtInRole(resource, row) !== undefined) return false;
  return Object.entries(fields).every(([name, field]) => field.allowsNew(row[name]));
}
