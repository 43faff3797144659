/**
 * Writes a plan as ledger rows. Reads the IDs of declared records from the ledger of an apply, and ends earlier applies.
 */

import type { Environment } from '../../base/environment.ts';
import { operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import { isRunOfAccount } from '../../runs/ledger/owner.ts';
import { type NewRow, recordIdPlaceholder, type Step } from '../../runs/ledger/row.ts';
import { findReferences, type RowReference, rowReference } from '../../runs/ledger/row-reference.ts';
import { listRunIds } from '../../runs/ledger/runs.ts';
import { secretPlaceholder } from '../../runs/ledger/secret-placeholder.ts';
import { endRun, openReadableRun } from '../../runs/ledger/unfinished-runs.ts';
import { linkSnapshot, recordSnapshot } from '../../runs/record-snapshot.ts';
import type { Changes, FieldChange } from '../../session/diff/fields.ts';
import type { AccountInUse } from '../../session/file-owner.ts';
import { replaceIds } from '../../session/names.ts';
import type { Row } from '../../session/row.ts';
import { keyText } from '../declared/declared.ts';
import { Pauses } from '../pauses.ts';
import type { Change, LinkRequest } from '../plan/change.ts';
import type { ManifestPlan } from '../plan/make-plan.ts';
import { noteSecrets, type SecretsByRow } from './secrets.ts';

/** The number of rows per write to the ledger. */
const batchRows = 500;

/**
 * Adds the rows of a plan to the ledger. Records that others refer to come first. If two refer to each other (users
 * and roles), the optional relation gets a separate row after both.
 */
export async function addRows(ledger: Ledger, { changes }: ManifestPlan, signal: AbortSignal): Promise<void> {
  const pauses = new Pauses(signal);
  const secrets: SecretsByRow = {};
  const placed = new Set<string>();
  const restored = new RestoredRows(changes);
  const rows: NewRow[] = [];
  const later: NewRow[] = [];
  for (const { resource, key, id, fields, work } of changes) {
    if (!work.release || id === undefined || !work.known) continue;
    const { field, value, name } = work.release;
    placed.add(name);
    const known = recordSnapshot(resource, work.known, [field]);
    rows.push({
      ...{ line: null, resource: resource.name, name, key, state: 'planned', action: 'update', id },
      steps: [{ resource: resource.name, verb: 'update', ids: [id], body: { [field]: value }, known }],
      changes: { [field]: [fields[field]?.old, value] },
    });
    work.known = { ...work.known, [field]: value };
  }
  for (const change of changes.filter(({ action }) => action !== 'delete')) {
    if (pauses.isDue) await pauses.take();
    const { own, rest } = recordRows(change, { placed, restored, secrets });
    if (own.length > 0) placed.add(change.work.name);
    rows.push(...own);
    later.push(...rest);
  }
  const deletions = changes
    .filter(({ action }) => action === 'delete')
    .map(deletionRow)
    .reverse();
  const all = [...rows, ...later, ...deletions];
  for (let from = 0; from < all.length; from += batchRows) {
    await pauses.takeIfDue();
    ledger.add(all.slice(from, from + batchRows));
  }
  noteSecrets(ledger, secrets);
}

interface RowContext {
  /** The names of rows that come earlier. */
  placed: ReadonlySet<string>;
  restored: RestoredRows;
  secrets: SecretsByRow;
}

function recordRows(
  { action, resource, key, id, fields, work }: Change,
  { placed, restored, secrets }: RowContext,
): { own: NewRow[]; rest: NewRow[] } {
  const known = { line: null, resource: resource.name, state: 'planned' as const };
  const create = work.create && withSecretMarks(work.create, resource, work.name, secrets);
  const isLate = ([name, value]: [string, unknown]) =>
    [...findReferences({ ids: [], body: value })].some((other) => !placed.has(other)) &&
    canBeSetLater(resource, name, create);
  const [first, firstLate] = splitBody(restored.withRowReferences(create ?? {}, resource), isLate);
  const [update, updateLate] = splitBody(restored.withRowReferences(work.update ?? {}, resource), isLate);
  const step = (verb: string, ids: Step['ids'], body?: Row): Step => ({
    resource: resource.name,
    verb,
    ids,
    ...(body && { body }),
    ...(work.known && { known: recordSnapshot(resource, work.known, body && shownNames(resource, body)) }),
  });
  const steps: Step[] = [
    ...(work.isRestored && id !== undefined ? [step('restore', [id])] : []),
    ...(create ? [step('create', [], first)] : []),
    ...(Object.keys(update).length > 0 ? [step('update', [id ?? recordIdPlaceholder], update)] : []),
  ];
  const { after } = work;
  if (steps[0] && after !== undefined && placed.has(after)) steps[0].after = [rowReference(after)];
  const lateFields = { ...firstLate, ...updateLate };
  const self = work.isRestored ? rowReference(work.name) : (id ?? rowReference(work.name));
  const own: NewRow = {
    ...known,
    name: work.name,
    key,
    action: action === 'create' ? 'create' : 'update',
    id: id ?? null,
    steps,
    changes: changesOf(fields, (name) => !Object.hasOwn(lateFields, name)),
  };
  const lateUpdate: NewRow[] =
    Object.keys(lateFields).length > 0
      ? [
          {
            ...known,
            key,
            action: 'update',
            id: id ?? null,
            steps: [step('update', [self], lateFields)],
            changes: changesOf(fields, (name) => Object.hasOwn(lateFields, name)),
          },
        ]
      : [];
  const links = work.links.map((link) =>
    linkRow(link, { key, self, id, resource, known: work.known, restored }),
  );
  return { own: steps.length > 0 ? [own] : [], rest: [...lateUpdate, ...links] };
}

/** Returns whether an update accepts the field and a new record doesn't need it. */
function canBeSetLater(resource: Resource, name: string, create: Row | undefined): boolean {
  const [creation, update] = ['create', 'update'].map((verb) =>
    operation(resource, verb)?.body.find((entry) => entry.name === name),
  );
  return update !== undefined && !(create && creation?.isRequired);
}

function splitBody(body: Row, isLate: (entry: [string, unknown]) => boolean): [Row, Row] {
  const entries = Object.entries(body);
  return [
    Object.fromEntries(entries.filter((entry) => !isLate(entry))),
    Object.fromEntries(entries.filter((entry) => isLate(entry))),
  ];
}

/** Returns the names of the fields of a body in responses. */
function shownNames(resource: Resource, body: Row): string[] {
  const fields = operation(resource, 'update')?.body ?? [];
  return fields.flatMap(({ name, responseName }) => (Object.hasOwn(body, name) ? [responseName, name] : []));
}

/**
 * Replaces secrets by a marker, because they are read when the row is sent, and adds their templates to `secrets`.
 */
function withSecretMarks(body: Row, resource: Resource, name: string, secrets: SecretsByRow): Row {
  const fields = operation(resource, 'create')?.body ?? [];
  const entries = Object.entries(body).map(([sent, value]) => {
    const isSecret = fields.some((entry) => entry.name === sent && entry.field.traits.secret);
    if (!isSecret) return [sent, value];
    secrets[name] = { ...secrets[name], [sent]: String(value) };
    return [sent, secretPlaceholder];
  });
  return Object.fromEntries(entries);
}

/** The record that a link belongs to. */
interface LinkOwner {
  key: string;
  self: Step['ids'][number];
  id: string | undefined;
  resource: Resource;
  known: Row | undefined;
  restored: RestoredRows;
}

function linkRow(
  { change, operation: linking, other, body }: LinkRequest,
  { key, self, id, resource, known: record, restored }: LinkOwner,
): NewRow {
  const link = linking.link?.field ?? '';
  const isShown = record && Array.isArray(record[link]);
  const known = !record ? { [link]: [] } : isShown ? linkSnapshot(record, link, String(other)) : undefined;
  const ids = [self, restored.idOf(linking.params[1]?.target ?? '', other)];
  return {
    line: null,
    resource: resource.name,
    key: `${key} › ${change.key}`,
    state: 'planned',
    action: linking.effect === 'unlink' ? 'unlink' : 'link',
    id: id ?? null,
    steps: [
      { resource: resource.name, verb: linking.verb, ids, ...(body && { body }), ...(known && { known }) },
    ],
    changes: changesOf(change.fields, () => true),
  };
}

function deletionRow({ resource, key, id = '', work }: Change): NewRow {
  const steps = [{ resource: resource.name, verb: 'delete', ids: [id] }];
  return {
    line: null,
    resource: resource.name,
    name: work.name,
    key,
    state: 'planned',
    action: 'delete',
    id,
    steps,
  };
}

function changesOf(fields: Record<string, FieldChange>, isIncluded: (name: string) => boolean): Changes {
  const entries = Object.entries(fields).filter(([name]) => isIncluded(name));
  return Object.fromEntries(entries.map(([name, { old, new: next }]) => [name, [old, next] as const]));
}

class RestoredRows {
  /** The names of the rows that restore records. */
  readonly #rows = new Map<string, string>();

  constructor(changes: readonly Change[]) {
    for (const { resource, id, work } of changes)
      if (work.isRestored && id !== undefined) this.#rows.set(keyOf(resource.name, id), work.name);
  }

  /** Returns the body with row references instead of the IDs of restored records. */
  withRowReferences(body: Row, resource: Resource): Row {
    if (this.#rows.size === 0) return body;
    const fields = ['create', 'update'].flatMap((verb) => operation(resource, verb)?.body ?? []);
    return replaceIds(fields, body, (target, id) => this.idOf(target, id));
  }

  /** Returns the row reference for a restored record, and otherwise the ID. */
  idOf<Id>(target: string, id: Id): Id | RowReference {
    const row = typeof id === 'string' ? this.#rows.get(keyOf(target, id)) : undefined;
    return row === undefined ? id : rowReference(row);
  }
}

function keyOf(target: string, id: string): string {
  return JSON.stringify([target, id]);
}

/** The name of the command in the ledgers of applies. */
export const applyCommandName = 'apply';

/**
 * Ends unfinished applies of the account in use that no process is working on. Runs that may belong to another
 * account are left unchanged.
 */
export function endEarlierApplies(account: AccountInUse, env: Environment): void {
  const unfinished = listRunIds(env).filter((id) => {
    const ledger = openReadableRun(env, id);
    if (!ledger) return false;
    try {
      const isOurs = ledger.property('command') === applyCommandName && isRunOfAccount(ledger, account);
      return isOurs && ledger.property('state') === 'unfinished' && !ledger.isBusy();
    } finally {
      ledger.close();
    }
  });
  for (const id of unfinished) endRun(env, id);
}

/**
 * Returns the IDs of the declared records, by resource and key. Records that were refused or not sent are omitted.
 */
export function idsOf(
  { declaration, matches, rowName }: ManifestPlan,
  ledger: Ledger | undefined,
): Record<string, Record<string, string>> {
  const ids: Record<string, Record<string, string>> = {};
  for (const record of declaration.records.filter(({ isAbsent }) => !isAbsent)) {
    const id = matches.get(record)?.id ?? ledger?.rowNamed(rowName(record))?.id;
    if (typeof id !== 'string') continue;
    const own = ids[record.resource.command] ?? emptyIds();
    ids[record.resource.command] = own;
    own[keyText(record)] = id;
  }
  return ids;
}

/** Returns an object without a prototype, so that any key is safe. */
function emptyIds(): Record<string, string> {
  return Object.create(null);
}
