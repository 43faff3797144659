/** Addresses: where a customer's orders are delivered. */
import { numericText, one, text } from '../contract/field.ts';
import { resource } from '../contract/resource.ts';
import { id, sortableTimestamps } from './shared-fields.ts';

export const addresses = resource({
  path: '/addresses',
  one: 'address',
  group: 'customers',
  summary: 'Where customers’ orders are delivered',
  // The list can't be filtered by anything that names one address.
  key: [],
  known: 'address-huda-home',
  columns: ['id', 'name', 'description', 'customer', 'delivery_zone', 'updated_at'],
  fields: () => ({
    id,
    name: text().writable().about('What the customer calls it').example('Home'),
    description: text()
      .writable()
      .asked()
      .about('The address itself, in words')
      .example('12 Palm Street, second floor'),
    latitude: numericText()
      .writable()
      .nullable()
      .between(-90, 90)
      .unit('degrees')
      .about('Latitude')
      .example('24.7136'),
    longitude: numericText()
      .writable()
      .nullable()
      .between(-180, 180)
      .unit('degrees')
      .about('Longitude')
      .example('46.6753'),
    customer: one('customers').writable().includable().asked().about('Whose address it is'),
    delivery_zone: one('delivery_zones')
      .writable()
      .nullable()
      .includable()
      .asked()
      .about('The zone that serves it'),
    ...sortableTimestamps,
  }),
  list: { scope: 'customers.list', filters: ['customer_id', 'updated_after', 'is_deleted'] },
  get: { scope: 'customers.get' },
  create: { scope: 'customers.write' },
  update: { scope: 'customers.write' },
  delete: { scope: 'customers.write' },
});
