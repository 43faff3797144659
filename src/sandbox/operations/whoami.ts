/** Who is behind a token: the user, the application, the business, the scopes. */
import type { Fields } from '../../contract/field.ts';
import type { Call } from '../call.ts';
import { jsonAnswer, type ServiceResponse } from '../http/message.ts';
import { unauthenticated } from '../http/refusal.ts';
import { recordEnvelope } from '../lists/envelope.ts';
import { demoClient } from '../oauth/clients.ts';
import { nothing } from '../records/include.ts';
import { recordOf } from '../records/records.ts';
import { isObject, readFact } from '../store/facts.ts';
import { findRow } from '../store/rows.ts';
import { includedIn } from './read.ts';

const related = new Map([
  ['branches', nothing],
  ['roles', nothing],
]);

export function answerWhoami(call: Call): ServiceResponse {
  const { database, tables, grant, variant, table, operation } = call;
  includedIn(call);
  const row = findRow(database, table, grant.userId);
  if (!row) throw unauthenticated();
  const user = recordOf({ database, tables, grant, variant, include: related }, table, row);
  const account = {
    oauth_client: { id: demoClient.id, name: demoClient.name },
    user: only(operation.resource.fields.user?.traits.fields ?? {}, {
      ...user,
      last_console_login_at: user.last_login_at,
    }),
    device: null,
    is_owner: user.is_owner,
    scopes: [...grant.scopes],
    business: readFact(database, 'business', isObject),
  };
  return jsonAnswer(200, recordEnvelope(account, variant));
}

/** The fields that the document shows of the user here, which are not all of them. */
function only(fields: Fields, record: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, record[name] ?? null]));
}
