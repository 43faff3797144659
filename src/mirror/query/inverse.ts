/** Finds the table of a relation that the records of two resources contain: it is stored with the other resource. */
import { apiOf } from '../../contract/api.ts';
import type { Field } from '../../contract/field.ts';
import type { Resource } from '../../contract/resource.ts';
import { type MirroredResource, mirroredResource } from '../schema/derive.ts';
import { idColumn, type Table } from '../schema/table.ts';

/** The table and columns in which the other resource stores a relation. */
export interface InverseRelation {
  table: Table;
  /** The columns with the ID of this resource's record and of the other resource's record. */
  recordColumn: string;
  linkedColumn: string;
  /** The other resource, and its main table. */
  resource: Resource;
  main: Table;
}

/** Returns where a relation is stored; undefined if it has its own table, or refers to a resource that isn't mirrored. */
export function inverseOf(resource: Resource, field: Field | undefined): InverseRelation | undefined {
  const { inverseOf: name, target = '' } = field?.traits ?? {};
  const related = name === undefined ? undefined : apiOf(resource).resource(target);
  if (!related?.list) return undefined;
  const { main, children } = mirroredResource(related);
  const child = children.find(({ field: childField }) => childField === name)?.table;
  if (!child)
    return { table: main, recordColumn: `${name}_id`, linkedColumn: idColumn, resource: related, main };
  const { linked, owner } = child;
  if (linked === undefined || owner === undefined) return undefined;
  return { table: child, recordColumn: linked, linkedColumn: owner, resource: related, main };
}

/** Returns whether the mirror excludes the relation in the other resource's table. */
export function isInverseExcluded(field: Field | undefined, excludes: MirroredResource['excludes']): boolean {
  const { inverseOf: name, target = '' } = field?.traits ?? {};
  return name !== undefined && excludes(target, name);
}
