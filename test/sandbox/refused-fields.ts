/** Sends bodies with invalid fields and returns the refused fields. */
import type { Client } from './client.ts';

/**
 * Returns functions that post a body for a resource and return the names of the refused fields. The list is empty if the
 * request is accepted.
 */
export function refusals(client: () => Client) {
  const refusedFields = (path: string, body: object): string[] => {
    const { json } = client().post(path, body);
    return Object.keys(json.errors ?? {});
  };
  return {
    refused: refusedFields,
    customer: (fields: object) => refusedFields('/customers', { name: 'A guest', ...fields }),
    event: (fields: object) =>
      refusedFields('/timed_events', {
        name: 'An event',
        type: 1,
        value: 5,
        from_date: '2026-01-01',
        to_date: '2026-02-01',
        from_time: 9,
        to_time: 14,
        order_types: [1],
        ...fields,
      }),
    item: (fields: object) =>
      refusedFields('/inventory_items', {
        name: 'An item',
        sku: `SKU-${Math.random()}`,
        storage_unit: 'kg',
        ingredient_unit: 'g',
        storage_to_ingredient_factor: 1000,
        costing_method: 1,
        ...fields,
      }),
  };
}
