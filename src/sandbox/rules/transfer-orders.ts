/** Defines the rule for transfer orders: accepting one moves its items from the warehouse to the branch. */

import type { StoredRow } from '../../base/storage/database.ts';
import { notify } from '../business/events.ts';
import { addQuantity } from '../business/stock.ts';
import type { Context } from '../context.ts';
import type { ResourceRule } from './rule.ts';
import { linesOf, markPosted, stockDocumentRule } from './stock-document.ts';

const table = 'transfer_orders';
const [draft, opened, closed, accepted, declined] = [1, 2, 3, 4, 5];

const rule = stockDocumentRule({
  table,
  prefix: 'TO',
  transitions: {
    [draft]: [opened, closed, accepted, declined],
    [opened]: [closed, accepted, declined],
    [accepted]: [closed],
    [declined]: [closed],
  },
  lockedStatuses: [closed, accepted, declined],
  onCreated: (context, row) => notify(context, 'new_transfer_order', String(row.branch_id), subjectOf(row)),
  onStatus: { [accepted]: accept },
});

/** Responses also contain `poster_id` (API document, "Transfer Order"). */
export const transferOrderRule: ResourceRule = { ...rule, extraColumns: ['poster_id'] };

function accept(context: Context, row: StoredRow): void {
  const [branchId, subject] = [String(row.branch_id), subjectOf(row)];
  notify(context, 'new_transfer_sending_inventory_transaction', branchId, subject);
  notify(context, 'new_pending_transfer_receiving', branchId, subject);
  for (const { to_id, quantity } of linesOf(context.database, table, row)) {
    addQuantity(context, String(row.warehouse_id), String(to_id), -Number(quantity), subject);
    addQuantity(context, branchId, String(to_id), Number(quantity), subject);
  }
  notify(context, 'new_transfer_receiving_inventory_transaction', branchId, subject);
  markPosted(context, table, row);
}

function subjectOf(row: StoredRow) {
  return { resource: table, id: String(row.id) };
}
