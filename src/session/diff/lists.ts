/** Lists of a record: what one holds once values are added to it, removed from it, or given in its place. */
import { usage } from '../../base/errors.ts';
import { isScalar } from '../../base/number-text.ts';
import type { Call } from '../../client/request.ts';
import { isRow, type Row } from '../../client/shape.ts';
import type { Field, Fields } from '../../contract/field.ts';
import type { BodyField } from '../../contract/operation.ts';
import { titleField } from '../../contract/resource.ts';
import type { RecordBody } from '../record-body.ts';
import type { Session } from '../session.ts';

/** Values in the shape in which they are sent: `{id}`, `{id, quantity}`, words, numbers. */
export interface ListChange {
  entry: BodyField;
  /** One that is there already is replaced, as its number may be another. */
  add: readonly unknown[];
  /** A missing one is no mistake: it is already removed. */
  remove: readonly unknown[];
}

/** The same changes with ids in the place of look-ups. Throws where one value is to be added and removed at once. */
export async function resolveChanges(
  call: Call,
  changes: readonly ListChange[],
  session: Pick<Session, 'resolveAll'>,
): Promise<ListChange[]> {
  const bodyOf = (side: 'add' | 'remove') =>
    Object.fromEntries(changes.map((change) => [change.entry.name, change[side]]));
  const { operation } = call;
  const [add, remove] = await session.resolveAll([
    { operation, body: bodyOf('add') },
    { operation, body: bodyOf('remove') },
  ]);
  return changes.map(({ entry }) => {
    const change = { entry, add: valuesIn(add?.body, entry), remove: valuesIn(remove?.body, entry) };
    const removed = new Set(change.remove.map(itemKey));
    const both = change.add.map(itemKey).find((key) => removed.has(key));
    if (both === undefined) return change;
    throw usage(`${both} can't be both added to ${entry.name} and removed from it.`);
  });
}

/** The lists as they are to be, by field, in the order in which the record shows them. */
export function changedLists(changes: readonly ListChange[], current: RecordBody): Row {
  const hidden = changes.map(({ entry }) => entry.name).filter((name) => current.unknown.includes(name));
  if (hidden.length > 0) {
    throw usage(`The values of ${hidden.join(', ')} are unknown, because the service doesn't show them.`, {
      hint: 'Set the whole list instead.',
    });
  }
  return Object.fromEntries(
    changes.map(({ entry, add, remove }) => {
      const rest = mergedList(entry.field, valuesIn(current.body, entry), remove, 'remove');
      return [entry.name, mergedList(entry.field, rest, add, 'add')];
    }),
  );
}

/** The values of a list that would be gone, were another sent in its place. */
export function lostFrom(values: unknown, others: unknown): unknown[] {
  const kept = new Set(asList(others).map(itemKey));
  return asList(values).filter((value) => !kept.has(itemKey(value)));
}

function valuesIn(body: Row | undefined, { name }: BodyField): readonly unknown[] {
  return body && Object.hasOwn(body, name) ? asList(body[name]) : [];
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the key that identifies a value in a list: of a link its id. */
export function itemKey(value: unknown): string {
  const id = isRow(value) && 'id' in value ? value.id : value;
  return isScalar(id) ? String(id) : JSON.stringify(id);
}

/**
 * What a given list does to the one that a record has. `replace`: it takes its place · `add`, `remove`: its values are
 * added or removed · `exact`: it takes its place, and what it doesn't say of links and parts that are there stays.
 */
export type ListMerge = 'replace' | 'add' | 'remove' | 'exact';

/** Returns what a field is to hold. Both values are in the shape in which they are sent; any but a list is as given. */
export function mergedList(field: Field, is: unknown, given: unknown, merge: ListMerge): unknown {
  if (merge === 'replace' || !Array.isArray(given)) return given;
  const before = Array.isArray(is) ? is : [];
  if (merge === 'remove') {
    const removed = new Set(given.map(itemKey));
    return before.filter((item) => !removed.has(itemKey(item)));
  }
  return field.kind === 'objects'
    ? mergedParts(field, before, given, merge)
    : mergedItems(before, given, merge);
}

/** Values that stay keep their places; of a link that is there, what is given of it counts. */
function mergedItems(before: readonly unknown[], given: readonly unknown[], merge: ListMerge): unknown[] {
  const open = new Map(given.map((item) => [itemKey(item), item]));
  const kept = before.flatMap((item) => {
    const mine = open.get(itemKey(item));
    if (!open.delete(itemKey(item))) return merge === 'exact' ? [] : [item];
    return [isRow(mine) && isRow(item) ? { ...item, ...mine } : mine];
  });
  return [...kept, ...open.values()];
}

/** A part is known by its id, else by its name: it would be added again each time. */
function mergedParts(
  { traits: { fields = {} } }: Field,
  before: readonly unknown[],
  given: readonly unknown[],
  merge: ListMerge,
): unknown[] {
  const title = titleField(fields) ?? 'id';
  const open = given.filter(isRow);
  const take = (part: Row): Row | undefined => {
    const byId = open.findIndex(({ id }) => id !== undefined && id === part.id);
    const at = byId >= 0 ? byId : open.findIndex((one) => one.id === undefined && one[title] === part[title]);
    return at < 0 ? undefined : open.splice(at, 1)[0];
  };
  const kept = before.filter(isRow).flatMap((part) => {
    const mine = take(part);
    if (mine === undefined) return merge === 'exact' ? [] : [part];
    return [mergedPart(fields, part, mine, merge)];
  });
  return [...kept, ...open];
}

function mergedPart(fields: Fields, part: Row, mine: Row, merge: ListMerge): Row {
  const entries = Object.entries(mine).map(([name, value]) => {
    const field = fields[name] ?? fields[name.replace(/_id$/, '')];
    const isOfRecords = field?.kind === 'many' || field?.kind === 'objects';
    return [name, field && isOfRecords ? mergedList(field, part[name], value, merge) : value];
  });
  return { ...part, ...Object.fromEntries(entries) };
}
