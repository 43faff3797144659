/** Using a loyalty reward in an order. */
import { writeDay, writeMoment } from '../calendar.ts';
import type { Call } from '../call.ts';
import type { ServiceResponse } from '../http/message.ts';
import type { StoredRow } from '../store/cells.ts';
import { findRow, updateRow } from '../store/rows.ts';
import { bodyProblems } from '../validation/body.ts';
import { activeNamed, named } from './find.ts';
import { answerRecord } from './read.ts';

/** Once, in an order of its customer, until its last day. The same order again answers the same, as a GET may be repeated. */
export function redeem(call: Call): ServiceResponse {
  const reward = activeNamed(call);
  const { order_id } = call.body;
  const messages = bodyProblems(call.operation, call.body);
  messages.throwAny();
  const problem = order_id === reward.order_id ? undefined : useProblem(call, reward, String(order_id));
  if (problem) messages.add('order_id', problem);
  messages.throwAny();
  if (order_id !== reward.order_id) {
    updateRow(call.database, call.table, String(reward.id), {
      order_id: String(order_id),
      updated_at: writeMoment(call.now),
    });
  }
  return answerRecord(call, named(call));
}

function useProblem({ database, tables, now }: Call, reward: StoredRow, orderId: string): string | undefined {
  const order = findRow(database, tables.named('orders'), orderId);
  if (!order) return 'names a record that does not exist';
  if (reward.order_id !== null) return "can't be set: the reward has been used in another order";
  if (order.customer_id !== reward.customer_id) return 'names an order of another customer';
  return String(reward.valid_to) < writeDay(now) ? "can't be set: the reward is no longer valid" : undefined;
}
