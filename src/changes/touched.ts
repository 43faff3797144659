/** Lists the fields that a plan changes, to find conflicts between change sets. */
import { operation } from '../contract/operation.ts';
import type { Ledger } from '../runs/ledger/ledger.ts';
import { type LedgerRow, recordIdPlaceholder } from '../runs/ledger/row.ts';
import type { Session } from '../session/session.ts';

/** A changed field of a record. The field `*` is the whole record, which is deleted or restored. */
export interface TouchedField {
  resource: string;
  /** The ID of the record; for a new record `new`, followed by its key. */
  record: string;
  field: string;
}

/** Yields the fields that the planned rows of a ledger change. */
export function* touchedFields(ledger: Ledger, { api }: Pick<Session, 'api'>): Generator<TouchedField> {
  for (const row of ledger.rows('planned')) {
    for (const { resource, verb, ids, body = {} } of row.steps) {
      const write = operation(api.resource(resource) ?? unknownResource(resource), verb);
      const baseField = { resource, record: touchedRecord(row, ids[0]) };
      if (write?.effect === 'update') {
        for (const { name, responseName } of write.body)
          if (Object.hasOwn(body, name)) yield { ...baseField, field: responseName };
      } else if (write?.link) {
        yield { ...baseField, field: `${write.link.field} ${JSON.stringify(ids[1])}` };
      } else {
        yield { ...baseField, field: '*' };
      }
    }
  }
}

function touchedRecord({ id, key }: LedgerRow, firstId: unknown): string {
  const recordId = typeof firstId === 'string' && firstId !== recordIdPlaceholder ? firstId : id;
  return recordId ?? `new ${key}`;
}

function unknownResource(resource: string): never {
  throw new Error(`${resource} isn't a resource`);
}
