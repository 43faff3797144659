/** Tables: places in a section where guests eat. */
import { one } from '../../contract/field.ts';
import { readOnly } from './read-only.ts';

/** The fields and filters of tables. */
export const tables = readOnly({
  path: '/tables',
  one: 'table',
  group: 'account',
  summary: 'Tables of the sections',
  key: [],
  exampleKey: 'Table 1',
  fields: () => ({ section: one('sections').nullable().includable().describe('Section of the table') }),
});
