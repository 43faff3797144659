/** Reads counts, orders and cost adjustments for tests. */
import type { Demo } from './demo.ts';

export interface StockDocument {
  reference: string;
  items: { id: string; pivot: Record<string, number> }[];
}

export function stockOf(demo: Demo) {
  return {
    /** Returns the newest document of a resource. */
    async getNewest(resource: string): Promise<StockDocument> {
      const documents = await demo.json<StockDocument[]>(`${resource} list --all`);
      const [{ reference = '' } = {}] = documents.toSorted((a, b) => (a.reference < b.reference ? 1 : -1));
      return demo.json<StockDocument>(`${resource} get @${reference}`);
    },

    /** Returns the values in the lines of a document by SKU. */
    async linesOf({ items }: StockDocument): Promise<[sku: string, quantity: number | undefined][]> {
      const inventoryItems = await demo.json<{ id: string; sku: string }[]>('inventory-items list --all');
      return items.map(({ id, pivot }) => [
        inventoryItems.find((item) => item.id === id)?.sku ?? '',
        pivot.quantity,
      ]);
    },
  };
}
