/** Branches: the places where the business sells. */
import { text } from '../../contract/field.ts';
import { readOnly } from './read-only.ts';

/** The fields and filters of branches. */
export const branches = readOnly({
  path: '/branches',
  one: 'branch',
  group: 'account',
  summary: 'Branches of the business',
  key: ['reference'],
  exampleKey: 'Riverside',
  fields: () => ({ reference: text().nullable().describe('Your own reference code') }),
});
