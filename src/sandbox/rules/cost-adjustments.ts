/** Defines the rule for cost adjustments: closing one sets the new cost of each item and stores the previous cost. */

import type { StoredRow } from '../../base/storage/database.ts';
import { notify } from '../business/events.ts';
import { costOf } from '../business/stock.ts';
import { formatTimestamp } from '../calendar.ts';
import type { Context } from '../context.ts';
import { updateRow } from '../store/rows.ts';
import { linesOf, markPosted, stockDocumentRule } from './stock-document.ts';

const table = 'cost_adjustments';
const [draft, closed] = [1, 2];

export const costAdjustmentRule = stockDocumentRule({
  table,
  prefix: 'CA',
  transitions: { [draft]: [closed] },
  lockedStatuses: [closed],
  onCreated: (context, row) =>
    notify(context, 'new_cost_adjustment_inventory_transaction', String(row.branch_id), subjectOf(row)),
  onStatus: { [closed]: close },
});

function close(context: Context, row: StoredRow): void {
  const { database, tables, now } = context;
  for (const { to_id, cost_per_unit } of linesOf(database, table, row)) {
    const itemId = String(to_id);
    database.run(
      'UPDATE cost_adjustments_items SET previous_cost_per_unit = ? WHERE from_id = ? AND to_id = ?',
      costOf(database, itemId),
      String(row.id),
      itemId,
    );
    updateRow(database, tables.get('inventory_items'), itemId, {
      cost: cost_per_unit ?? null,
      updated_at: formatTimestamp(now),
    });
  }
  markPosted(context, table, row);
  notify(context, 'cost_adjustment_transaction_closed', String(row.branch_id), subjectOf(row));
}

function subjectOf(row: StoredRow) {
  return { resource: table, id: String(row.id) };
}
