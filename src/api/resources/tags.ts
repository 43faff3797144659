/** Tags: labels, each for one kind of record. */
import { choice } from '../contract/field.ts';
import { resource } from '../contract/resource.ts';
import { dateFilters, id, name, nameLocalized, timestamps } from './shared-fields.ts';
import { tagTypes } from './tag-types.ts';

/** The fields, filters and operations of tags. */
export const tags = resource({
  path: '/tags',
  one: 'tag',
  group: 'account',
  summary: 'Labels, each for one kind of record',
  key: ['name'],
  exampleKey: 'Regular',
  columns: ['id', 'name', 'name_localized', 'type', 'updated_at'],
  fields: () => ({
    id,
    name: name.required().writable().example('Wholesale'),
    name_localized: nameLocalized.writable().example('جملة'),
    type: choice(tagTypes)
      .required()
      .immutable()
      .describe('Kind of record that the tag is for; set at creation')
      .example(1),
    ...timestamps,
  }),
  list: { scope: 'general.read', filters: ['id', 'name', 'name_localized', 'type', ...dateFilters] },
  get: { scope: 'general.read' },
  create: { scope: 'tags.write' },
  update: { scope: 'admin.write' },
  delete: { scope: 'admin.write' },
  restore: { scope: 'admin.restore' },
});
