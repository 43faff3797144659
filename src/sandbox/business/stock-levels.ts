/** How much of everything is where in a sandbox, and setting it: for what holds two moments of it against each other. */
import type { Sandbox } from '../service.ts';

/** In storage units. */
export interface StockLevel {
  /** A branch or a warehouse. */
  placeId: string;
  itemId: string;
  quantity: number;
}

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

/** Nobody is told of it: it is what there was before anything happened. */
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
