/** Sections: areas of a branch with tables for guests. */
import { many, one } from '../contract/field.ts';
import { resource } from '../contract/resource.ts';
import { id, name, nameLocalized, timestamps } from './shared-fields.ts';

/** The fields, filters and operations of sections. */
export const sections = resource({
  path: '/sections',
  one: 'section',
  group: 'account',
  summary: 'Areas of a branch with tables for guests',
  key: ['name'],
  exampleKey: 'Terrace',
  columns: ['id', 'name', 'name_localized', 'branch', 'updated_at'],
  fields: () => ({
    id,
    name: name.writable().example('Garden'),
    name_localized: nameLocalized.writable().example('الحديقة'),
    branch: one('branches')
      .writable()
      .includable()
      .askedInForms()
      .describe('Branch of the section')
      .example('branch-riverside'),
    tables: many('tables').updatable().nullable().includable().describe('Tables in the section'),
    ...timestamps,
  }),
  list: {
    scope: 'general.read',
    filters: [
      'id',
      'name',
      'created_on',
      'updated_on',
      'deleted_on',
      'name_localized',
      'branch_id',
      'tables.id',
      'updated_after',
      'is_deleted',
    ],
  },
  get: { scope: 'general.read' },
  create: { scope: 'tables.write' },
  update: { scope: 'tables.write' },
  delete: { scope: 'tables.write' },
  restore: { scope: 'admin.restore' },
});
