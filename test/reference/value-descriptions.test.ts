import { describe, expect, it } from 'vitest';
import type { Field } from '../../src/api/contract/field.ts';
import { operation } from '../../src/api/contract/operation.ts';
import { filterDetails } from '../../src/api/reference/filter-details.ts';
import { inputSchema } from '../../src/api/reference/json-schema.ts';
import { describeField } from '../../src/api/reference/value-descriptions.ts';
import { api } from '../../src/api/resources/index.ts';

function fieldOf(resource: string, name: string): Field {
  const field = api.resource(resource)?.fields[name];
  if (!field) throw new Error(`${resource} has no ${name}`);
  return field;
}

describe('describeField', () => {
  it.each<[resource: string, name: string, words: string[]]>([
    ['addresses', 'latitude', ['in degrees', 'from -90 to 90']],
    ['timed_events', 'from_time', ['from 0 to 24']],
    [
      'timed_events',
      'value',
      [
        '0 or more where type is fixed-price',
        'more than 0 where type is price-reduction or price-increase',
        'more than 0 and less than 100 where type is price-reduction-by-percentage or price-increase-by-percentage',
      ],
    ],
    ['delivery_zones', 'coordinates', ['at least four pairs', 'from -180 to 180']],
  ])('%s.%s: contains %j', (resource, name, words) => {
    const field = fieldOf(resource, name);
    for (const text of words) expect(describeField(field)).toContain(text);
    const create = operation(api.resource(resource) ?? expect.fail(), 'create');
    const { description } = inputSchema(create ?? expect.fail()).properties?.[name] ?? {};
    for (const text of words) expect(description).toContain(text.replace('in degrees', 'degrees'));
  });

  it('isNew: contains only the words that a new record can have', () => {
    const type = fieldOf('payment_methods', 'type');
    expect(describeField(type, { isNew: true })).toContain('[cash | card | other | 3rd-party]');
    expect(describeField(type)).toContain('house-account');
  });
});

describe('filterDetails', () => {
  it.each([
    ['inventory_items', 'suppliers.id', '--suppliers-id <id,...>'],
    ['suppliers', 'items.id', '--items-id <id,...>'],
    ['customers', 'tags.id', '--tags-id <id,...>'],
  ])('%s by %s: the flag is %s, also if the link has required fields', (resource, name, flag) => {
    const filter = api.resource(resource)?.filters.find((candidate) => candidate.name === name);
    expect(filterDetails(filter ?? expect.fail()).flag).toBe(flag);
  });
});
