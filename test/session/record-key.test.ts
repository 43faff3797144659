import { describe, expect, test } from 'vitest';
import { customers } from '../../src/resources/customers.ts';
import { suppliers } from '../../src/resources/suppliers.ts';
import { KeyIndex, keyFromNames } from '../../src/session/record-key.ts';
import { SimilarKeys } from '../../src/session/similar-keys.ts';

const name = keyFromNames(suppliers, ['name']);

describe('an index of keys', () => {
  test('finds items in any spelling of the key', () => {
    const index = new KeyIndex<string>();
    index.add({ key: name, values: ['Fresh  Farms '] }, 'one');
    index.add({ key: keyFromNames(suppliers, ['name', 'code']), values: ['Fresh Farms', 'F-1'] }, 'two');
    expect(index.itemsOf({ name: 'Fresh Farms' })).toEqual(['one']);
    expect(index.itemsOf({ name: 'Fresh\u00a0Farms', code: 'F-1' })).toEqual(['one', 'two']);
    expect(index.itemsOf({ name: 'fresh farms', code: null })).toEqual([]);
  });

  test('ignores items without a value, and records that have a field which they must not have', () => {
    const index = new KeyIndex<string>();
    index.add({ key: name, values: [''] }, 'none');
    const [unless] = keyFromNames(suppliers, ['code']);
    index.add({ key: name, values: ['A'], unless }, 'one');
    expect(index.itemsOf({ name: '' })).toEqual([]);
    expect(index.itemsOf({ name: 'A', code: 'X' })).toEqual([]);
    expect(index.itemsOf({ name: 'A', code: '' })).toEqual(['one']);
  });

  test('searches by the field that the fewest records share, with the calling code of a phone number', () => {
    const index = new KeyIndex<string>();
    const key = keyFromNames(customers, ['name', 'phone']);
    index.add({ key, values: ['Huda', '0599111222'], fieldValue: () => 966 }, 'one');
    const [{ by, values } = { by: '', values: [] }] = index.searches(customers);
    expect([by, [...values]]).toEqual(['phone', ['0599111222', '+966599111222']]);
  });
});

describe('similar keys', () => {
  test('are reported of items and records, each pair once', () => {
    const near = new SimilarKeys<number>(name);
    near.add(['Fresh Farms'], 1);
    near.add(['Fresh  Farms'], 2);
    near.add(['FRESH FARMS'], 3);
    near.addRecord({ id: 'a', name: 'fresh farms' });
    near.addRecord({ id: 'a', name: 'fresh farms' });
    near.addRecord({ id: 'b', name: 'Fresh Farms' });
    expect(
      near.matches.map(({ item, other }) => [item, 'record' in other ? other.record.id : other.item]),
    ).toEqual([
      [3, 1],
      [1, 'a'],
    ]);
  });

  test("don't include phone numbers with calling codes of two countries", () => {
    const near = new SimilarKeys<number>(keyFromNames(customers, ['phone']));
    near.add(['+966 599 111 222'], 1);
    near.addRecord({ id: 'a', phone: '+971 599 111 222' });
    expect(near.matches).toEqual([]);
    near.addRecord({ id: 'b', phone: '0599111222' });
    expect(near.matches).toHaveLength(1);
  });
});
