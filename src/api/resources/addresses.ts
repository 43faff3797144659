/** Addresses: the delivery addresses of customers. */
import { numericText, one, text } from '../contract/field.ts';
import { resource } from '../contract/resource.ts';
import { id, sortableTimestamps } from './shared-fields.ts';

/** The fields, filters and operations of addresses. */
export const addresses = resource({
  path: '/addresses',
  one: 'address',
  group: 'customers',
  summary: 'Delivery addresses of customers',
  // No natural key: the list has no filter that finds a single address.
  key: [],
  exampleKey: 'address-huda-home',
  columns: ['id', 'name', 'description', 'customer', 'delivery_zone', 'updated_at'],
  fields: () => ({
    id,
    name: text().writable().describe('Short name of the address').example('Home'),
    description: text()
      .writable()
      .askedInForms()
      .describe('Full address as text')
      .example('12 Palm Street, second floor'),
    latitude: numericText()
      .writable()
      .nullable()
      .between(-90, 90)
      .unit('degrees')
      .describe('Latitude')
      .example('24.7136'),
    longitude: numericText()
      .writable()
      .nullable()
      .between(-180, 180)
      .unit('degrees')
      .describe('Longitude')
      .example('46.6753'),
    customer: one('customers')
      .writable()
      .includable()
      .askedInForms()
      .describe('Customer who has this address'),
    delivery_zone: one('delivery_zones')
      .writable()
      .nullable()
      .includable()
      .askedInForms()
      .describe('Delivery zone that covers the address'),
    ...sortableTimestamps,
  }),
  list: { scope: 'customers.list', filters: ['customer_id', 'updated_after', 'is_deleted'] },
  get: { scope: 'customers.get' },
  create: { scope: 'customers.write' },
  update: { scope: 'customers.write' },
  delete: { scope: 'customers.write' },
});
