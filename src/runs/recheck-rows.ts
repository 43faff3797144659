/**
 * Compares the rows of a resumed run with their records before anything is sent, and leaves out what someone has
 * changed since it was planned.
 */
import { Failure, usage } from '../base/errors.ts';
import { firstItems } from '../base/shown-items.ts';
import { includePaths } from '../contract/include.ts';
import { RecordBatch, recordKey } from '../session/find-by-key.ts';
import type { Row } from '../session/row.ts';
import type { Session } from '../session/session.ts';
import { recordsCreatedSince } from './concurrent-duplicates.ts';
import type { Ledger } from './ledger/ledger.ts';
import {
  type LedgerRow,
  type NewRow,
  ownId,
  type RowChange,
  type RowError,
  type Step,
} from './ledger/row.ts';
import type { OtherRows } from './other-rows.ts';
import { type RowResult, resultOf } from './result.ts';
import { operationOf } from './send-row.ts';
import { type ComparisonContext, type SkippedPart, sincePlanned, skippedMessage } from './since-planned.ts';

/**
 * What happens to a row if someone has changed a part of its record since it was planned. `row`: nothing of it is
 * sent. `field`: the unchanged rest is sent. `overwrite`: it is sent as planned. The ledger keeps it as a fact;
 * without the fact it is `row`.
 */
export type OnChanged = 'row' | 'field' | 'overwrite';

const fact = 'on_changed';

/** Records in the ledger what happens to rows whose records have changed. */
export function noteOnChanged(ledger: Ledger, onChanged: OnChanged): void {
  ledger.setFact(fact, onChanged);
}

/** Returns who has changed a field of a record since the run was planned, and when, as the end of a sentence. */
export type WhoChanged = (
  place: { resource: string; id: string; field: string | undefined },
  record: Row | undefined,
) => string;

/** What the comparison reads and writes. */
export interface RecheckContext {
  ledger: Ledger;
  session: Session;
  others: OtherRows;
  whoChanged: WhoChanged;
}

/**
 * Compares the planned rows for which `isDue` returns true, as far as their plan contains the records that they
 * change. Yields the rows that are over because of that: already done by another write, or left out. Throws if the
 * records can't be read.
 */
export async function* recheckRows(
  context: RecheckContext,
  isDue: (row: LedgerRow) => boolean,
): AsyncGenerator<RowResult> {
  const { ledger } = context;
  for await (const compared of changedRows(context, isDue)) {
    ledger.write(() => {
      for (const { row, change } of compared) ledger.change(row.seq, change);
      ledger.add(compared.flatMap(({ more }) => more ?? []));
    });
    for (const { row, change, more } of compared) {
      const now = { ...row, ...change };
      if (more) yield resultOf({ ...now, ...more });
      if (now.state !== 'planned') yield resultOf(now);
    }
  }
}

/** A planned row whose record is no longer as planned. */
export interface ChangedRow {
  row: LedgerRow;
  why: string;
  /** Whether the record already is as the row would make it. */
  isDone: boolean;
  /** The record as it is now. */
  record: Row | undefined;
}

/** Returns the planned rows whose records have changed since. The ledger stays as it is. */
export async function rowsChanged(context: RecheckContext): Promise<ChangedRow[]> {
  const changed: ChangedRow[] = [];
  for await (const compared of changedRows(context, () => true)) {
    for (const { row, change, more, record } of compared) {
      const isDone = change.state === 'done';
      const why = (more ?? change).error?.message ?? 'Another write already made this change.';
      if (change.state !== undefined || more) changed.push({ row, why, isDone, record });
    }
  }
  return changed;
}

/** Throws one `usage` failure for all planned rows whose records have changed since. The ledger stays as it is. */
export async function refuseChanged(context: RecheckContext): Promise<void> {
  const changed = (await rowsChanged(context)).map(({ row, why }) => `${row.key ?? row.id ?? ''}: ${why}`);
  if (changed.length === 0) return;
  throw usage('Records have changed since the plan was saved, so it is out of date. Nothing was sent.', {
    fields: { changed: firstItems(changed) },
    hint: 'Plan again and review the changes.',
    outcome: 'not_sent',
  });
}

/** Yields the planned rows with what changes of them, a batch of rows at a time. */
async function* changedRows(
  context: RecheckContext,
  isDue: (row: LedgerRow) => boolean,
): AsyncGenerator<RowComparison[]> {
  const { ledger, session } = context;
  const onChanged = ledger.fact(fact);
  for (const batch of ledger.batches('planned')) {
    const due = batch.filter(isDue);
    const createdSince = await recordsCreatedSince(due, ledger, session);
    const comparable =
      onChanged === 'overwrite' ? [] : due.filter((row) => recordPlaceOf(row, session) !== undefined);
    const records = await recordsOf(comparable, session);
    const compared = [
      ...due.flatMap((row) => changeOfDuplicate(row, createdSince.get(row.seq), context)),
      ...comparable.map((row) => compareRow(row, records, context, onChanged === 'field')),
    ];
    if (compared.length > 0) yield compared;
  }
}

/** Returns the change of a new row whose record someone has created since. */
function changeOfDuplicate(
  row: LedgerRow,
  record: Row | undefined,
  { ledger, session, whoChanged }: RecheckContext,
): RowComparison[] {
  const resource = session.api.resource(String(row.resource ?? ledger.fact('resource')));
  if (!record || !resource) return [];
  const id = String(record.id);
  const who = whoChanged({ resource: resource.name, id, field: undefined }, record);
  const message = skippedMessage(
    [],
    `the ${resource.noun} ${id} with its key was created since the run was planned, ${who}`,
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
function recordPlaceOf({ id, steps, step }: LedgerRow, session: Session) {
  const first = steps.slice(step).find(({ known: comparable }) => comparable !== undefined);
  const own = first?.ids[0] === ownId ? id : first?.ids[0];
  if (!first || typeof own !== 'string') return undefined;
  return { resource: operationOf(first, session).resource, id: own };
}

async function recordsOf(rows: readonly LedgerRow[], session: Session): Promise<Map<string, Row>> {
  const wanted = new RecordBatch();
  for (const row of rows) {
    const place = recordPlaceOf(row, session);
    if (!place) continue;
    const { ids, include } = wanted.of(place.resource);
    ids.add(place.id);
    // Fields that the plan contains have to be requested again.
    const shown = row.steps.slice(row.step).flatMap(({ known: comparable }) => Object.keys(comparable ?? {}));
    for (const name of shown) {
      const field = place.resource.fields[name];
      for (const path of field ? includePaths(name, field) : []) include.add(path);
    }
  }
  return wanted.read(session);
}

interface RowComparison {
  row: LedgerRow;
  change: RowChange;
  /** The new row for the part that is left out, if the rest of the row is sent. */
  more?: NewRow;
  /** The record as it is now. */
  record: Row | undefined;
}

function compareRow(
  row: LedgerRow,
  records: ReadonlyMap<string, Row>,
  context: RecheckContext,
  isByField: boolean,
): RowComparison {
  const { session } = context;
  const place = recordPlaceOf(row, session);
  const record = place && records.get(recordKey(place.resource, place.id));
  const { steps, left: skipped } = sincePlanned(row, record, comparisonContext(row, context));
  const isWhole = !isByField || steps.length === 0;
  const error = skipped.length > 0 ? errorOf(row, skipped, record, context) : null;
  if (error && isWhole) return { row, record, change: { state: 'bad', action: 'skip', error } };
  const all: Step[] = [...row.steps.slice(0, row.step), ...steps];
  if (steps.length === 0)
    return {
      row,
      record,
      change: { steps: all, state: 'done', ...(row.step === 0 && { action: 'skip' }), error },
    };
  const { line, key, resource, id } = row;
  return {
    row,
    record,
    change: { steps: all },
    ...(error && { more: { line, key, resource, id, state: 'bad', action: 'skip', error } }),
  };
}

function comparisonContext(row: LedgerRow, { session, others }: RecheckContext): ComparisonContext {
  return {
    operationOf: (step) => operationOf(step, session),
    resolved: (value) => {
      try {
        return others.resolved(value, row);
      } catch (error) {
        if (error instanceof Failure) return undefined;
        throw error;
      }
    },
  };
}

/** Returns the error about everything that is left out, one sentence for each reason. */
function errorOf(
  row: LedgerRow,
  skipped: readonly SkippedPart[],
  record: Row | undefined,
  { session, whoChanged }: RecheckContext,
): RowError {
  const place = recordPlaceOf(row, session);
  const byReason = new Map<string, string[]>();
  for (const { field, why, isChanged } of skipped) {
    const where = { resource: place?.resource.name ?? '', id: place?.id ?? '', field };
    const reason = isChanged ? `${why}, ${whoChanged(where, record)}` : why;
    byReason.set(reason, [...(byReason.get(reason) ?? []), ...(field === undefined ? [] : [field])]);
  }
  const message = [...byReason].map(([reason, fields]) => skippedMessage(fields, reason)).join(' ');
  return { category: 'partial', message, fields: null };
}
