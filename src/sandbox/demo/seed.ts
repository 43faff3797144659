/**
 * Adds the first records to a new sandbox: those that every account has, and the demo business unless it should be
 * empty.
 */
import { applyDueChanges } from '../business/time-effects.ts';
import { dayMs, formatTimestamp } from '../calendar.ts';
import { type Context, stableId } from '../context.ts';
import { writeStoredValue } from '../store/rows.ts';
import { addCustomers, addOrders, addStock, addStockDocuments } from './business.ts';
import demo from './demo.json' with { type: 'json' };
import { DemoWriter } from './demo-writer.ts';
import { addFromContract } from './from-contract.ts';
import {
  addBusinessRecords,
  addDeletedRecords,
  addDeployedRecords,
  addOwner,
  addReferenceRecords,
} from './records.ts';

/** The options for the first records of a new sandbox. */
export interface SeedOptions {
  /** The current time of the demo business, in milliseconds since 1970. */
  now: number;
  /** Whether to add only the owner and the records that the API only refers to. */
  isEmpty: boolean;
}

/** The age of the demo business, in days. */
const openedDaysAgo = 400;

/** The resources that the demo business requires. It isn't added for an API without them. */
const requiredResources = [
  'users',
  'branches',
  'warehouses',
  'customers',
  'inventory_items',
  'orders',
  'order_returns',
  'loyalty_transactions',
  'loyalty_rewards',
];

/** Adds the first records to a sandbox, inside the caller's transaction. */
export function seedSandbox(
  store: Pick<Context, 'database' | 'tables'>,
  { now, isEmpty }: SeedOptions,
): void {
  const writer = new DemoWriter(store, now);
  writer.setTime(openedDaysAgo);
  addReferenceRecords(writer);
  writer.userId = addOwner(writer);
  addAccount(writer, now);
  if (!isEmpty && store.tables.has(...requiredResources)) addDemo(writer, now);
  addFromContract(writer, { isEmpty });
  writer.now = now;
  applyDueChanges(writer);
}

function addDemo(writer: DemoWriter, today: number): void {
  writer.advancesTime = true;
  const zones = addBusinessRecords(writer, today);
  writer.advancesTime = false;
  const customers = addCustomers(writer, zones);
  writer.setTime(60);
  const items = idsIn(writer, 'inventory_items');
  addStock(writer, items);
  addStockDocuments(writer, items, idsIn(writer, 'users').slice(0, 6));
  addDeployedRecords(writer);
  addOrders(writer, customers);
  addDeletedRecords(
    writer,
    customers.map(({ id }) => id),
  );
}

/** Stores the account, as `whoami` returns it. */
function addAccount({ database, tables, userId }: DemoWriter, now: number): void {
  const { addons, licenses } = tables.api.account?.fields.business?.traits.fields ?? {};
  const devices = Object.keys(licenses?.traits.fields ?? {});
  writeStoredValue(database, 'business', {
    id: stableId('business'),
    ...demo.account,
    owner_id: userId,
    addons: addons?.traits.allowed ?? [],
    licenses: Object.fromEntries(devices.map((device, index) => [device, index < 3 ? 3 : 1])),
    created_at: formatTimestamp(now - openedDaysAgo * dayMs),
    updated_at: formatTimestamp(now - 30 * dayMs),
  });
}

function idsIn({ database }: DemoWriter, table: 'inventory_items' | 'users'): string[] {
  return database.all(`SELECT id FROM ${table} ORDER BY seq`).map(({ id }) => String(id));
}
