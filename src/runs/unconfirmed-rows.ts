/** Checks done rows again if the service returned the same ID for another row. */

import { Failure } from '../base/errors.ts';
import { operation } from '../contract/operation.ts';
import { relationsToInclude } from '../session/record-body.ts';
import { isRow } from '../session/row.ts';
import { StorageFailure } from '../storage/failures.ts';
import type { LedgerRow } from './ledger/row.ts';
import { fetchRecord, hasSentValues, type ReconcileContext } from './reconcile.ts';
import { findOtherRowsWithId, rowLabel } from './repeated-id.ts';
import { buildCall, operationOf, toRowError } from './send-row.ts';

/**
 * Returns the done rows with the same ID as this row whose record doesn't have the values that they sent. Their outcome
 * becomes unknown. Throws if the record can't be read.
 */
export async function findUnconfirmedRows(row: LedgerRow, context: ReconcileContext): Promise<LedgerRow[]> {
  const { ledger, session } = context;
  const { id } = isRow(row.error?.answered) ? row.error.answered : {};
  const nextStep = row.steps[row.step];
  if (typeof id !== 'string' || !nextStep) return [];
  const { resource } = operationOf(nextStep, session);
  const unconfirmedRows: LedgerRow[] = [];
  for (const otherRow of findOtherRowsWithId(ledger, row, { id, resource })) {
    const step = otherRow.steps.findIndex(({ verb }) => verb === operation(resource, 'create')?.verb);
    if (otherRow.state !== 'done' || step < 0) continue;
    const { operation: create, body = {} } = await buildCall({ ...otherRow, step }, context);
    const include = relationsToInclude({ body: create.body.filter(({ name }) => Object.hasOwn(body, name)) });
    const record = await fetchRecord(session, resource, id, include);
    if (record && hasSentValues({ create, body }, record)) continue;
    const message = `The service returned the ID ${id}, and the same ID for ${rowLabel(row)}; the record doesn't have the values that were sent.`;
    const error = toRowError(
      new Failure('unavailable', message, { outcome: 'unknown', unexpectedResponse: { id } }),
    );
    const change = { state: 'unknown', step, id: null, error } as const;
    Object.assign(otherRow, change);
    ledger.change(otherRow.seq, change);
    unconfirmedRows.push(otherRow);
  }
  return unconfirmedRows;
}

/** Checks all rows of unknown outcome of a stopped run, as long as the service responds. */
export async function recheckUnknownRows(context: ReconcileContext): Promise<void> {
  try {
    for (const row of context.ledger.rows('unknown')) await findUnconfirmedRows(row, context);
  } catch (error) {
    if (!(error instanceof Failure) || error instanceof StorageFailure) throw error;
  }
}
