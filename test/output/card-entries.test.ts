import { expect, test } from 'vitest';
import { type CardView, createCardEntries } from '../../src/cli/output/records-for-people.ts';
import '../../src/api/resources/index.ts';
import { customers } from '../../src/api/resources/customers.ts';

const record = { name: 'Huda', undocumented: 1, id: 'c1', phone: '510000000' };
const namesOf = (view: Partial<CardView>) =>
  createCardEntries({ resource: customers, ...view }, record).map(({ name }) => name);

test('card with --columns: shows those columns in that order', () => {
  expect(namesOf({ columns: ['phone', 'name', 'id'] })).toEqual(['phone', 'name', 'id']);
});

test('card: shows every field in the order of the API document, then other fields', () => {
  expect(namesOf({})).toEqual(['id', 'name', 'phone', 'undocumented']);
});
