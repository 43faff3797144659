/** Records of an account by the keys with which rows were sent, or would be: who looks for what somebody else has added. */
import { shownWhenAsked } from '../../contract/include.ts';
import type { Resource } from '../../contract/resource.ts';
import { findRecords } from '../../session/find-records.ts';
import { askedBy } from '../../session/questions.ts';
import type { Row } from '../../session/row.ts';
import type { Session } from '../../session/session.ts';
import type { Column } from '../columns/columns.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { LedgerRow } from '../ledger/row.ts';
import { type Key, keyFor } from '../plan/mark.ts';

/** How the records of a run are looked for. */
export interface Looking {
  session: Session;
  resource: Resource;
  key: Key;
  /** The part of the key that the list is asked by. */
  column: Column;
}

/** Undefined where its rows have no key, or none that the list can be asked by. */
export function lookingFor(ledger: Ledger, session: Session): Looking | undefined {
  const resource = session.api.resource(String(ledger.fact('resource')));
  const names = ledger.fact('key') as string[] | undefined;
  if (!resource || !names || names.length === 0) return undefined;
  const key = keyFor(resource, { key: names });
  const by = askedBy(
    resource,
    key.map(({ shown }) => shown),
  );
  const column = key.find(({ shown }) => shown === by);
  return column && (column.create ?? column.update) && { session, resource, key, column };
}

/** Some at a time: those that have one of the texts, whatever the rest of their key. */
export function recordsLike(
  rows: Iterable<LedgerRow>,
  { session, resource, key, column }: Looking,
): AsyncIterable<readonly Row[]> {
  const field = (column.create ?? column.update)?.name ?? '';
  const values = new Set<string>();
  for (const { steps } of rows) {
    const value = steps[0]?.body?.[field];
    if (typeof value === 'string' || typeof value === 'number') values.add(String(value));
  }
  const include = shownWhenAsked(
    resource,
    key.map((each) => each.shown),
  );
  return findRecords(session, { resource, asks: [{ by: column.shown, values }], include });
}
