import { describe, expect, test } from 'vitest';
import { operation } from '../../src/contract/operation.ts';
import { unlikelyIn } from '../../src/contract/unlikely.ts';
import { api } from '../../src/resources/index.ts';

function found(resource: string, verb: string, values: Record<string, unknown>): string[] {
  const of = api.resource(resource);
  const fields = of && operation(of, verb)?.body;
  if (!fields) throw new Error(`there is no ${resource} ${verb}`);
  return unlikelyIn(fields, values).map(({ message }) => message);
}

describe('values that are probably mistakes', () => {
  test.each([
    [
      'a minimum above the maximum',
      'inventory_items',
      'update',
      { minimum_level: '10', maximum_level: 9 },
      'Minimum level (10) is above maximum level (9).',
    ],
    [
      'an event that ends before it starts',
      'timed_events',
      'update',
      { from_date: '2027-03-01', to_date: '2027-02-28' },
      'It ends (2027-02-28) before it starts (2027-03-01).',
    ],
    [
      'a negative count',
      'inventory_counts',
      'update',
      {
        items: [
          { id: 'a', quantity: -1 },
          { id: 'b', quantity: 0 },
        ],
      },
      '1 quantity is negative.',
    ],
    ['letters in a phone number', 'suppliers', 'update', { phone: '05O123' }, 'Phone has letters: 05O123.'],
    ['a customer without a name', 'customers', 'update', { phone: '1', name: '' }, 'Name is empty.'],
  ])('%s', (_, resource, verb, values, message) => {
    expect(found(resource, verb, values)).toEqual([message]);
  });

  test.each([
    ['inventory_items', 'update', { minimum_level: '9', maximum_level: '10' }],
    ['inventory_items', 'update', { minimum_level: '9', maximum_level: null }],
    // An event may last over midnight.
    ['timed_events', 'update', { from_date: '2027-03-01', to_date: '2027-03-01', from_time: 22, to_time: 2 }],
    ['inventory_counts', 'update', { items: [{ id: 'a', quantity: 0 }] }],
    ['suppliers', 'update', { phone: '+966 (55) 000-200', contact_name: '' }],
    ['customers', 'update', { name: 'هدى', phone: '٠٥٥' }],
  ])('no warning for usual values of %s %s', (resource, verb, values) => {
    expect(found(resource, verb, values)).toEqual([]);
  });
});
