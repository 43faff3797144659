/** Lists the fields of records that a plan changes, by which change sets conflict. */
import { operation } from '../contract/operation.ts';
import type { Ledger } from '../runs/ledger/ledger.ts';
import { type LedgerRow, ownId } from '../runs/ledger/row.ts';
import type { Session } from '../session/session.ts';

/** A field of a record. The field `*` is the whole record, which is deleted or restored. */
export interface Touched {
  resource: string;
  /** Its id; for a new record `new`, followed by its key. */
  record: string;
  field: string;
}

/** Yields what the planned rows of a ledger change. */
export function* touchedBy(ledger: Ledger, { api }: Pick<Session, 'api'>): Generator<Touched> {
  for (const row of ledger.rows('planned')) {
    for (const { resource, verb, ids, body = {} } of row.steps) {
      const write = operation(api.resource(resource) ?? missing(resource), verb);
      const touched = { resource, record: recordOf(row, ids[0]) };
      if (write?.effect === 'update') {
        for (const { name, shown } of write.body)
          if (Object.hasOwn(body, name)) yield { ...touched, field: shown };
      } else if (write?.link) {
        yield { ...touched, field: `${write.link.field} ${JSON.stringify(ids[1])}` };
      } else {
        yield { ...touched, field: '*' };
      }
    }
  }
}

function recordOf({ id, key }: LedgerRow, first: unknown): string {
  const own = typeof first === 'string' && first !== ownId ? first : id;
  return own ?? `new ${key}`;
}

function missing(resource: string): never {
  throw new Error(`${resource} isn't a resource`);
}
