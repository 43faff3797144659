/** Plans an undo: reads each record, keeps later changes by others, and adds the requests to a ledger. */

import { fieldsToInclude } from '../../contract/include.ts';
import { type Effect, operation } from '../../contract/operation.ts';
import { skippedMessage } from '../../runs/compare-planned-row.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import type { Action, NewRow } from '../../runs/ledger/row.ts';
import { RecordBatch, recordKey } from '../../session/find-by-key.ts';
import { relationsToInclude } from '../../session/record-body.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import type { Entry } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { entryNumbered, otherWriteTo } from '../journal/reading.ts';
import { changedSince } from './changed-since.ts';
import { RecordState, type UndoRecords } from './record-state.ts';
import { type NotUndone, undoEntry } from './undo-entry.ts';
import { type Group, inDependencyOrder, UndoOrder, undoRecordsOf } from './undo-order.ts';

/** The input for planning an undo. */
export interface UndoPlan {
  journal: Journal;
  session: Session;
  ledger: Ledger;
  /** The numbers of the writes to undo, newest first. */
  numbers: readonly number[];
  /** Limits the undo to this field, by its name in responses or requests. */
  field?: string | undefined;
}

/** The number of records that are read and planned at a time. */
const batchRecords = 500;

/**
 * Adds a row for each record, the most recently written first, and another row for the parts that can't be undone.
 * Returns whether any of the writes changed the given field.
 */
export async function planUndo(plan: UndoPlan): Promise<boolean> {
  const groups = inDependencyOrder(groupsOf(plan), plan.session.api);
  let hasField = plan.field === undefined;
  const order = new UndoOrder(groups);
  const undoRecords = undoRecordsOf(groups);
  for (let from = 0; from < groups.length; from += batchRecords) {
    const batch = groups
      .slice(from, from + batchRecords)
      .map(({ numbers }) => numbers.flatMap((number) => entryNumbered(plan.journal, number) ?? []));
    const records = await recordsOf(batch, plan);
    plan.ledger.add(batch.flatMap((group) => rowsFor(group, records, { ...plan, order, undoRecords })));
    hasField ||= batch.flat().some((entry) => writesField(entry, plan.field ?? ''));
  }
  order.storeDependencies(plan.ledger);
  return hasField;
}

/** Returns whether a write changed a field, by its name in responses or requests. */
function writesField({ fields, sent }: Entry, field: string): boolean {
  return fields.includes(field) || Object.hasOwn(Object(sent?.request.body), field);
}

/** Groups the writes by record, the most recently written first. */
function groupsOf({ journal, numbers, session }: UndoPlan): Group[] {
  const groups = new Map<string, { numbers: number[]; effects: Set<Effect> } & Omit<Group, 'numbers'>>();
  for (const number of numbers) {
    const { resource, id, verb } =
      journal.database.get('SELECT resource, id, verb FROM entries WHERE number = ?', number) ?? {};
    const key = resource === null || id === null ? `${number}` : JSON.stringify([resource, id]);
    const knownResource = typeof resource === 'string' ? session.api.resource(resource) : undefined;
    const group = groups.get(key) ?? {
      resource: knownResource,
      id: typeof id === 'string' ? id : undefined,
      numbers: [],
      effects: new Set(),
      first: undefined,
    };
    const effect = knownResource && operation(knownResource, String(verb))?.effect;
    if (effect) group.effects.add(effect);
    if (effect === 'create' || effect === 'delete' || effect === 'restore') group.first = effect;
    group.numbers.push(number);
    groups.set(key, group);
  }
  return [...groups.values()];
}

async function recordsOf(groups: readonly Entry[][], { session }: UndoPlan): Promise<Map<string, Row>> {
  const batch = new RecordBatch();
  for (const { resource: name, id, verb, sent } of groups.flat()) {
    const resource = name === null ? undefined : session.api.resource(name);
    if (!resource || id === null) continue;
    const { ids, include } = batch.idsOf(resource);
    ids.add(id);
    const write = verb === null ? undefined : operation(resource, verb);
    const links = write?.link ? [write.link.field] : [];
    const sentFields = Object.keys(Object(sent?.request.body));
    const updatedFields =
      write?.effect === 'update' ? write.body.filter((entry) => sentFields.includes(entry.name)) : [];
    for (const path of [...fieldsToInclude(resource, links), ...relationsToInclude({ body: updatedFields })])
      include.add(path);
  }
  return batch.read(session);
}

function rowsFor(
  group: readonly Entry[],
  records: ReadonlyMap<string, Row>,
  plan: UndoPlan & { order: UndoOrder; undoRecords: UndoRecords },
): NewRow[] {
  const { session, field, order, undoRecords } = plan;
  const [newestEntry] = group;
  if (!newestEntry) return [];
  const resource = newestEntry.resource === null ? undefined : session.api.resource(newestEntry.resource);
  if (!resource || newestEntry.id === null)
    return group.map((entry) => skippedEntryRow(entry, reasonNotUndoable(entry)));
  const state = new RecordState(
    resource,
    newestEntry.id,
    records.get(recordKey(resource, newestEntry.id)),
    undoRecords,
  );
  const notUndone = group.flatMap((entry): NotUndone[] => {
    const write = entry.verb === null ? undefined : operation(resource, entry.verb);
    if (!write) return [{ number: entry.number, reason: "this version of boh doesn't know its verb" }];
    // A create, delete or link can't be undone for one field only.
    if (field !== undefined && write.effect !== 'update' && write.link?.field !== field) return [];
    const reason = write.effect === 'create' ? reasonForDoubt(entry, plan) : undefined;
    return reason === undefined ? undoEntry(entry, write, state, field) : [{ number: entry.number, reason }];
  });
  const plannedRows = plannedRow(state).flatMap((row) => order.rowsFor(state, row, newestEntry.number));
  return [...plannedRows, ...skippedRows(state, notUndone, plan)];
}

/**
 * Returns the reason why a create can't be undone: the record may have existed before, or another write may have
 * created it.
 */
function reasonForDoubt({ number, resource, id }: Entry, { journal }: UndoPlan): string | undefined {
  if (resource === null || id === null) return undefined;
  const otherWrite = otherWriteTo(journal, { number, resource, id });
  if (!otherWrite) return undefined;
  return otherWrite.verb === 'create'
    ? `the service returned the same ID for entry ${otherWrite.number}, which created another record`
    : `entry ${otherWrite.number} wrote to it before it was created`;
}

function plannedRow(state: RecordState): NewRow[] {
  const { resource, id, steps } = state;
  const effects = steps.map(({ verb }) => operation(resource, verb)?.effect);
  if (steps.length === 0) return [];
  const action = (['delete', 'restore', 'update', 'link', 'unlink'] as const).find((effect) =>
    effects.includes(effect),
  );
  return [
    {
      ...rowOf(state),
      state: 'planned',
      action: action as Action,
      id,
      steps: [...steps],
      changes: state.changes(),
    },
  ];
}

function skippedRows(state: RecordState, allNotUndone: readonly NotUndone[], plan: UndoPlan): NewRow[] {
  const byReason = new Map<string, NotUndone[]>();
  for (const notUndone of allNotUndone) {
    const recordPart = {
      resource: state.resource.name,
      id: state.id,
      field: notUndone.field,
      linkedId: notUndone.linkedId,
    };
    const author = notUndone.isChanged
      ? `, ${changedSince(plan.journal, recordPart, notUndone, state.record)}`
      : '';
    const reason = notUndone.reason + author;
    byReason.set(reason, [...(byReason.get(reason) ?? []), notUndone]);
  }
  return [...byReason].map(([reason, parts]) => {
    const fields = [
      ...new Set(parts.flatMap(({ field, linkedId }) => [field, linkedId].filter(Boolean).join(' ') || [])),
    ];
    const numbers = [...new Set(parts.map(({ number }) => number))];
    const message = skippedMessage(fields, reason);
    return {
      ...rowOf(state),
      state: 'bad',
      action: 'skip',
      id: state.id,
      error: { category: 'partial', message, fields: null, entries: numbers },
    };
  });
}

function rowOf(state: RecordState): Pick<NewRow, 'line' | 'key' | 'resource'> & { line: null } {
  return { line: null, key: recordLabel(state), resource: state.resource.name };
}

function recordLabel({ resource, id, record }: RecordState): string {
  const { title } = resource;
  const name = title === undefined ? undefined : record?.[title];
  return typeof name === 'string' && name !== '' ? `"${name}" (${id})` : id;
}

function skippedEntryRow({ number }: Entry, reason: string): NewRow {
  return {
    line: null,
    key: `entry ${number}`,
    state: 'bad',
    action: 'skip',
    error: { category: 'partial', message: skippedMessage([], reason), entries: [number] },
  };
}

function reasonNotUndoable({ isForgotten, resource, outcome }: Entry): string {
  if (isForgotten) return 'its content was deleted';
  if (resource === null) return 'the changes of the request are unknown';
  return outcome === 'unknown'
    ? 'its outcome and the created record are unknown'
    : "the service didn't return its ID";
}
