/** Using a loyalty reward in an order. */

import { writeDay, writeMoment } from '../calendar.ts';
import type { Call } from '../call.ts';
import type { ServiceResponse } from '../http/message.ts';
import { findRow, updateRow } from '../store/rows.ts';
import { tableNamed } from '../store/tables.ts';
import { bodyProblems } from '../validation/body.ts';
import { activeNamed, named } from './find.ts';
import { answerRecord } from './read.ts';

/** Once, by its customer, until its last day. A repeat for the same order answers the same, as a GET may be repeated. */
export function redeem(call: Call): ServiceResponse {
  const { database, operation, now } = call;
  const reward = activeNamed(call);
  const body =
    operation.method === 'GET' && call.query.has('order_id')
      ? { order_id: call.query.get('order_id') }
      : call.body;
  const messages = bodyProblems(operation, body);
  if (!Object.hasOwn(body, 'order_id')) messages.add('order_id', 'is required');
  const orderId = String(body.order_id);
  const order = findRow(database, tableNamed('orders'), orderId);
  if (messages.isEmpty && reward.order_id !== orderId) {
    if (!order) messages.add('order_id', 'names a record that does not exist');
    else if (reward.order_id !== null)
      messages.add('order_id', "can't be set: the reward has been used in another order");
    else if (order.customer_id !== reward.customer_id)
      messages.add('order_id', 'names an order of another customer');
    else if (String(reward.valid_to) < writeDay(now))
      messages.add('order_id', "can't be set: the reward is no longer valid");
  }
  messages.throwAny();
  if (reward.order_id !== orderId) {
    updateRow(database, call.table, String(reward.id), {
      order_id: orderId,
      updated_at: writeMoment(now),
    });
  }
  return answerRecord(call, named(call));
}
