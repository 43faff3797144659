/**
 * Compares the rows of a resumed run with their records before anything is sent, and skips what someone has changed
 * since the run was planned.
 */
import { Failure, usage } from '../base/errors.ts';
import { truncateItems } from '../base/shown-items.ts';
import { includePaths } from '../contract/include.ts';
import { RecordBatch, recordKey } from '../session/find-by-key.ts';
import type { Row } from '../session/row.ts';
import type { Session } from '../session/session.ts';
import { comparePlannedRow, type SkippedPart, skippedMessage } from './compare-planned-row.ts';
import { findCreatedCopies, recordsCreatedSince } from './concurrent-duplicates.ts';
import type { Ledger } from './ledger/ledger.ts';
import {
  type LedgerRow,
  type NewRow,
  type RowChange,
  type RowError,
  recordIdPlaceholder,
  type Step,
} from './ledger/row.ts';
import type { ReferenceResolver } from './reference-resolver.ts';
import { type RowResult, resultOf } from './result.ts';
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
  /** The current record. */
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
  /** The current record. */
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
