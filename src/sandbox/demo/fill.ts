/** Fills a new sandbox: what no account is without, and the demo business unless it is to be empty. */
import { catchUp } from '../business/passing-time.ts';
import { dayLength, writeMoment } from '../calendar.ts';
import { type Context, idFrom } from '../context.ts';
import { writeFact } from '../store/facts.ts';
import { addCustomers } from './customers.ts';
import demo from './demo.json' with { type: 'json' };
import { DemoWriter } from './demo-writer.ts';
import { addFromContract } from './from-contract.ts';
import { addOrders } from './orders.ts';
import { addBusinessRecords, addDeletedRecords, addOwner, addReferenceRecords } from './records.ts';
import { addStock, addStockDocuments } from './stock-documents.ts';

/** How a new sandbox begins. */
export interface Filling {
  /** Milliseconds since 1970: the demo's past ends here. */
  now: number;
  /** The owner, and records that the API only names, but nothing else. */
  isEmpty: boolean;
}

const opening = 400;

/** What the demo business is made of; the rest of it is left out of an API that hasn't got it. */
const business = [
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

/** Fills a sandbox inside the caller's transaction. */
export function fill(place: Pick<Context, 'database' | 'tables'>, { now, isEmpty }: Filling): void {
  const writer = new DemoWriter(place, now);
  writer.goTo(opening);
  addReferenceRecords(writer);
  writer.userId = addOwner(writer);
  addAccount(writer, now);
  if (!isEmpty && place.tables.has(...business)) addDemo(writer, now);
  addFromContract(writer, { isEmpty });
  writer.now = now;
  catchUp(writer);
}

function addDemo(writer: DemoWriter, today: number): void {
  writer.isPaced = true;
  const zones = addBusinessRecords(writer, today);
  writer.isPaced = false;
  const customers = addCustomers(writer, zones);
  writer.goTo(60);
  const items = idsIn(writer, 'inventory_items');
  addStock(writer, items);
  addStockDocuments(writer, items, idsIn(writer, 'users').slice(0, 6));
  addOrders(writer, customers);
  addDeletedRecords(
    writer,
    customers.map(({ id }) => id),
  );
}

/** Writes the account itself, as `whoami` shows it. */
function addAccount({ database, tables, userId }: DemoWriter, now: number): void {
  const { addons, licenses } = tables.api.account?.fields.business?.traits.fields ?? {};
  const booked = Object.keys(licenses?.traits.fields ?? {});
  writeFact(database, 'business', {
    id: idFrom('business'),
    ...demo.account,
    owner_id: userId,
    addons: addons?.traits.allowed ?? [],
    licenses: Object.fromEntries(booked.map((device, index) => [device, index < 3 ? 3 : 1])),
    created_at: writeMoment(now - 400 * dayLength),
    updated_at: writeMoment(now - 30 * dayLength),
  });
}

function idsIn({ database }: DemoWriter, table: 'inventory_items' | 'users'): string[] {
  return database.all(`SELECT id FROM ${table} ORDER BY seq`).map(({ id }) => String(id));
}
