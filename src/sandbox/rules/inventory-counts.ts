/**
 * Defines the rule for inventory counts: closing one sets the stock of the branch and stores the differences to the
 * expected stock.
 */

import type { StoredRow } from '../../base/storage/database.ts';
import { notify } from '../business/events.ts';
import { costOf, quantityAt, roundDecimals, setQuantity } from '../business/stock.ts';
import type { Context } from '../context.ts';
import { linesOf, markPosted, stockDocumentRule } from './stock-document.ts';

const table = 'inventory_counts';
const [draft, closed] = [1, 2];

export const inventoryCountRule = stockDocumentRule({
  table,
  prefix: 'IC',
  transitions: { [draft]: [closed] },
  lockedStatuses: [closed],
  onCreated: (context, row) =>
    notify(context, 'new_count_inventory_transaction', String(row.branch_id), subjectOf(row)),
  onStatus: { [closed]: close },
});

function close(context: Context, row: StoredRow): void {
  const { database } = context;
  const branchId = String(row.branch_id);
  for (const { to_id, quantity } of linesOf(database, table, row)) {
    const itemId = String(to_id);
    const [counted, expected] = [Number(quantity), quantityAt(database, branchId, itemId)];
    const variance = roundDecimals(counted - expected);
    database.run(
      `UPDATE inventory_counts_items SET variance_quantity = ?, variance_cost = ?, variance_percent = ?
       WHERE from_id = ? AND to_id = ?`,
      variance,
      roundDecimals(variance * costOf(database, itemId)),
      // The percentage is undefined if the expected quantity is 0.
      expected === 0 ? null : roundDecimals((variance / expected) * 100),
      String(row.id),
      itemId,
    );
    setQuantity(context, branchId, itemId, counted, subjectOf(row));
  }
  markPosted(context, table, row);
  notify(context, 'count_transaction_closed', branchId, subjectOf(row));
}

function subjectOf(row: StoredRow) {
  return { resource: table, id: String(row.id) };
}
