import { describe, expect, test } from 'vitest';
import { customers } from '../../src/resources/customers.ts';
import { suppliers } from '../../src/resources/suppliers.ts';
import { KeyIndex, keyFromNames } from '../../src/session/record-key.ts';

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

describe('KeyIndex: items whose key is another spelling', () => {
  test('names: case and spaces are folded, accents are only similar', () => {
    const index = new KeyIndex<number>();
    index.add({ key: name, values: ['Café Noor'] }, 1);
    const relationOf = (text: string) => index.relatedItems({ name: text })[0]?.relation;
    expect(relationOf('Café  Noor')).toBe('same');
    expect(relationOf('CAFÉ NOOR')).toBe('folded');
    expect(relationOf('Cafe Noor')).toBe('similar');
    expect(relationOf('Café-Noor')).toBeUndefined();
  });

  test('phone numbers: a calling code in another field counts', () => {
    const index = new KeyIndex<number>();
    const key = keyFromNames(customers, ['phone']);
    index.add({ key, values: ['+966 599 111 222'] }, 1);
    const relationOf = (record: object) => index.relatedItems({ ...record })[0]?.relation;
    expect(relationOf({ phone: '+971 599 111 222' })).toBeUndefined();
    expect(relationOf({ phone: '0599111222', dial_code: 971 })).toBeUndefined();
    expect(relationOf({ phone: '0599111222', dial_code: 966 })).toBe('folded');
    expect(relationOf({ phone: '0599111222' })).toBe('folded');
  });

  test('IDs: are never folded', () => {
    const index = new KeyIndex<number>();
    index.add({ key: keyFromNames(customers, ['id']), values: ['Abc'] }, 1);
    expect(index.relatedItems({ id: 'abc' })).toEqual([]);
  });
});
