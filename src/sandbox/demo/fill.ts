/** Fills a new sandbox: what no account is without, and the demo business unless it is to be empty. */
import type { Database } from '../../storage/database.ts';
import { catchUp } from '../business/passing-time.ts';
import type { Context } from '../context.ts';
import { addBusiness } from './business.ts';
import { addCustomers } from './customers.ts';
import { DemoWriter } from './demo-writer.ts';
import { addFromContract } from './from-contract.ts';
import { addInventory } from './inventory.ts';
import { addCategories, addGiftCards, addGroups, addProducts } from './menu.ts';
import { addModifiers } from './modifiers.ts';
import { addOrders } from './orders.ts';
import { addPast } from './past.ts';
import { addOwner, addPeople } from './people.ts';
import { addDeliveryZones, addPlaces, addSections } from './places.ts';
import { addPaymentMethods, addTaxes, addTimedEvents } from './prices.ts';
import { addStock, addStockDocuments } from './stock-documents.ts';
import { addTags } from './tags.ts';

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

export function fill(place: Pick<Context, 'database' | 'tables'>, { now, isEmpty }: Filling): void {
  const writer = new DemoWriter(place, now);
  writer.goTo(opening);
  addPlaces(writer);
  addProducts(writer);
  writer.userId = addOwner(writer);
  addBusiness(writer, now);
  if (!isEmpty && place.tables.has(...business)) addDemo(writer, now);
  addFromContract(writer, { isEmpty });
  writer.now = now;
  catchUp(writer);
}

function addDemo(writer: DemoWriter, today: number): void {
  writer.isPaced = true;
  const tags = addTags(writer);
  addPeople(writer, tags);
  const zones = addDeliveryZones(writer);
  addSections(writer);
  const taxGroup = addTaxes(writer);
  addPaymentMethods(writer);
  const items = addInventory(writer, tags);
  const categories = addCategories(writer);
  const groups = addGroups(writer);
  addModifiers(writer, items, taxGroup);
  addGiftCards(writer, { categories, groups, tags });
  addTimedEvents(writer, { categories, tags, today });
  writer.isPaced = false;
  const customers = addCustomers(writer, zones, tags);
  writer.goTo(60);
  addStock(writer, [...items.values()]);
  addStockDocuments(writer, [...items.values()], staff(writer.database));
  addOrders(writer, customers);
  addPast(
    writer,
    customers.map(({ id }) => id),
    categories,
  );
}

function staff(database: Database): string[] {
  return database.all('SELECT id FROM users ORDER BY seq LIMIT 6').map(({ id }) => String(id));
}
