/** Writes a plan as ledger rows. */

import type { Changes, FieldChange } from '../../../account/session/diff/fields.ts';
import { isDeleted } from '../../../account/session/list.ts';
import { replaceIds } from '../../../account/session/map-ids.ts';
import type { Row } from '../../../account/session/row.ts';
import { operation } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import { decide, linkSteps, stepOf } from '../../runs/decide.ts';
import type { Ledger } from '../../runs/ledger/ledger.ts';
import {
  findReferences,
  type NewRow,
  type RowReference,
  rowReference,
  type Step,
  secretPlaceholder,
} from '../../runs/ledger/row.ts';
import type { Change, LinkRequest } from '../plan/change.ts';
import type { ManifestPlan } from '../plan/make-plan.ts';
import { Pauses } from '../source/mistakes.ts';
import { type SecretsByRow, storeSecrets } from './secrets.ts';

/** The number of rows per write to the ledger. */
const batchRows = 500;

/**
 * Adds the rows of a plan to the ledger. Records that others refer to come first. If two refer to each other (users
 * and roles), the optional relation gets a separate row after both.
 */
export async function addRows(ledger: Ledger, { changes }: ManifestPlan, signal: AbortSignal): Promise<void> {
  const pauses = new Pauses(signal);
  const secrets: SecretsByRow = {};
  const earlierRows = new Set<string>();
  const restored = new RestoredRows(changes);
  const rows: NewRow[] = [];
  const laterRows: NewRow[] = [];
  for (const { resource, key, id, fields, requests } of changes) {
    if (!requests.release || id === undefined || !requests.current) continue;
    const { field, value, name } = requests.release;
    earlierRows.add(name);
    rows.push({
      ...{ line: null, resource: resource.name, name, key, state: 'planned', action: 'update', id },
      steps: [stepOf({ resource, verb: 'update' }, [id], { [field]: value }, requests.current, [field])],
      changes: { [field]: [fields[field]?.old, value] },
    });
    requests.current = { ...requests.current, [field]: value };
  }
  for (const change of changes.filter(({ action }) => action !== 'delete')) {
    if (pauses.isDue) await pauses.pause();
    const { row, laterRows: dependentRows } = recordRows(change, { earlierRows, restored, secrets });
    if (row) earlierRows.add(change.requests.name);
    if (row) rows.push(row);
    laterRows.push(...dependentRows);
  }
  const deletions = changes
    .filter(({ action }) => action === 'delete')
    .map(deletionRow)
    .reverse();
  const allRows = [...rows, ...laterRows, ...deletions];
  for (let start = 0; start < allRows.length; start += batchRows) {
    await pauses.pauseIfDue();
    ledger.add(allRows.slice(start, start + batchRows));
  }
  storeSecrets(ledger, secrets);
}

interface RowContext {
  /** The names of rows that come earlier. */
  earlierRows: ReadonlySet<string>;
  restored: RestoredRows;
  secrets: SecretsByRow;
}

/** The comparison has validated the values, and refused those that can't be set. */
const policy = {
  onDeleted: 'restore',
  acceptsDamage: true,
  skipsValidation: true,
} as const;

/** Returns the row of a record, if it has steps, and the rows that must come after all records: late fields and links. */
function recordRows(
  { action, resource, key, fields, requests, ...change }: Change,
  { earlierRows, restored, secrets }: RowContext,
): { row: NewRow | undefined; laterRows: NewRow[] } {
  const { name, after, current, links } = requests;
  const id = change.id ?? null;
  const withoutSecrets = current ? requests.values : replaceSecrets(requests.values, resource, name, secrets);
  const values = restored.withRowReferences(withoutSecrets, resource);
  const decision = decide({ resource, state: 'present', values }, current, policy);
  if ('problems' in decision) throw new Error(`${name} can't be sent: ${JSON.stringify(decision.problems)}`);
  const isLate = ([field, value]: [string, unknown]) =>
    [...findReferences({ ids: [], body: value })].some((rowName) => !earlierRows.has(rowName)) &&
    canBeSetLater(resource, field, current === undefined);
  const lateBody: Row = {};
  const steps = (decision.steps ?? []).flatMap((step): Step[] => {
    const [body, late] = splitBody(step.body ?? {}, isLate);
    Object.assign(lateBody, late);
    const isEmptied =
      Object.keys(late).length > 0 && Object.keys(body).length === 0 && step.verb !== 'create';
    return isEmptied ? [] : [step.body ? { ...step, body } : step];
  });
  if (steps[0] && after !== undefined && earlierRows.has(after)) steps[0].after = [rowReference(after)];
  const isRestored = current !== undefined && isDeleted(current);
  const recordId = isRestored || id === null ? rowReference(name) : id;
  const isLateField = (field: string) => Object.hasOwn(lateBody, field);
  const base = { line: null, resource: resource.name, state: 'planned' as const, key, id };
  const row: NewRow = {
    ...base,
    name,
    action: action === 'create' ? 'create' : 'update',
    steps,
    changes: changesOf(fields, (field) => !isLateField(field)),
  };
  const update = stepOf(
    { resource, verb: 'update' },
    [recordId],
    lateBody,
    current,
    responseNames(resource, lateBody),
  );
  const lateUpdates: NewRow[] =
    Object.keys(lateBody).length === 0
      ? []
      : [{ ...base, action: 'update', steps: [update], changes: changesOf(fields, isLateField) }];
  const linkRows = links.map((link) => linkRow(link, { key, recordId, id, resource, current, restored }));
  return { row: steps.length > 0 ? row : undefined, laterRows: [...lateUpdates, ...linkRows] };
}

/** Returns whether an update accepts the field and a new record doesn't need it. */
function canBeSetLater(resource: Resource, name: string, isNew: boolean): boolean {
  const [creation, update] = ['create', 'update'].map((verb) =>
    operation(resource, verb)?.body.find((entry) => entry.name === name),
  );
  return update !== undefined && !(isNew && creation?.isRequired);
}

function splitBody(body: Row, isLate: (entry: [string, unknown]) => boolean): [Row, Row] {
  const entries = Object.entries(body);
  return [
    Object.fromEntries(entries.filter((entry) => !isLate(entry))),
    Object.fromEntries(entries.filter((entry) => isLate(entry))),
  ];
}

function responseNames(resource: Resource, body: Row): string[] {
  const fields = operation(resource, 'update')?.body ?? [];
  return fields.flatMap(({ name, responseName }) => (Object.hasOwn(body, name) ? [responseName, name] : []));
}

/**
 * Replaces secrets with a placeholder, because they are read when the row is sent, and adds their templates to `secrets`.
 */
function replaceSecrets(body: Row, resource: Resource, name: string, secrets: SecretsByRow): Row {
  const fields = operation(resource, 'create')?.body ?? [];
  const entries = Object.entries(body).map(([requestName, value]) => {
    const isSecret = fields.some((entry) => entry.name === requestName && entry.field.traits.secret);
    if (!isSecret) return [requestName, value];
    secrets[name] = { ...secrets[name], [requestName]: String(value) };
    return [requestName, secretPlaceholder];
  });
  return Object.fromEntries(entries);
}

/** The record that a link belongs to. */
interface LinkOwner {
  key: string;
  recordId: Step['ids'][number];
  id: string | null;
  resource: Resource;
  current: Row | undefined;
  restored: RestoredRows;
}

function linkRow(
  { change, operation, linkedId, body }: LinkRequest,
  { key, recordId, id, resource, current, restored }: LinkOwner,
): NewRow {
  const isRemoved = operation.effect === 'unlink';
  const set = (isRemoved ? operation.inverse : undefined) ?? operation;
  const target = restored.idOf(operation.params[1]?.target ?? '', linkedId);
  return {
    line: null,
    resource: resource.name,
    key: `${key} › ${change.key}`,
    state: 'planned',
    action: isRemoved ? 'unlink' : 'link',
    id,
    steps: linkSteps(
      { operation: set, linkedId: target, values: isRemoved ? undefined : (body ?? {}) },
      recordId,
      current,
    ),
    changes: changesOf(change.fields, () => true),
  };
}

function deletionRow({ resource, key, id = '', requests }: Change): NewRow {
  return {
    line: null,
    resource: resource.name,
    name: requests.name,
    key,
    state: 'planned',
    action: 'delete',
    id,
    steps: [stepOf({ resource, verb: 'delete' }, [id])],
  };
}

function changesOf(fields: Record<string, FieldChange>, isIncluded: (name: string) => boolean): Changes {
  const entries = Object.entries(fields).filter(([name]) => isIncluded(name));
  return Object.fromEntries(
    entries.map(([name, { old, new: newValue }]) => [name, [old, newValue] as const]),
  );
}

class RestoredRows {
  /** The names of the rows that restore records. */
  readonly #rows = new Map<string, string>();

  constructor(changes: readonly Change[]) {
    for (const {
      resource,
      id,
      requests: { current, name },
    } of changes)
      if (id !== undefined && current && isDeleted(current)) this.#rows.set(rowKey(resource.name, id), name);
  }

  /** Returns the body with row references instead of the IDs of restored records. */
  withRowReferences(body: Row, resource: Resource): Row {
    if (this.#rows.size === 0) return body;
    const fields = ['create', 'update'].flatMap((verb) => operation(resource, verb)?.body ?? []);
    return replaceIds(fields, body, (target, id) => this.idOf(target, id));
  }

  /** Returns the row reference for a restored record, and otherwise the ID. */
  idOf<Id>(target: string, id: Id): Id | RowReference {
    const row = typeof id === 'string' ? this.#rows.get(rowKey(target, id)) : undefined;
    return row === undefined ? id : rowReference(row);
  }
}

function rowKey(target: string, id: string): string {
  return JSON.stringify([target, id]);
}

export const applyCommandName = 'apply';
