/** Compares the contract with the tables of endpoints in the API document. */
import { describe, expect, it } from 'vitest';
import type { Operation } from '../../src/api/contract/operation.ts';
import { type Scope, scopeNames } from '../../src/api/contract/scope.ts';
import { api } from '../../src/api/resources/index.ts';
import { endpointRows, isDocumented } from '../harness/api-document.ts';
import { contractProblems } from './contract-problems.ts';

const resources = api.collections.filter(isDocumented);
const documentedOperations = api.operations.filter(({ resource }) => isDocumented(resource));

function documentRow({ method, path, scopes, effect, body, resource }: Operation): string {
  const filters = effect === 'list' ? resource.filters.map(({ name }) => name) : [];
  const listedFields = body.filter(({ field }) => field.traits.writable !== 'in_updates');
  const names = [...filters, ...listedFields.map(({ name }) => name)];
  return `${method} ${path} ${scopes.join('|') || '-'} ${names.toSorted().join(', ') || '-'}`;
}

/** Sorts the names of a row, because their order in the API document has no meaning. */
function sortNames(row: string): string {
  const [method, path, scopes, ...names] = row.split(' ');
  const sortedNames = names.join(' ').split(', ').toSorted().join(', ');
  return [method, path, scopes, sortedNames].join(' ');
}

describe('contract and API document', () => {
  it('have the same 136 operations, with the same scopes, filters and request fields', () => {
    expect(endpointRows).toHaveLength(136);
    expect(documentedOperations.map(documentRow).toSorted()).toEqual(endpointRows.map(sortNames).toSorted());
  });

  it('have the same fields that only updates accept', () => {
    const markedFields = resources.flatMap(({ name, fields }) =>
      Object.keys(fields)
        .filter((field) => fields[field]?.traits.writable === 'in_updates')
        .map((field) => `${name}.${field}`),
    );
    const updatable = [
      'users: display_localized_names, must_use_fingerprint',
      'categories: products, combos, gift_card_products',
      'groups: items_index, products, combos, subgroups, gift_card_products',
      'modifiers: is_ready, reference, products, options',
      'payment_methods: index',
      'sections: tables',
      'timed_events: price_tag, customer_tags',
      'inventory_items: branches, ingredients',
      'suppliers: items',
      'inventory_counts: reference',
    ];
    const listedFields = updatable.flatMap((row) => {
      const [name, fields = ''] = row.split(': ');
      return fields.split(', ').map((field) => `${name}.${field}`);
    });
    expect(listedFields).toHaveLength(22);
    expect(markedFields.toSorted()).toEqual(listedFields.toSorted());
  });

  it('have the same numbers of resources, filters and operations', () => {
    const count = (effect: Operation['effect']) =>
      documentedOperations.filter((operation) => operation.effect === effect).length;
    expect(resources).toHaveLength(23);
    expect(resources.reduce((sum, { filters }) => sum + filters.length, 0)).toBe(241);
    expect({
      list: count('list'),
      get: count('get'),
      create: count('create'),
      update: count('update'),
      delete: count('delete'),
      restore: count('restore'),
      link: count('link'),
      unlink: count('unlink'),
      act: count('act'),
    }).toEqual({
      list: 23,
      get: 24,
      create: 21,
      update: 21,
      delete: 21,
      restore: 17,
      link: 4,
      unlink: 4,
      act: 1,
    });
  });

  it('have the same 21 scopes, and every scope except orders.list is used', () => {
    expect(scopeNames).toHaveLength(21);
    const usedScopes = new Set<Scope>(documentedOperations.flatMap(({ scopes }) => scopes));
    for (const { fields } of resources) {
      for (const { traits } of Object.values(fields)) {
        for (const scope of [traits.readScope, traits.writeScope]) if (scope) usedScopes.add(scope);
      }
    }
    // The API document has no operation that needs orders.list.
    expect(scopeNames.filter((scope) => !usedScopes.has(scope))).toEqual(['orders.list']);
  });

  it.each([
    ['users', 'name, lang'],
    ['roles', 'name'],
    ['categories', 'name'],
    ['groups', 'name'],
    ['gift_card_products', 'name, sku, pricing_method, price, category'],
    ['payment_methods', 'name, type'],
    ['taxes', 'name, rate'],
    ['tax_groups', 'name'],
    ['tags', 'name, type'],
    ['delivery_zones', 'name'],
    ['timed_events', 'name, type, value, from_date, to_date, from_time, to_time, order_types'],
    ['modifiers', 'name'],
    ['inventory_item_categories', 'name'],
    [
      'inventory_items',
      'sku, name, storage_unit, ingredient_unit, storage_to_ingredient_factor, costing_method',
    ],
    ['suppliers', 'name'],
    ['cost_adjustments', 'status, creator, branch, items'],
    ['inventory_counts', 'status, items, branch, creator'],
    ['transfer_orders', 'status, items, branch, warehouse, creator, poster'],
    ['customers', ''],
    ['addresses', ''],
    ['sections', ''],
  ])('required fields of %s: %s', (name, required) => {
    const { fields = {} } = api.resource(name) ?? {};
    const markedFields = Object.keys(fields).filter((field) => fields[field]?.traits.required);
    expect(markedFields.toSorted()).toEqual(required.split(', ').filter(Boolean).toSorted());
  });

  it.each([
    ['customers', 'tags, addresses'],
    ['addresses', 'customer, delivery_zone'],
    ['users', 'roles, branches, tags, notifications'],
    ['roles', 'users, authorities'],
    ['categories', 'discounts, timed_events, products, combos, gift_card_products'],
    ['groups', 'products, combos, subgroups, gift_card_products'],
    ['gift_card_products', 'category, branches'],
    ['taxes', 'tax_groups'],
    ['tax_groups', 'taxes'],
    ['sections', 'branch, tables'],
    ['delivery_zones', 'branches'],
    ['timed_events', 'products, combos, branches, tags, categories, price_tag'],
    ['modifiers', 'products, options'],
    ['inventory_items', 'category, tags, branches, ingredients, suppliers'],
    ['suppliers', 'items, tags'],
    ['cost_adjustments', 'creator, poster, branch'],
    ['inventory_counts', ''],
    ['transfer_orders', 'poster'],
    ['loyalty_transactions', 'customer, order'],
    ['loyalty_rewards', 'customer, order'],
  ])('includable relations of %s: %s', (name, includable) => {
    const { fields = {} } = api.resource(name) ?? {};
    const markedFields = Object.keys(fields).filter((field) => fields[field]?.traits.includable);
    expect(markedFields.toSorted()).toEqual(includable.split(', ').filter(Boolean).toSorted());
  });

  it('have the same five sortable resources, by creation and update time', () => {
    const sortable = resources.flatMap(({ name, fields }) =>
      Object.keys(fields).flatMap((field) => (fields[field]?.traits.sortable ? [`${name}.${field}`] : [])),
    );
    const sortableResources = ['customers', 'addresses', 'users', 'roles', 'categories'];
    expect(sortable).toEqual(
      sortableResources.flatMap((name) => [`${name}.created_at`, `${name}.updated_at`]),
    );
  });
});

it('contract check: the contract has no problems', () => {
  expect(contractProblems(api)).toEqual([]);
});
