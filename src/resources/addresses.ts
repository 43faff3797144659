/** Addresses: where a customer's orders are delivered. */
import { numericText, one, text } from '../contract/field.ts';
import { resource } from '../contract/resource.ts';
import { id, sortableTimestamps } from './shared-fields.ts';

const body = ['name', 'description', 'latitude', 'longitude', 'customer_id', 'delivery_zone_id'] as const;

export const addresses = resource({
  path: '/addresses',
  one: 'address',
  group: 'customers',
  summary: 'Where customers’ orders are delivered',
  // The list can't be filtered by anything that names one address.
  key: [],
  known: 'address-huda-home',
  columns: ['id', 'name', 'description', 'customer', 'delivery_zone', 'updated_at'],
  fields: {
    id,
    name: text().updatable().about('What the customer calls it').example('Home'),
    description: text()
      .updatable()
      .about('The address itself, in words')
      .example('12 Palm Street, second floor'),
    latitude: numericText()
      .nullable()
      .updatable()
      .between(-90, 90)
      .unit('degrees')
      .about('Latitude')
      .example('24.7136'),
    longitude: numericText()
      .nullable()
      .updatable()
      .between(-180, 180)
      .unit('degrees')
      .about('Longitude')
      .example('46.6753'),
    customer: one('customers').includable().updatable().about('Whose address it is'),
    delivery_zone: one('delivery_zones').nullable().includable().updatable().about('The zone that serves it'),
    ...sortableTimestamps,
  },
  list: { scope: 'customers.list', filters: ['customer_id', 'updated_after', 'is_deleted'] },
  get: { scope: 'customers.get' },
  create: { scope: 'customers.write', body },
  update: { scope: 'customers.write', body },
  delete: { scope: 'customers.write' },
});
