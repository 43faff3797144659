/** Reads and sets the stock of all places, for comparisons of two moments. */
import type { Sandbox } from '../service.ts';

/** The stock of one item at one place, in storage units. */
export interface StockLevel {
  /** The id of a branch or a warehouse. */
  placeId: string;
  itemId: string;
  quantity: number;
}

/** Returns the stock of all items at all places. */
export function stockLevels({ database }: Sandbox): StockLevel[] {
  const rows = database.all(
    'SELECT place_id, item_id, quantity FROM sandbox_stock ORDER BY place_id, item_id',
  );
  return rows.map(({ place_id: place, item_id: item, quantity }) => ({
    placeId: String(place),
    itemId: String(item),
    quantity: Number(quantity),
  }));
}

/** Sets stock without notifying anyone: it is what was there before anything happened. */
export function setStockLevels({ database }: Sandbox, levels: readonly StockLevel[]): void {
  database.write(() => {
    for (const { placeId, itemId, quantity } of levels) {
      database.run(
        `INSERT INTO sandbox_stock (place_id, item_id, quantity) VALUES (?, ?, ?)
         ON CONFLICT (place_id, item_id) DO UPDATE SET quantity = excluded.quantity`,
        placeId,
        itemId,
        quantity,
      );
    }
  });
}
