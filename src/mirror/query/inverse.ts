/** Finds the table of a relation that two resources show: it is stored with the other resource. */
import { apiOf } from '../../contract/api.ts';
import type { Field } from '../../contract/field.ts';
import type { Resource } from '../../contract/resource.ts';
import { type Mirrored, mirroredResource } from '../schema/derive.ts';
import { idColumn, type Table } from '../schema/table.ts';

/** Where the other resource stores a relation. */
export interface Inverse {
  table: Table;
  /** The columns with the IDs of this resource's record and of the other one's. */
  own: string;
  other: string;
  /** The other resource, and its main table. */
  resource: Resource;
  main: Table;
}

/** Returns undefined if the relation has a table of its own or refers to a resource that isn't mirrored. */
export function inverseOf(resource: Resource, field: Field | undefined): Inverse | undefined {
  const { inverseOf: name, target = '' } = field?.traits ?? {};
  const related = name === undefined ? undefined : apiOf(resource).resource(target);
  if (!related?.list) return undefined;
  const { main, children } = mirroredResource(related);
  const child = children.find(({ field: each }) => each === name)?.table;
  if (!child) return { table: main, own: `${name}_id`, other: idColumn, resource: related, main };
  const { linked, owner } = child;
  if (linked === undefined || owner === undefined) return undefined;
  return { table: child, own: linked, other: owner, resource: related, main };
}

/** Returns whether the mirror excludes the relation in the other resource's table. */
export function isInverseExcluded(field: Field | undefined, excludes: Mirrored['excludes']): boolean {
  const { inverseOf: name, target = '' } = field?.traits ?? {};
  return name !== undefined && excludes(target, name);
}
