/** What a manifest may say of a record of each resource: every field that some write takes, with the writes that take it. */
import { apiOf } from '../../contract/api.ts';
import type { Field } from '../../contract/field.ts';
import {
  type BodyField,
  linkFields,
  type Operation,
  operation,
  operations,
} from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Row } from '../../session/row.ts';

export interface LinkOperations {
  set: Operation;
  remove: Operation;
}

export interface ManifestField {
  /** As manifests and answers call it: `category`. */
  name: string;
  field: Field;
  /** As requests call it: `category_id`. None where links alone take it. */
  sent: string | undefined;
  create: BodyField | undefined;
  update: BodyField | undefined;
  /** The calls that set and remove one of them: they go before a write of the whole list. */
  link: LinkOperations | undefined;
  /** Of a list whose links hold something themselves: what each calls the record at the other end, such as `item`. */
  entry: string | undefined;
}

const known = new WeakMap<Resource, ReadonlyMap<string, ManifestField>>();

/** By name, in the contract’s order; none where the API has no way to write records of this kind. */
export function manifestFields(resource: Resource): ReadonlyMap<string, ManifestField> {
  const made = known.get(resource) ?? makeFields(resource);
  known.set(resource, made);
  return made;
}

/** By its own name, or by that of requests: `category_id` is `category` by its id. */
export function fieldNamed(
  fields: ReadonlyMap<string, ManifestField>,
  name: string,
): ManifestField | undefined {
  const field = fields.get(name);
  if (field) return field;
  for (const other of fields.values()) if (other.sent === name) return other;
  return undefined;
}

function makeFields(resource: Resource): ReadonlyMap<string, ManifestField> {
  const [create, update] = ['create', 'update'].map((verb) => operation(resource, verb));
  const found = new Map<string, ManifestField>();
  if (!create || !resource.list) return found;
  const sets = operations(resource).filter(({ effect }) => effect === 'link');
  for (const [name, field] of Object.entries(resource.fields)) {
    const bodies = [create, update].map((each) => each?.body.find((entry) => entry.shown === name));
    const set = sets.find(({ link }) => link?.field === name);
    const link = set?.inverse ? { set, remove: set.inverse } : undefined;
    if ((!bodies[0] && !bodies[1] && !link) || field.traits.ignored) continue;
    found.set(name, {
      name,
      field,
      sent: (bodies[0] ?? bodies[1])?.name,
      create: bodies[0],
      update: bodies[1],
      link,
      entry: linkFields(field).length > 0 ? entryName(resource, name, field) : undefined,
    });
  }
  return found;
}

/** As the link of that name is called, here or elsewhere in the API; else as one record of the other end is. */
export function entryName(resource: Resource, name: string, field: Field): string {
  const api = apiOf(resource);
  const links = [...operations(resource), ...api.operations].flatMap(({ link }) => link ?? []);
  const same = links.find((link) => link.field === name)?.suffix;
  return same ?? api.nounOf(field.traits.target ?? '').replaceAll(' ', '-');
}

/** What a record is to its account, where every account has one by itself: its owner. */
export function accountsOwn({ fields }: Resource, row: Row): string | undefined {
  const own = Object.entries(fields).find(
    ([name, { traits }]) => traits.builtIn !== undefined && (row[name] === true || row[name] === 1),
  );
  return own?.[1].traits.builtIn;
}

/** Whether a record like it could be made. */
export function canBeMade(resource: Resource, row: Row): boolean {
  const { create, fields } = resource;
  if (!create || accountsOwn(resource, row) !== undefined) return false;
  return Object.entries(fields).every(
    ([
      name,
      {
        traits: { creatable },
      },
    ]) => !creatable || creatable.includes(Number(row[name])),
  );
}
