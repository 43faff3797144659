/** Performs operations: dispatches them by their effect, and implements links, redeeming and whoami. */

import type { Fields } from '../../contract/field.ts';
import type { Effect } from '../../contract/operation.ts';
import type { StoredRow } from '../../storage/database.ts';
import { formatDay, formatTimestamp } from '../calendar.ts';
import type { OperationCall } from '../context.ts';
import {
  emptyResponse,
  jsonResponse,
  notFound,
  type ServiceResponse,
  unauthenticated,
} from '../http/message.ts';
import { businessSettings } from '../http/router.ts';
import { toCell } from '../kinds.ts';
import { demoClient } from '../oauth/clients.ts';
import { apiRecordOf, noRelations } from '../records/records.ts';
import { ruleOf } from '../rules/index.ts';
import {
  findRow,
  isObject,
  type LinkRelation,
  readStoredValue,
  removeLink,
  setLink,
  updateRow,
} from '../store/rows.ts';
import { relationOf } from '../store/tables.ts';
import { bodyProblems } from '../validation/body.ts';
import { isActive } from '../validation/stored.ts';
import { activeRowInPath, get, includeOf, list, recordEnvelope, recordResponse, rowInPath } from './read.ts';
import { create, remove, restore, touchLinkedRecords, update } from './write.ts';

const effects: Readonly<Record<Effect, (call: OperationCall) => ServiceResponse>> = {
  list,
  get,
  create,
  update,
  delete: remove,
  restore,
  link,
  unlink,
  act: redeem,
};

/** Performs an operation and returns its response. Throws an `HttpError` if the request is refused. */
export function perform(call: OperationCall): ServiceResponse {
  if (call.operation.verb === businessSettings) return settingsResponse(call);
  return call.operation.resource.singleton ? whoamiResponse(call) : effects[call.operation.effect](call);
}

/** Returns the settings of the business that integrations need, if the deployment has them. */
function settingsResponse({ variant }: OperationCall): ServiceResponse {
  if (variant['wire.business_settings'] === 'absent') throw notFound();
  const settings = {
    business_currency: 'SAR',
    business_timezone: 'Asia/Riyadh',
    tax_inclusive_pricing: true,
  };
  return jsonResponse(200, recordEnvelope(settings, variant));
}

/** Adds a link, or changes its data. */
function link(call: OperationCall): ServiceResponse {
  const { database, operation, body } = call;
  const { id, otherId, relation } = linkEnds(call);
  if (!isActive(database, relation.target, otherId)) throw notFound();
  const messages = bodyProblems(operation, body, call.variant);
  messages.addAll(ruleOf(call.table.name).linkProblems?.(call, relation.fieldName, id, otherId) ?? {});
  messages.throwIfAny();
  const sentFields = operation.body.filter(({ name }) => Object.hasOwn(body, name));
  const pivot = Object.fromEntries(sentFields.map(({ name, field }) => [name, toCell(field, body[name])]));
  setLink(database, relation, id, { id: otherId, pivot });
  touchBothRecords(call, id, relation, otherId);
  return recordResponse(call, rowInPath(call));
}

function unlink(call: OperationCall): ServiceResponse {
  const { id, otherId, relation } = linkEnds(call);
  if (!removeLink(call.database, relation, id, otherId)) throw notFound();
  touchBothRecords(call, id, relation, otherId);
  return emptyResponse(call);
}

function linkEnds(call: OperationCall): { id: string; otherId: string; relation: LinkRelation } {
  const id = String(activeRowInPath(call).id);
  const relation = relationOf(call.table, call.operation.link?.field ?? '');
  if (relation?.kind !== 'links') throw new Error(`${call.operation.verb} has no link table`);
  return { id, otherId: call.ids[1] ?? '', relation };
}

function touchBothRecords(call: OperationCall, id: string, relation: LinkRelation, otherId: string): void {
  updateRow(call.database, call.table, id, { updated_at: formatTimestamp(call.now) });
  touchLinkedRecords(call, relation, [otherId]);
}

/**
 * Redeems a reward in an order of its customer, once, until its last valid day. A repeated request with the same order
 * gets the same response, because a GET may be repeated.
 */
function redeem(call: OperationCall): ServiceResponse {
  const reward = activeRowInPath(call);
  const { order_id } = call.body;
  const messages = bodyProblems(call.operation, call.body, call.variant);
  messages.throwIfAny();
  const problem = order_id === reward.order_id ? undefined : redeemProblem(call, reward, String(order_id));
  if (problem) messages.add('order_id', problem);
  messages.throwIfAny();
  if (order_id !== reward.order_id) {
    updateRow(call.database, call.table, String(reward.id), {
      order_id: String(order_id),
      updated_at: formatTimestamp(call.now),
    });
  }
  return recordResponse(call, rowInPath(call));
}

function redeemProblem(
  { database, tables, now }: OperationCall,
  reward: StoredRow,
  orderId: string,
): string | undefined {
  const order = findRow(database, tables.get('orders'), orderId);
  if (!order) return "refers to a record that doesn't exist";
  if (reward.order_id !== null) return "can't be set: the reward has been used in another order";
  if (order.customer_id !== reward.customer_id) return 'refers to an order of another customer';
  return String(reward.valid_to) < formatDay(now) ? "can't be set: the reward is no longer valid" : undefined;
}

/** The relations that `whoami` includes in the user. */
const whoamiRelations = new Map([
  ['branches', noRelations],
  ['roles', noRelations],
]);

function whoamiResponse(call: OperationCall): ServiceResponse {
  const { database, tables, grant, variant, table, operation } = call;
  includeOf(call);
  const row = findRow(database, table, grant.userId);
  if (!row) throw unauthenticated();
  const user = apiRecordOf({ database, tables, grant, variant, include: whoamiRelations }, table, row);
  const account = {
    oauth_client: { id: demoClient.id, name: demoClient.name },
    user: pickFields(operation.resource.fields.user?.traits.fields ?? {}, {
      ...user,
      last_console_login_at: user.last_login_at,
    }),
    device: null,
    is_owner: user.is_owner,
    scopes: [...grant.scopes],
    business: readStoredValue(database, 'business', isObject),
  };
  return jsonResponse(200, recordEnvelope(account, variant));
}

/** Returns a record with only these fields; a missing field becomes null. */
function pickFields(fields: Fields, record: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.keys(fields).map((name) => [name, record[name] ?? null]));
}
