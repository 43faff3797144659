/** Counts, orders and cost adjustments as a test looks at them. */
import type { Demo } from './demo.ts';

export interface StockDocument {
  reference: string;
  items: { id: string; pivot: Record<string, number> }[];
}

export function stockOf(demo: Demo) {
  return {
    /** The document of a resource that was made last. */
    async newest(resource: string): Promise<StockDocument> {
      const all = await demo.json<StockDocument[]>(`${resource} list --all`);
      const [{ reference = '' } = {}] = all.toSorted((one, other) =>
        one.reference < other.reference ? 1 : -1,
      );
      return demo.json<StockDocument>(`${resource} get @${reference}`);
    },

    /** What stands in the lines of a document, by SKU. */
    async linesOf({ items }: StockDocument): Promise<[sku: string, quantity: number | undefined][]> {
      const all = await demo.json<{ id: string; sku: string }[]>('inventory-items list --all');
      return items.map(({ id, pivot }) => [all.find((item) => item.id === id)?.sku ?? '', pivot.quantity]);
    },
  };
}
