import { expect, test } from 'vitest';
import { type CardView, cardEntries } from '../../src/output/records-for-people.ts';
import '../../src/resources/index.ts';
import { customers } from '../../src/resources/customers.ts';

const record = { name: 'Huda', unheard_of: 1, id: 'c1', phone: '510000000' };
const namesOf = (view: Partial<CardView>) =>
  cardEntries({ resource: customers, localTime: false, ...view }, record).map(({ name }) => name);

test('a card shows the columns asked for, in the order asked for', () => {
  expect(namesOf({ columns: ['phone', 'name', 'id'] })).toEqual(['phone', 'name', 'id']);
});

test('a card shows all that the record holds: in the contract’s order, then what the contract doesn’t know', () => {
  expect(namesOf({})).toEqual(['id', 'name', 'phone', 'unheard_of']);
});
