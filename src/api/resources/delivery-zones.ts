/** Delivery zones: the areas that branches deliver to. */
import { code, many, ring } from '../contract/field.ts';
import { resource } from '../contract/resource.ts';
import { dateFilters, id, name, nameLocalized, timestamps } from './shared-fields.ts';

/** The fields, filters and operations of delivery zones. */
export const deliveryZones = resource({
  path: '/delivery_zones',
  one: 'delivery-zone',
  searchTerms: ['zones'],
  group: 'account',
  summary: 'Areas that branches deliver to',
  key: ['reference', 'name'],
  exampleKey: 'ZONE-NORTH',
  columns: ['id', 'name', 'name_localized', 'reference', 'updated_at'],
  fields: () => ({
    id,
    name: name.required().writable().example('Old Town'),
    name_localized: nameLocalized.writable().example('البلدة القديمة'),
    reference: code()
      .writable()
      .nullable()
      .unique()
      .describe('Your own reference code')
      .example('ZONE-OLD-TOWN'),
    // The API document's request shows a single pair of numbers and its response a closed ring; requests accept both.
    coordinates: ring()
      .writable()
      .askedInForms()
      .label('Border')
      .nullable()
      .describe('Border as a closed ring of [longitude, latitude] pairs; a single pair is also accepted')
      .unit('degrees')
      .example([
        [46.67, 24.7],
        [46.69, 24.7],
        [46.69, 24.72],
        [46.67, 24.7],
      ]),
    branches: many('branches')
      .writable()
      .includable()
      .askedInForms()
      .describe('Branches that deliver to the zone'),
    ...timestamps,
  }),
  list: {
    scope: 'general.read',
    filters: ['id', 'name', 'name_localized', 'reference', 'branches.id', ...dateFilters],
  },
  get: { scope: 'general.read' },
  create: { scope: 'admin.write' },
  update: { scope: 'admin.write' },
  delete: { scope: 'admin.write' },
  restore: { scope: 'admin.restore' },
  pictures: { map: { border: 'coordinates', branches: 'branches', code: 'reference' } },
});
