/** Merges lists of a record: adds, removes or replaces values. */

import type { Field, Fields } from '../../../api/contract/field.ts';
import type { BodyField } from '../../../api/contract/operation.ts';
import { titleField } from '../../../api/contract/resource.ts';
import { usage } from '../../../base/errors.ts';
import { isScalar } from '../../../base/number-text.ts';
import type { Call } from '../../client/request.ts';
import { isRow, type Row } from '../../client/shape.ts';
import type { RecordBody } from '../record-body.ts';
import type { Session } from '../session.ts';

/** Values to add and remove, in the format of requests: `{id}`, `{id, quantity}`, words, numbers. */
export interface ListChange {
  entry: BodyField;
  /** Values to add. An existing one is replaced, because its number may differ. */
  add: readonly unknown[];
  /** Values to remove. A missing one counts as removed. */
  remove: readonly unknown[];
}

/** Returns the changes with IDs in place of lookups. Throws if a value is both added and removed. */
export async function resolveChanges(
  call: Call,
  changes: readonly ListChange[],
  session: Pick<Session, 'names'>,
): Promise<ListChange[]> {
  const bodyOf = (operation: 'add' | 'remove') =>
    Object.fromEntries(changes.map((change) => [change.entry.name, change[operation]]));
  const { operation } = call;
  const [add, remove] = await session.names.resolveAll([
    { operation, body: bodyOf('add') },
    { operation, body: bodyOf('remove') },
  ]);
  return changes.map(({ entry }) => {
    const change = { entry, add: valuesIn(add?.body, entry), remove: valuesIn(remove?.body, entry) };
    const removedKeys = new Set(change.remove.map(itemKey));
    const duplicateKey = change.add.map(itemKey).find((key) => removedKeys.has(key));
    if (duplicateKey === undefined) return change;
    throw usage(`${duplicateKey} can't be added to ${entry.name} and removed from it at the same time.`);
  });
}

/** Returns the resulting lists by field, in the order of the record. */
export function changedLists(changes: readonly ListChange[], current: RecordBody): Row {
  const unknownNames = changes
    .map(({ entry }) => entry.name)
    .filter((name) => current.unknown.includes(name));
  if (unknownNames.length > 0) {
    throw usage(
      `The values of ${unknownNames.join(', ')} are unknown, because the service doesn't return them.`,
      {
        hint: 'Set the whole list instead.',
      },
    );
  }
  return Object.fromEntries(
    changes.map(({ entry, add, remove }) => {
      const remainingValues = mergeLists(entry.field, valuesIn(current.body, entry), remove, 'remove');
      return [entry.name, mergeLists(entry.field, remainingValues, add, 'add')];
    }),
  );
}

/** Returns the values of a list that another list doesn't contain. */
export function removedValues(values: unknown, newValues: unknown): unknown[] {
  const otherKeys = new Set(listOf(newValues).map(itemKey));
  return listOf(values).filter((value) => !otherKeys.has(itemKey(value)));
}

function valuesIn(body: Row | undefined, { name }: BodyField): readonly unknown[] {
  return body && Object.hasOwn(body, name) ? listOf(body[name]) : [];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the key that identifies a value in a list; for a link, its ID. */
export function itemKey(value: unknown): string {
  const id = isRow(value) && 'id' in value ? value.id : value;
  return isScalar(id) ? String(id) : JSON.stringify(id);
}

/**
 * How the list of a request changes the list of a record. `replace`: replaces it. `add`, `remove`: adds or removes
 * values. `exact`: replaces it, but keeps the fields of existing links and parts that the request doesn't contain.
 */
export type ListMerge = 'replace' | 'add' | 'remove' | 'exact';

/**
 * Returns the resulting value of a field. Both values are in the format of requests. If `desired` isn't a list, returns
 * it unchanged.
 */
export function mergeLists(field: Field, current: unknown, desired: unknown, merge: ListMerge): unknown {
  if (merge === 'replace' || !Array.isArray(desired)) return desired;
  const currentItems = Array.isArray(current) ? current : [];
  if (merge === 'remove') {
    const removedKeys = new Set(desired.map(itemKey));
    return currentItems.filter((item) => !removedKeys.has(itemKey(item)));
  }
  return field.kind === 'objects'
    ? mergeParts(field, currentItems, desired, merge)
    : mergeItems(currentItems, desired, merge);
}

/** Merges links. Existing links keep their position and the fields that `desired` doesn't contain. */
function mergeItems(
  currentItems: readonly unknown[],
  desired: readonly unknown[],
  merge: ListMerge,
): unknown[] {
  const unmatched = new Map(desired.map((item) => [itemKey(item), item]));
  const mergedItems = currentItems.flatMap((item) => {
    const change = unmatched.get(itemKey(item));
    if (!unmatched.delete(itemKey(item))) return merge === 'exact' ? [] : [item];
    return [isRow(change) && isRow(item) ? { ...item, ...change } : change];
  });
  return [...mergedItems, ...unmatched.values()];
}

/** Merges parts. A part without an ID is identified by its name, so that it isn't added again each time. */
function mergeParts(
  { traits: { fields = {} } }: Field,
  currentItems: readonly unknown[],
  desired: readonly unknown[],
  merge: ListMerge,
): unknown[] {
  const title = titleField(fields) ?? 'id';
  const unmatched = desired.filter(isRow);
  const takeMatch = (part: Row): Row | undefined => {
    const byId = unmatched.findIndex(({ id }) => id !== undefined && id === part.id);
    const index =
      byId >= 0
        ? byId
        : unmatched.findIndex((candidate) => candidate.id === undefined && candidate[title] === part[title]);
    return index < 0 ? undefined : unmatched.splice(index, 1)[0];
  };
  const mergedParts = currentItems.filter(isRow).flatMap((part) => {
    const desiredPart = takeMatch(part);
    if (desiredPart === undefined) return merge === 'exact' ? [] : [part];
    return [mergePart(fields, part, desiredPart, merge)];
  });
  return [...mergedParts, ...unmatched];
}

function mergePart(fields: Fields, part: Row, desiredPart: Row, merge: ListMerge): Row {
  const entries = Object.entries(desiredPart).map(([name, value]) => {
    const field = fields[name] ?? fields[name.replace(/_id$/, '')];
    const isOfRecords = field?.kind === 'many' || field?.kind === 'objects';
    return [name, field && isOfRecords ? mergeLists(field, part[name], value, merge) : value];
  });
  return { ...part, ...Object.fromEntries(entries) };
}
