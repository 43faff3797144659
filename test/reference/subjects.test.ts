import { describe, expect, it } from 'vitest';
import { findSubject, listSubjects, searchSubjects } from '../../src/api/reference/subjects.ts';
import { api } from '../../src/api/resources/index.ts';

const kindOf = (name: string) => findSubject(name, api)?.kind;

describe('findSubject', () => {
  it.each([
    ['errors', 'topic'],
    ['refused', 'failure'],
    ['6', 'failure'],
    ['customers.loyalty.read', 'scope'],
    ['customers', 'resource'],
    ['customer', 'resource'],
    ['inventory-categories', 'resource'],
    ['inventory_items', 'resource'],
    ['customers.create', 'operation'],
    ['suppliers.link-item', 'operation'],
    ['suppliers.link.item', 'operation'],
    ['customers.gender', 'field'],
    ['customers.--birth-date', 'field'],
    ['addresses.delivery_zone_id', 'field'],
    ['whoami.business.licenses.kds', 'field'],
    ['customers.has_orders', 'filter'],
    ['suppliers.items.id', 'filter'],
    ['customers.nothing', undefined],
    ['customers.gender.nothing', undefined],
    ['suppliers.items.pivot', undefined],
    ['constructor', undefined],
    ['customers.constructor', undefined],
    ['', undefined],
  ])('%s: returns a %s', (name, kind) => {
    expect(kindOf(name)).toBe(kind);
  });

  it('path: leads to the values of a link, or through a relation to the other resource', () => {
    const nameOf = (name: string) => {
      const subject = findSubject(name, api);
      return (
        subject?.kind === 'field' && [subject.location.resource.command, ...subject.location.path].join('.')
      );
    };
    expect(nameOf('suppliers.items.cost')).toBe('suppliers.items.pivot.cost');
    expect(nameOf('suppliers.items.pivot.cost')).toBe('suppliers.items.pivot.cost');
    expect(nameOf('suppliers.items.sku')).toBe('inventory-items.sku');
    expect(nameOf('modifiers.options.ingredients.quantity')).toBe(
      'modifiers.options.ingredients.pivot.quantity',
    );
  });

  it('every name of listSubjects: is found', () => {
    for (const { name } of listSubjects(api)) expect([name, kindOf(name)]).not.toEqual([name, undefined]);
  });

  it('every subject of listSubjects: has a description', () => {
    expect(listSubjects(api).filter(({ about }) => about === '')).toEqual([]);
  });
});

describe('searchSubjects', () => {
  const search = (words: string) => searchSubjects(words, api).map(({ name }) => name);

  it('searches names, descriptions and allowed words; matches in names come first', () => {
    expect(search('loyalty')).toContain('customers.is_loyalty_enabled');
    expect(search('calling code')).toEqual(['customers.dial_code', 'customers.phone']);
    expect(search('drive-thru')).toEqual(['timed-events.order_types']);
    expect(search('tags').slice(0, 2)).not.toContain('customers.name');
  });

  it('requires all words, and finds nothing for an empty query', () => {
    expect(search('loyalty zebra')).toEqual([]);
    expect(search('  ')).toEqual([]);
  });
});
