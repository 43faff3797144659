/** Checks rows again that counted as done until the service answered another row with the same id. */

import { Failure } from '../base/errors.ts';
import { operation } from '../contract/operation.ts';
import { relationsNeeded } from '../session/record-body.ts';
import { isRow } from '../session/row.ts';
import { StorageFailure } from '../storage/failures.ts';
import type { LedgerRow } from './ledger/row.ts';
import { hasSent, type Reconciling, recordOf } from './reconcile.ts';
import { nameOf, othersWith } from './repeated-id.ts';
import { callOf, errorOf, operationOf } from './send-row.ts';

/**
 * Returns the rows that counted as done and were answered with the same id as this one, if their record doesn't have
 * what they sent. Their outcome is unknown from then on. Throws if the record can't be read.
 */
export async function unconfirmedRowsBy(row: LedgerRow, reconciling: Reconciling): Promise<LedgerRow[]> {
  const { ledger, session } = reconciling;
  const { id } = isRow(row.error?.answered) ? row.error.answered : {};
  const first = row.steps[row.step];
  if (typeof id !== 'string' || !first) return [];
  const { resource } = operationOf(first, session);
  const doubted: LedgerRow[] = [];
  for (const other of othersWith(ledger, row, { id, resource })) {
    const step = other.steps.findIndex(({ verb }) => verb === operation(resource, 'create')?.verb);
    if (other.state !== 'done' || step < 0) continue;
    const { operation: create, body = {} } = await callOf({ ...other, step }, reconciling);
    const include = relationsNeeded({ body: create.body.filter(({ name }) => Object.hasOwn(body, name)) });
    const record = await recordOf(session, resource, id, include);
    if (record && hasSent({ create, body }, record)) continue;
    const message = `The service returned the ID ${id}, and the same ID for ${nameOf(row)}; the record doesn't have the values that were sent.`;
    const error = errorOf(new Failure('unavailable', message, { outcome: 'unknown', answered: { id } }));
    const change = { state: 'unknown', step, id: null, error } as const;
    Object.assign(other, change);
    ledger.change(other.seq, change);
    doubted.push(other);
  }
  return doubted;
}

/** Checks all rows of unknown outcome of a run that has stopped, as far as the service still answers. */
export async function recheckUnknownRows(reconciling: Reconciling): Promise<void> {
  try {
    for (const row of reconciling.ledger.rows('unknown')) await unconfirmedRowsBy(row, reconciling);
  } catch (error) {
    if (!(error instanceof Failure) || error instanceof StorageFailure) throw error;
  }
}
