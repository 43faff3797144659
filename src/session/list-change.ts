/** Lists of a record changed by difference: some values more, some fewer, and the others as they are. */
import type { Call } from '../client/request.ts';
import { isRow, type Row } from '../client/shape.ts';
import type { BodyField } from '../contract/operation.ts';
import { usage } from '../errors.ts';
import type { RecordBody } from './record-body.ts';

/** Values in the shape in which they are sent: `{id}`, `{id, quantity}`, words, numbers. */
export interface ListChange {
  entry: BodyField;
  /** One that is there already is replaced, as its number may be another. */
  add: readonly unknown[];
  /** One that isn’t there is no mistake: what was asked for is so. */
  remove: readonly unknown[];
}

/** As a session has it. */
type ResolveAll = (calls: readonly Call[]) => Promise<Call[]>;

/** The same changes with ids in the place of look-ups. Throws where one value is to be added and removed at once. */
export async function resolveChanges(
  call: Call,
  changes: readonly ListChange[],
  resolveAll: ResolveAll,
): Promise<ListChange[]> {
  const bodyOf = (side: 'add' | 'remove') =>
    Object.fromEntries(changes.map((change) => [change.entry.name, change[side]]));
  const { operation } = call;
  const [add, remove] = await resolveAll([
    { operation, body: bodyOf('add') },
    { operation, body: bodyOf('remove') },
  ]);
  return changes.map(({ entry }) => {
    const change = { entry, add: valuesIn(add?.body, entry), remove: valuesIn(remove?.body, entry) };
    const removed = new Set(change.remove.map(keyOf));
    const both = change.add.map(keyOf).find((key) => removed.has(key));
    if (both === undefined) return change;
    throw usage(`${both} can’t be added to ${entry.name} and removed from it at once.`);
  });
}

/** The lists as they are to be, by field, in the order in which the record shows them. */
export function changedLists(changes: readonly ListChange[], current: RecordBody): Row {
  const hidden = changes.map(({ entry }) => entry.name).filter((name) => current.unknown.includes(name));
  if (hidden.length > 0) {
    throw usage(`What stands in ${hidden.join(', ')} can’t be known: the service doesn’t show it.`, {
      hint: 'Give the whole list in its place.',
    });
  }
  return Object.fromEntries(
    changes.map((change) => [
      change.entry.name,
      changedList(valuesIn(current.body, change.entry), change.add, change.remove),
    ]),
  );
}

function changedList(
  values: readonly unknown[],
  add: readonly unknown[],
  remove: readonly unknown[],
): unknown[] {
  const byKey = new Map(values.map((value) => [keyOf(value), value]));
  for (const value of remove) byKey.delete(keyOf(value));
  for (const value of add) byKey.set(keyOf(value), value);
  return [...byKey.values()];
}

/** The values of a list that would be gone, were another sent in its place. */
export function lostFrom(values: unknown, others: unknown): unknown[] {
  const kept = new Set(asList(others).map(keyOf));
  return asList(values).filter((value) => !kept.has(keyOf(value)));
}

function valuesIn(body: Row | undefined, { name }: BodyField): readonly unknown[] {
  return body && Object.hasOwn(body, name) ? asList(body[name]) : [];
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** By which a value is told from others: a link by its id. */
function keyOf(value: unknown): string {
  return String(isRow(value) ? value.id : value);
}
