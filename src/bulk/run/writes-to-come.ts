/** What the rows of a ledger still have to send, as far as it matters to whether it can be taken back. */
import { lastingFields } from '../../contract/lasting.ts';
import type { Session } from '../../session/session.ts';
import type { ForetoldWrite } from '../../session/write.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { operationOf } from './send-row.ts';

/** A field that decides has a handful of values; of a secret any is as good as the others. */
const mostValues = 20;

/** One write for each operation, one for each value of a field that decides, and one for fields that are filled. */
export function writesToCome(ledger: Ledger, session: Pick<Session, 'api'>): ForetoldWrite[] {
  return ledger.stepsToCome().flatMap((step) => {
    const operation = operationOf(step, session);
    const deciding = lastingFields(operation).flatMap(({ name }) =>
      ledger.valuesToCome(step, name, mostValues).map((value) => ({ operation, body: { [name]: value } })),
    );
    const filled = operation.effect === 'update' ? ledger.namesFilled(step) : [];
    const filling = { operation, body: Object.fromEntries(filled.map((name) => [name, true])), known: {} };
    return [{ operation }, ...deciding, ...(filled.length > 0 ? [filling] : [])];
  });
}
