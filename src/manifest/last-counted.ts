/** The stock at the last count. The API doesn't return the current stock, so a rehearsal starts with the last count. */
import { fieldsToInclude } from '../contract/include.ts';
import { requireOperation } from '../contract/operation.ts';
import type { MissingFields } from '../session/missing-fields.ts';
import { linksIn, pivotOf } from '../session/record-body.ts';
import { isRow, type Row } from '../session/row.ts';
import type { Session } from '../session/session.ts';

/** A quantity in storage units. The item is identified by its key, because IDs differ in another account. */
export interface StockLevel {
  placeId: string;
  item: string;
  quantity: number;
}

/** Returns the quantity of each item at each branch in the last closed count, and adds what counts lack to `missing`. */
export async function readLastCounts(account: Session, missing: MissingFields): Promise<StockLevel[]> {
  const { api } = account;
  const counts = api.resource('inventory_counts') ?? throwContractError();
  const list = requireOperation(counts, 'list');
  const keyById = new Map([...(await readItemIds(account))].map(([key, id]) => [id, key]));
  const lastByItem = new Map<string, StockLevel & { day: string }>();
  const query = {
    filters: { ...counts.fields.items?.traits.previous?.filters },
    optional: fieldsToInclude(counts, ['branch', 'items']),
    onMissing: missing.of(counts),
  };
  for await (const count of account.list({ operation: list, query }, { readsAll: true }).rows()) {
    const day = `${count.business_date ?? ''} ${count.updated_at ?? ''}`;
    const placeId = isRow(count.branch) ? String(count.branch.id) : undefined;
    for (const item of linksIn(count, 'items') ?? []) {
      const quantity = Number(pivotOf(item).quantity);
      const key = keyById.get(String(item.id));
      if (placeId === undefined || key === undefined || !Number.isFinite(quantity)) continue;
      const stockKey = JSON.stringify([placeId, key]);
      if ((lastByItem.get(stockKey)?.day ?? '') <= day)
        lastByItem.set(stockKey, { placeId, item: key, quantity, day });
    }
  }
  return [...lastByItem.values()].map(({ placeId, item, quantity }) => ({ placeId, item, quantity }));
}

/** Returns the IDs of items by their keys, which are the same in both accounts. */
export async function readItemIds(account: Session): Promise<Map<string, string>> {
  const list = requireOperation(account.api.resource('inventory_items') ?? throwContractError(), 'list');
  const ids = new Map<string, string>();
  for await (const item of account.list({ operation: list, query: {} }, { readsAll: true }).rows()) {
    const key = itemKey(item);
    if (key !== undefined) ids.set(key, String(item.id));
  }
  return ids;
}

function itemKey({ sku, name }: Row): string | undefined {
  const key = [sku, name].find((value) => typeof value === 'string' && value !== '');
  return typeof key === 'string' ? key : undefined;
}

function throwContractError(): never {
  throw new Error('The contract has no lists of inventory items and counts.');
}
