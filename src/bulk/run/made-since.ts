/** New rows of a run that was planned a while ago, by now of records that somebody else has made: sent, they would be there twice. */
import { shownWhenAsked } from '../../contract/include.ts';
import { waysToWrite } from '../../contract/key-form.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerRow } from '../ledger/row.ts';
import { findRecords } from '../plan/find-records.ts';
import { keyFor, markOfRecord } from '../plan/mark.ts';
import { filteredPlace } from '../plan/match-rows.ts';
import { operationOf } from './send-row.ts';

/** By the numbers of the rows. Of rows that were matched by a key, and had no record then. */
export async function madeSince(
  rows: readonly LedgerRow[],
  ledger: Ledger,
  session: Session,
): Promise<Map<number, Row>> {
  const found = new Map<number, Row>();
  const resource = session.api.resource(String(ledger.fact('resource')));
  const names = ledger.fact('key') as string[] | undefined;
  const due = new Map(rows.flatMap((row) => (isNew(row, session) ? [[row.match, row] as const] : [])));
  if (!resource || !names || names.length === 0 || due.size === 0) return found;
  const key = keyFor(resource, { key: names });
  const column = key[filteredPlace(resource, key)];
  const field = (column?.create ?? column?.update)?.name;
  if (!column || field === undefined) return found;
  const values = [...due.values()].flatMap(({ steps: [step] }) => {
    const value = step?.body?.[field];
    return typeof value === 'string' || typeof value === 'number'
      ? waysToWrite(column.field, String(value))
      : [];
  });
  const shown = key.map((each) => each.shown);
  const wanted = {
    resource,
    by: column.shown,
    values: [...new Set(values)],
    include: shownWhenAsked(resource, shown),
  };
  for await (const records of findRecords(session, wanted)) {
    for (const record of records) {
      const row = due.get(`k${markOfRecord(record, key)}`);
      if (row && !ledger.hasId(String(record.id))) found.set(row.seq, record);
    }
  }
  return found;
}

function isNew({ match, steps: [first], step, resource }: LedgerRow, session: Session): boolean {
  const isMatched = resource === null && match?.startsWith('k') === true;
  return isMatched && step === 0 && first !== undefined && operationOf(first, session).effect === 'create';
}
