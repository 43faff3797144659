/** Where a relation stands that the other side’s list shows as well: in that one’s tables, as it has none of its own. */
import { apiOf } from '../../contract/api.ts';
import type { Field } from '../../contract/field.ts';
import type { Resource } from '../../contract/resource.ts';
import { type Mirrored, mirroredResource } from '../schema/derive.ts';
import { idColumn, type Table } from '../schema/table.ts';

export interface Inverse {
  table: Table;
  /** The columns with the ids of either side. */
  own: string;
  other: string;
  /** The other side, and its table. */
  resource: Resource;
  main: Table;
}

/** Undefined of a relation that has a table of its own, or leads to what isn’t mirrored. */
export function inverseOf(resource: Resource, field: Field | undefined): Inverse | undefined {
  const { inverseOf: name, target = '' } = field?.traits ?? {};
  const found = name === undefined ? undefined : apiOf(resource).resource(target);
  if (!found?.list) return undefined;
  const { main, children } = mirroredResource(found);
  const child = children.find(({ field: each }) => each === name)?.table;
  if (!child) return { table: main, own: `${name}_id`, other: idColumn, resource: found, main };
  const { far, owner } = child;
  if (far === undefined || owner === undefined) return undefined;
  return { table: child, own: far, other: owner, resource: found, main };
}

/** Whether the mirror leaves out what the other side’s table would hold of a relation. */
export function isInverseLeftOut(field: Field | undefined, leavesOut: Mirrored['leavesOut']): boolean {
  const { inverseOf: name, target = '' } = field?.traits ?? {};
  return name !== undefined && leavesOut(target, name);
}
