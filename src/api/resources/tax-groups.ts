/** Tax groups: taxes that apply together to products, modifier options, charges and branches. */
import { many, text } from '../contract/field.ts';
import { undocumentedFilter } from '../contract/filter.ts';
import { resource } from '../contract/resource.ts';
import { dateFilters, id, name, nameLocalized, timestamps } from './shared-fields.ts';

/** The fields, filters and operations of tax groups. */
export const taxGroups = resource({
  path: '/tax_groups',
  one: 'tax-group',
  group: 'account',
  summary: 'Groups of taxes that apply together',
  key: ['name'],
  exampleKey: 'Standard Rate',
  columns: ['id', 'name', 'name_localized', 'updated_at'],
  fields: () => ({
    id,
    name: name.required().writable().example('Takeaway Rate'),
    name_localized: nameLocalized.writable().example('ضريبة الطلبات الخارجية'),
    taxes: many('taxes')
      .writable()
      .nullable()
      .includable()
      .askedInForms()
      .warnsIfEmpty()
      .describe('Taxes in the group'),
    ...timestamps,
  }),
  filterRules: () => ({
    // The API document lists this filter, but has no field of that name.
    reference: undocumentedFilter(text().describe('Reference of the tax group')),
  }),
  list: { scope: 'general.read', filters: ['id', 'name', 'name_localized', 'reference', ...dateFilters] },
  get: { scope: 'general.read' },
  create: { scope: 'admin.write' },
  update: { scope: 'admin.write' },
  delete: { scope: 'admin.write' },
  restore: { scope: 'admin.restore' },
});
