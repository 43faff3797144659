/** Taxes: rates that apply to each product, modifier option and charge separately. */
import { decimal, many, text } from '../contract/field.ts';
import { resource } from '../contract/resource.ts';
import { dateFilters, id, name, nameLocalized, timestamps } from './shared-fields.ts';

/** The fields, filters and operations of taxes. */
export const taxes = resource({
  path: '/taxes',
  one: 'tax',
  group: 'account',
  summary: 'Tax rates',
  key: ['name'],
  exampleKey: 'VAT',
  columns: ['id', 'name', 'name_localized', 'rate', 'updated_at'],
  fields: () => ({
    id,
    name: name.required().writable().example('Tobacco Duty'),
    name_localized: nameLocalized.writable().example('ضريبة التبغ'),
    rate: decimal().required().writable().unit('percent').describe('Tax rate').example(15),
    tax_groups: many('tax_groups')
      .writable()
      .nullable()
      .includable()
      .inverseOf('taxes')
      .pivot({
        tax_id: text().repeatsId().describe('Tax'),
        tax_group_id: text().repeatsId().describe('Tax group'),
      })
      .describe('Tax groups that contain the tax'),
    ...timestamps,
  }),
  list: { scope: 'general.read', filters: ['id', 'name', 'name_localized', ...dateFilters] },
  get: { scope: 'general.read' },
  create: { scope: 'admin.write' },
  update: { scope: 'admin.write' },
  delete: { scope: 'admin.write' },
  restore: { scope: 'admin.restore' },
});
