import { describe, expect, test } from 'vitest';
import { customers } from '../../src/resources/customers.ts';
import { suppliers } from '../../src/resources/suppliers.ts';
import { KeyIndex, keyFromNames } from '../../src/session/record-key.ts';
import { SimilarKeys } from '../../src/session/similar-keys.ts';

const name = keyFromNames(suppliers, ['name']);

describe('KeyIndex', () => {
  test('itemsOf: finds items whose key differs only in spaces, but not in case', () => {
    const index = new KeyIndex<string>();
    index.add({ key: name, values: ['Fresh  Farms '] }, 'one');
    index.add({ key: keyFromNames(suppliers, ['name', 'code']), values: ['Fresh Farms', 'F-1'] }, 'two');
    expect(index.itemsOf({ name: 'Fresh Farms' })).toEqual(['one']);
    expect(index.itemsOf({ name: 'Fresh\u00a0Farms', code: 'F-1' })).toEqual(['one', 'two']);
    expect(index.itemsOf({ name: 'fresh farms', code: null })).toEqual([]);
  });

  test('itemsOf: ignores items without a key value, and records with a value in the `unless` field', () => {
    const index = new KeyIndex<string>();
    index.add({ key: name, values: [''] }, 'none');
    const [unless] = keyFromNames(suppliers, ['code']);
    index.add({ key: name, values: ['A'], unless }, 'one');
    expect(index.itemsOf({ name: '' })).toEqual([]);
    expect(index.itemsOf({ name: 'A', code: 'X' })).toEqual([]);
    expect(index.itemsOf({ name: 'A', code: '' })).toEqual(['one']);
  });

  test('searches: uses the most selective field, and adds the calling code to a phone number', () => {
    const index = new KeyIndex<string>();
    const key = keyFromNames(customers, ['name', 'phone']);
    index.add({ key, values: ['Huda', '0599111222'], fieldValue: () => 966 }, 'one');
    const [{ by, values } = { by: '', values: [] }] = index.searches(customers);
    expect([by, [...values]]).toEqual(['phone', ['0599111222', '+966599111222']]);
  });
});

describe('SimilarKeys', () => {
  test('reports each pair of similar items or records once', () => {
    const similarKeys = new SimilarKeys<number>(name);
    similarKeys.add(['Fresh Farms'], 1);
    similarKeys.add(['Fresh  Farms'], 2);
    similarKeys.add(['FRESH FARMS'], 3);
    similarKeys.addRecord({ id: 'a', name: 'fresh farms' });
    similarKeys.addRecord({ id: 'a', name: 'fresh farms' });
    similarKeys.addRecord({ id: 'b', name: 'Fresh Farms' });
    expect(
      similarKeys.matches.map(({ item, other }) => [item, 'record' in other ? other.record.id : other.item]),
    ).toEqual([
      [3, 1],
      [1, 'a'],
    ]);
  });

  test('does not report phone numbers with different calling codes', () => {
    const similarKeys = new SimilarKeys<number>(keyFromNames(customers, ['phone']));
    similarKeys.add(['+966 599 111 222'], 1);
    similarKeys.addRecord({ id: 'a', phone: '+971 599 111 222' });
    expect(similarKeys.matches).toEqual([]);
    similarKeys.addRecord({ id: 'b', phone: '0599111222' });
    expect(similarKeys.matches).toHaveLength(1);
  });
});
