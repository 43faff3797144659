/** Finds records that would lose their only supplier, category or tax: the relations with `warnsIfEmpty` in the contract. */

import { itemKey } from '../../../account/session/diff/lists.ts';
import { isEmptyValue } from '../../../account/session/diff/values.ts';
import { findRecords } from '../../../account/session/find-records.ts';
import { isRow, type Row } from '../../../account/session/row.ts';
import type { Session } from '../../../account/session/session.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { truncateItems } from '../../../base/shown-items.ts';
import type { Limit } from '../../runs/limits.ts';
import { manifestFields } from '../declared/fields.ts';
import type { Change } from '../plan/change.ts';
import type { ManifestPlan } from '../plan/make-plan.ts';

/** A relation that must not become empty. */
interface RequiredRelation {
  resource: Resource;
  name: string;
  target: string;
  /** The list in the target resource that stores the relation, if the target stores it. */
  inverseOf: string | undefined;
}

/** Returns the limit of `--allow-loss` for losses that `findLosses` returned. */
export function lossLimit(losses: readonly string[]): Limit {
  return { exceeded: losses.length > 0 ? { 'allow-loss': truncateItems(losses) } : {}, flag: '--allow-loss' };
}

/** Returns the records in which a required relation would become empty. Sends requests only if the plan removes something. */
export async function findLosses({ changes }: ManifestPlan, session: Session): Promise<string[]> {
  const relations = requiredRelations(session);
  const losses: string[] = [];
  for (const relation of relations) {
    const deleted = deletedIds(changes, relation.target);
    const resourceChanges = changes.filter(({ resource }) => resource === relation.resource);
    for (const { key, fields, requests } of resourceChanges) {
      const oldValue = fields[relation.name]?.old;
      const remainingIds = plannedIds(relation, requests).filter((id) => !deleted.has(id));
      if (!isEmptyValue(oldValue) && remainingIds.length === 0) losses.push(lossMessage(relation, key));
    }
    // The changes of these records already describe the outcome.
    const checkedIds = new Set(
      resourceChanges.flatMap(({ id, action, fields }) =>
        action === 'delete' || fields[relation.name] ? [id] : [],
      ),
    );
    losses.push(...(await lossesByTargets(relation, { changes, deleted, checkedIds }, session)));
  }
  return losses;
}

function requiredRelations({ api }: Session): RequiredRelation[] {
  return api.collections.flatMap((resource) =>
    Object.entries(resource.fields).flatMap(([name, { traits }]) =>
      traits.warnsIfEmpty
        ? [{ resource, name, target: traits.target ?? '', inverseOf: traits.inverseOf }]
        : [],
    ),
  );
}

function deletedIds(changes: readonly Change[], name: string): Set<string> {
  return new Set(
    changes.flatMap(({ action, id, resource }) =>
      action === 'delete' && resource.name === name && id !== undefined ? [id] : [],
    ),
  );
}

function plannedIds({ resource, name }: RequiredRelation, { values }: Change['requests']): string[] {
  const value = values[manifestFields(resource).get(name)?.requestName ?? name];
  return (Array.isArray(value) ? value : [value]).flatMap((item) =>
    isEmptyValue(item) ? [] : [itemKey(item)],
  );
}

interface RelationChanges {
  changes: readonly Change[];
  /** The IDs of deleted records of the target resource. */
  deleted: ReadonlySet<string>;
  /** The IDs of records that were already checked. */
  checkedIds: ReadonlySet<string | undefined>;
}

/** Finds losses by deletions and removed links of the target resource. */
async function lossesByTargets(
  relation: RequiredRelation,
  { changes, deleted, checkedIds }: RelationChanges,
  session: Session,
): Promise<string[]> {
  const targetChanges = changes.filter(({ resource }) => resource.name === relation.target);
  const unlinkedIds = new Map<string, Set<string>>();
  const linkedIds = new Set<unknown>();
  for (const { id = '', requests } of targetChanges) {
    for (const { change, linkedId } of requests.links.filter(
      ({ change: { link } }) => link === relation.inverseOf,
    )) {
      if (change.action === 'create') linkedIds.add(linkedId);
      if (change.action === 'delete')
        unlinkedIds.set(String(linkedId), (unlinkedIds.get(String(linkedId)) ?? new Set()).add(id));
    }
  }
  if (deleted.size === 0 && unlinkedIds.size === 0) return [];
  const losses: string[] = [];
  const handledIds = new Set<unknown>(checkedIds);
  for await (const row of readAffected(relation, deleted, [...unlinkedIds.keys()], session)) {
    const currentIds = relatedIds(row[relation.name]);
    const remainingIds = currentIds.filter(
      (id) => !deleted.has(id) && !unlinkedIds.get(String(row.id))?.has(id),
    );
    if (currentIds.length === 0 || remainingIds.length > 0 || linkedIds.has(row.id) || handledIds.has(row.id))
      continue;
    handledIds.add(row.id);
    losses.push(lossMessage(relation, String(row[relation.resource.title ?? 'id'] ?? row.id)));
  }
  return losses;
}

async function* readAffected(
  { resource, name }: RequiredRelation,
  deleted: ReadonlySet<string>,
  ids: readonly string[],
  session: Session,
): AsyncGenerator<Row> {
  const query = { resource, optional: [name] };
  for (const lookup of [
    { by: 'id', values: ids },
    { by: name, values: deleted },
  ])
    for await (const rows of findRecords(session, { ...query, searches: [lookup] })) yield* rows;
}

function relatedIds(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter(isRow).map(({ id }) => String(id));
}

function lossMessage({ resource, name }: RequiredRelation, key: string): string {
  return `${resource.noun} ${key} would lose its only ${name.replaceAll('_', ' ')}`;
}
