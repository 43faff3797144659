/**
 * Compares the rows of a resumed run with their records before anything is sent, and skips what someone has changed
 * since the run was planned.
 */

import { changeState, isSameLink, linkValues, type MaybeKnown } from '../../account/session/diff/fields.ts';
import { isSameValue } from '../../account/session/diff/values.ts';
import { RecordBatch, recordKey } from '../../account/session/find-by-key.ts';
import { isDeleted } from '../../account/session/list.ts';
import { bodyFrom, linksIn } from '../../account/session/record-body.ts';
import { isRow, type Row } from '../../account/session/row.ts';
import type { Session } from '../../account/session/session.ts';
import { includePaths } from '../../api/contract/include.ts';
import { type BodyField, type Operation, operation } from '../../api/contract/operation.ts';
import { capitalize } from '../../api/contract/wording.ts';
import { Failure, usage } from '../../base/errors.ts';
import { truncateItems } from '../../base/shown-items.ts';
import { findCreatedCopies, recordsCreatedSince } from './concurrent-duplicates.ts';
import type { Ledger } from './ledger/ledger.ts';
import {
  type LedgerRow,
  type NewRow,
  type RowChange,
  type RowError,
  type RowResult,
  recordIdPlaceholder,
  resultOf,
  type Step,
} from './ledger/row.ts';
import type { ReferenceResolver } from './reference-resolver.ts';
import { operationOf } from './send-row.ts';

/**
 * The treatment of a row if someone has changed a part of its record since it was planned. `row`: the row is skipped.
 * `field`: only unchanged fields are sent. `overwrite`: the row is sent as planned. The ledger stores it as a property; the
 * default is `row`.
 */
export type OnChanged = 'row' | 'field' | 'overwrite';

const onChangedProperty = 'on_changed';

/** Records in the ledger how to treat rows whose records have changed. */
export function recordOnChanged(ledger: Ledger, onChanged: OnChanged): void {
  ledger.setProperty(onChangedProperty, onChanged);
}

/** Returns who has changed a field of a record since the run was planned, and when, as the end of a sentence. */
export type DescribeChange = (
  target: { resource: string; id: string; field: string | undefined },
  record: Row | undefined,
) => string;

/** The parts of a run that the comparison uses. */
export interface RecheckContext {
  ledger: Ledger;
  session: Session;
  resolver: ReferenceResolver;
  describeChange: DescribeChange;
}

/**
 * Compares the planned rows for which `isDue` returns true with their records, if their plan contains these records.
 * Yields the rows that end because of this: already done by another write, or skipped. Throws if the records can't be
 * read.
 */
export async function* recheckRows(
  context: RecheckContext,
  isDue: (row: LedgerRow) => boolean,
): AsyncGenerator<RowResult> {
  const { ledger } = context;
  for await (const comparisons of compareBatches(context, isDue)) {
    ledger.write(() => {
      for (const { row, change } of comparisons) ledger.change(row.seq, change);
      ledger.add(comparisons.flatMap(({ skippedRow }) => skippedRow ?? []));
    });
    for (const { row, change, skippedRow } of comparisons) {
      const changedRow = { ...row, ...change };
      if (skippedRow) yield resultOf({ ...changedRow, ...skippedRow });
      if (changedRow.state !== 'planned') yield resultOf(changedRow);
    }
  }
}

/** A planned row whose record has changed since it was planned. */
export interface ChangedRow {
  row: LedgerRow;
  reason: string;
  /** Whether the record already has the new values. */
  isAlreadyDone: boolean;
  record: Row | undefined;
}

/** Returns the planned rows whose records have changed since. The ledger isn't changed. */
export async function findRowsChangedSince(context: RecheckContext): Promise<ChangedRow[]> {
  const changedRows: ChangedRow[] = [];
  for await (const comparisons of compareBatches(context, () => true)) {
    for (const { row, change, skippedRow, record } of comparisons) {
      const isAlreadyDone = change.state === 'done';
      const reason = (skippedRow ?? change).error?.message ?? 'Another write already made this change.';
      if (change.state !== undefined || skippedRow) changedRows.push({ row, reason, isAlreadyDone, record });
    }
  }
  return changedRows;
}

/** Throws one `usage` failure for all planned rows whose records have changed since. The ledger isn't changed. */
export async function refuseChanged(context: RecheckContext): Promise<void> {
  const messages = (await findRowsChangedSince(context)).map(
    ({ row, reason }) => `${row.key ?? row.id ?? ''}: ${reason}`,
  );
  if (messages.length === 0) return;
  throw usage('Records have changed since the plan was saved, so it is out of date. Nothing was sent.', {
    fields: { changed: truncateItems(messages) },
    hint: 'Plan again and review the changes.',
    outcome: 'not_sent',
  });
}

/** Compares the planned rows and yields the comparisons, a batch of rows at a time. */
async function* compareBatches(
  context: RecheckContext,
  isDue: (row: LedgerRow) => boolean,
): AsyncGenerator<RowComparison[]> {
  const { ledger, session, resolver } = context;
  const onChanged = ledger.property(onChangedProperty);
  const resolve = (value: unknown, row: LedgerRow) => resolveIfKnown(resolver, value, row) as Row | undefined;
  const copies = await findCreatedCopies({ ledger, session, resolve }, isDue);
  // Only rows that refer to others can change a record that another row changes.
  const upcoming = ledger.hasReferences() ? new Map<string, Map<string, unknown>>() : undefined;
  for (const batch of ledger.batches('planned')) {
    const dueRows = batch.filter(isDue);
    const createdRecords = await recordsCreatedSince(dueRows, ledger, session);
    const comparableRows =
      onChanged === 'overwrite' ? [] : dueRows.filter((row) => recordIdOf(row, session) !== undefined);
    const records = await recordsOf(comparableRows, session);
    const comparisons = [
      ...dueRows.flatMap((row) => [
        ...duplicateComparison(row, createdRecords.get(row.seq), 'key', context),
        ...duplicateComparison(row, copies.get(row.seq), 'values', context),
      ]),
      ...comparableRows.map((row) =>
        compareRow(row, records, { ...context, upcoming }, onChanged === 'field'),
      ),
    ];
    if (comparisons.length > 0) yield comparisons;
  }
}

/** Returns the comparison for a new row whose record someone has created since. */
function duplicateComparison(
  row: LedgerRow,
  record: Row | undefined,
  same: 'key' | 'values',
  { ledger, session, describeChange }: RecheckContext,
): RowComparison[] {
  const resource = session.api.resource(String(row.resource ?? ledger.property('resource')));
  if (!record || !resource) return [];
  const id = String(record.id);
  const author = describeChange({ resource: resource.name, id, field: undefined }, record);
  const message = skippedMessage(
    [],
    `the ${resource.noun} ${id} with its ${same} was created since the run was planned, ${author}`,
  );
  return [
    {
      row,
      record,
      change: { state: 'bad', action: 'skip', error: { category: 'partial', message, fields: null } },
    },
  ];
}

/** Returns the record that a row changes; undefined if the row creates it, or if the plan didn't contain it. */
function recordIdOf({ id, steps, step }: LedgerRow, session: Session) {
  const knownStep = steps.slice(step).find(({ known }) => known !== undefined);
  const recordId = knownStep?.ids[0] === recordIdPlaceholder ? id : knownStep?.ids[0];
  if (!knownStep || typeof recordId !== 'string') return undefined;
  return { resource: operationOf(knownStep, session).resource, id: recordId };
}

async function recordsOf(rows: readonly LedgerRow[], session: Session): Promise<Map<string, Row>> {
  const batch = new RecordBatch();
  for (const row of rows) {
    const target = recordIdOf(row, session);
    if (!target) continue;
    const { ids, include } = batch.idsOf(target.resource);
    ids.add(target.id);
    // Fields that the plan contains must be requested again.
    const names = row.steps.slice(row.step).flatMap(({ known }) => Object.keys(known ?? {}));
    for (const name of names) {
      const field = target.resource.fields[name];
      for (const path of field ? includePaths(name, field) : []) include.add(path);
    }
  }
  return batch.read(session);
}

interface RowComparison {
  row: LedgerRow;
  change: RowChange;
  /** An additional row for the skipped part, if the rest of the row is sent. */
  skippedRow?: NewRow;
  record: Row | undefined;
}

function compareRow(
  row: LedgerRow,
  records: ReadonlyMap<string, Row>,
  context: RecheckContext & { upcoming: Map<string, Map<string, unknown>> | undefined },
  skipsFields: boolean,
): RowComparison {
  const { session, resolver, upcoming } = context;
  const target = recordIdOf(row, session);
  const keyOfRecord = target && recordKey(target.resource, target.id);
  const record = keyOfRecord === undefined ? undefined : records.get(keyOfRecord);
  const upcomingValues = upcoming?.get(keyOfRecord ?? '') ?? new Map<string, unknown>();
  if (keyOfRecord !== undefined) upcoming?.set(keyOfRecord, upcomingValues);
  const { steps, skipped } = comparePlannedRow(row, record, {
    operationOf: (step) => operationOf(step, session),
    resolve: (value) => resolveIfKnown(resolver, value, row),
    upcomingValues,
  });
  const skipsWholeRow = !skipsFields || steps.length === 0;
  const error = skipped.length > 0 ? errorOf(row, skipped, record, context) : null;
  if (error && skipsWholeRow) return { row, record, change: { state: 'bad', action: 'skip', error } };
  const allSteps: Step[] = [...row.steps.slice(0, row.step), ...steps];
  if (steps.length === 0)
    return {
      row,
      record,
      change: { steps: allSteps, state: 'done', ...(row.step === 0 && { action: 'skip' }), error },
    };
  const { line, key, resource, id } = row;
  return {
    row,
    record,
    change: { steps: allSteps },
    ...(error && { skippedRow: { line, key, resource, id, state: 'bad', action: 'skip', error } }),
  };
}

/** Returns the value with IDs in place of references; undefined if a record doesn't exist yet. */
function resolveIfKnown(resolver: ReferenceResolver, value: unknown, row: LedgerRow): unknown {
  try {
    return resolver.resolve(value, row);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** Returns the error about the skipped parts, one sentence for each reason. */
function errorOf(
  row: LedgerRow,
  skipped: readonly SkippedPart[],
  record: Row | undefined,
  { session, describeChange }: RecheckContext,
): RowError {
  const target = recordIdOf(row, session);
  const byReason = new Map<string, string[]>();
  for (const { field, reason, isChanged } of skipped) {
    const location = { resource: target?.resource.name ?? '', id: target?.id ?? '', field };
    const fullReason = isChanged ? `${reason}, ${describeChange(location, record)}` : reason;
    byReason.set(fullReason, [...(byReason.get(fullReason) ?? []), ...(field === undefined ? [] : [field])]);
  }
  const message = [...byReason].map(([reason, fields]) => skippedMessage(fields, reason)).join(' ');
  return { category: 'partial', message, fields: null };
}

// Compares the requests of a row that was planned earlier with the current record, to find which requests to send,
// which are already done, and which to skip.

/** A part of a row that isn't sent: one field, or the whole row. */
interface SkippedPart {
  field?: string;
  reason: string;
  /** Set if someone has changed the part since it was planned. */
  isChanged?: true;
}

interface PlannedRowComparison {
  /** The steps that are still to be sent, each with the record as it is now. */
  steps: Step[];
  skipped: SkippedPart[];
}

/** The functions by which the comparison finds operations and IDs. */
interface ComparisonContext {
  operationOf(step: Step): Operation;
  /** Returns the value with IDs in place of references; undefined while a reference has no ID. */
  resolve(value: unknown): unknown;
  /** The values that earlier rows of the run will set in the record, by the names of request fields. Sent values are added. */
  upcomingValues: Map<string, unknown>;
}

const changedSincePlanned = { reason: 'it was changed since the run was planned', isChanged: true } as const;

/**
 * Compares a row with its record, deleted or not. A value that differs from the old and the new value is left
 * unchanged. A value that the plan or the record doesn't contain can't be compared and is sent.
 */
export function comparePlannedRow(
  row: LedgerRow,
  record: Row | undefined,
  context: ComparisonContext,
): PlannedRowComparison {
  const comparison = new StepComparison(record, context);
  for (const step of row.steps.slice(0, row.step)) comparison.recordDone(step);
  for (const step of row.steps.slice(row.step)) comparison.compare(step);
  return { steps: comparison.steps, skipped: comparison.skipped };
}

/**
 * Returns a sentence such as `Cost, phone left unchanged: it was changed since, by entry 12.`; without fields, the
 * sentence is about the whole record.
 */
export function skippedMessage(fields: readonly string[], reason: string): string {
  const subject = fields.length > 0 ? `${fields.join(', ')} left unchanged` : 'left unchanged';
  return `${capitalize(subject)}: ${reason}.`.replace(/\.\.$/, '.');
}

/** Compares the steps of a row in order. Each step is compared with the record as earlier steps change it. */
class StepComparison {
  readonly steps: Step[] = [];
  readonly skipped: SkippedPart[] = [];
  readonly #record: Row | undefined;
  readonly #context: ComparisonContext;
  #exists: boolean;
  /**
   * The values that earlier steps set, by the names of request fields: in the planned record, and in the current
   * record.
   */
  readonly #plannedValues: Map<string, unknown>;
  readonly #sentValues: Map<string, unknown>;

  constructor(record: Row | undefined, context: ComparisonContext) {
    this.#record = record;
    this.#context = context;
    this.#plannedValues = new Map(context.upcomingValues);
    this.#sentValues = context.upcomingValues;
    this.#exists = record !== undefined && !isDeleted(record);
  }

  /** Records a step that is done. The fields of a link aren't fields of the record, even if the names are the same. */
  recordDone(step: Step): void {
    if (this.#context.operationOf(step).effect !== 'update') return;
    for (const [name, value] of Object.entries(step.body ?? {})) this.#plannedValues.set(name, value);
  }

  compare(step: Step): void {
    if (step.known === undefined) {
      this.#keepStep(step);
      return;
    }
    const write = this.#context.operationOf(step);
    switch (write.effect) {
      case 'restore':
        if (!this.#exists) this.#keepStep(step);
        this.#exists = true;
        return;
      case 'delete':
        this.#compareDeletion(step, write);
        return;
      case 'update':
        this.#compareUpdate(step, write);
        return;
      case 'link':
      case 'unlink':
        this.#compareLink(step, write);
        return;
      default:
        this.#keepStep(step);
    }
  }

  #compareDeletion(step: Step, { resource }: Operation): void {
    if (!this.#exists) return;
    const fields = operation(resource, 'update')?.body ?? [];
    const changedFields = fields.filter((entry) => this.#compareField(entry, step) === 'changed');
    for (const { responseName } of changedFields)
      this.skipped.push({ field: responseName, ...changedSincePlanned });
    if (changedFields.length > 0) return;
    this.#exists = false;
    this.#keepStep(step);
  }

  #compareUpdate(step: Step, { body: fields }: Operation): void {
    if (!this.#exists) {
      this.#skipDeleted();
      return;
    }
    const body: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(step.body ?? {})) {
      const entry = fields.find((field) => field.name === name);
      const state = entry ? this.#compareField(entry, step, value) : 'due';
      if (state === 'done') continue;
      if (state === 'due') body[name] = value;
      else this.skipped.push({ field: entry?.responseName ?? name, ...changedSincePlanned });
      this.#plannedValues.set(name, value);
    }
    for (const [name, value] of Object.entries(body)) this.#sentValues.set(name, value);
    if (Object.keys(body).length > 0) this.#keepStep({ ...step, body });
  }

  /** Compares a field with its value in the plan. `value` is the new value. */
  #compareField(entry: BodyField, { known = {} }: Step, value?: unknown): ReturnType<typeof changeState> {
    const { name, field } = entry;
    const resolvedValue =
      field.traits.secret || value === undefined ? undefined : this.#context.resolve(value);
    const desired = resolvedValue === undefined ? undefined : { value: resolvedValue };
    const before = this.#plannedValues.has(name)
      ? { value: this.#plannedValues.get(name) }
      : fieldValueIn(known, entry);
    return changeState({ current: this.#currentValue(entry), before, desired }, (a, b) =>
      isSameValue(field, a, b),
    );
  }

  #currentValue(entry: BodyField): MaybeKnown {
    if (this.#sentValues.has(entry.name)) return { value: this.#sentValues.get(entry.name) };
    return this.#record && fieldValueIn(this.#record, entry);
  }

  #compareLink(step: Step, { effect, link, body: fields, inverse }: Operation): void {
    if (!this.#exists) {
      this.#skipDeleted();
      return;
    }
    const [, linkedId] = step.ids;
    const field = link?.field ?? '';
    const linkFields = { body: effect === 'link' ? fields : (inverse?.body ?? []) };
    const [current, before] = [this.#record, step.known].map(
      (record): MaybeKnown<Row | undefined> =>
        linksIn(record, field) && { value: linkValues(record, field, String(linkedId), linkFields) },
    );
    const resolvedBody = this.#context.resolve(step.body ?? {});
    const body = isRow(resolvedBody) ? resolvedBody : undefined;
    const desired = effect === 'unlink' ? { value: undefined } : body && { value: body };
    const state = changeState({ current, before, desired }, (a, b) => isSameLink(linkFields, a, b));
    if (state === 'due') this.#keepStep(step);
    if (state === 'changed') this.skipped.push({ field, ...changedSincePlanned });
  }

  #skipDeleted(): void {
    if (this.skipped.some(({ field }) => field === undefined)) return;
    this.skipped.push({ reason: this.#record ? 'it is deleted' : 'it no longer exists' });
  }

  /** Keeps a step. Its known record gets the current values of the same fields, for the history. */
  #keepStep(step: Step): void {
    const { known } = step;
    const record = this.#record;
    const names = known && record && Object.keys(known).filter((name) => Object.hasOwn(record, name));
    this.steps.push(
      names ? { ...step, known: Object.fromEntries(names.map((name) => [name, record[name]])) } : step,
    );
  }
}

/** Returns the value of a field in a record; undefined if the record doesn't contain the field. */
function fieldValueIn(record: Row, entry: BodyField): MaybeKnown {
  const { name, responseName, field } = entry;
  const isUnknown = field.isHidden || field.traits.ignored;
  if (isUnknown || !(Object.hasOwn(record, responseName) || Object.hasOwn(record, name))) return undefined;
  return { value: bodyFrom({ body: [entry] }, record).body[name] ?? null };
}
