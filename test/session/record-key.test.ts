import { describe, expect, test } from 'vitest';
import { KeyIndex, keyFromNames } from '../../src/account/session/record-key.ts';
import { customers } from '../../src/api/resources/customers.ts';
import { suppliers } from '../../src/api/resources/suppliers.ts';

const name = keyFromNames(suppliers, ['name']);

/** Returns the relation that an item has to a record. */
function relationIn(related: object): string | undefined {
  return Object.entries(related).find(([, items]) => items.length > 0)?.[0];
}

describe('KeyIndex', () => {
  test('related: finds items whose key differs only in spaces, but not in case', () => {
    const index = new KeyIndex<string>();
    index.add(name, { name: 'Fresh  Farms ' }, 'one');
    index.add(keyFromNames(suppliers, ['name', 'code']), { name: 'Fresh Farms', code: 'F-1' }, 'two');
    expect(index.related({ name: 'Fresh Farms' }).same).toEqual(['one']);
    expect(index.related({ name: 'Fresh\u00a0Farms', code: 'F-1' }).same).toEqual(['one', 'two']);
    expect(index.related({ name: 'fresh farms', code: null }).same).toEqual([]);
  });

  test('related: ignores items without a key value, and records with a value in the `unless` field', () => {
    const index = new KeyIndex<string>();
    index.add(name, { name: '' }, 'none');
    const [unless] = keyFromNames(suppliers, ['code']);
    index.add(name, { name: 'A' }, 'one', unless);
    expect(index.related({ name: '' }).same).toEqual([]);
    expect(index.related({ name: 'A', code: 'X' }).same).toEqual([]);
    expect(index.related({ name: 'A', code: '' }).same).toEqual(['one']);
  });

  test('searches: uses the most selective field, and adds the calling code to a phone number', () => {
    const index = new KeyIndex<string>();
    const key = keyFromNames(customers, ['name', 'phone']);
    index.add(key, { name: 'Huda', phone: '0599111222', dial_code: 966 }, 'one');
    const [{ by, values } = { by: '', values: [] }] = index.searches(customers);
    expect([by, [...values]]).toEqual(['phone', ['0599111222', '+966599111222']]);
  });
});

describe('KeyIndex: items whose key is another spelling', () => {
  test('names: case and spaces are folded, accents are only similar', () => {
    const index = new KeyIndex<number>();
    index.add(name, { name: 'Café Noor' }, 1);
    const relationOf = (text: string) => relationIn(index.related({ name: text }));
    expect(relationOf('Café  Noor')).toBe('same');
    expect(relationOf('CAFÉ NOOR')).toBe('folded');
    expect(relationOf('Cafe Noor')).toBe('similar');
    expect(relationOf('Café-Noor')).toBeUndefined();
  });

  test('phone numbers: a calling code in another field counts', () => {
    const index = new KeyIndex<number>();
    const key = keyFromNames(customers, ['phone']);
    index.add(key, { phone: '+966 599 111 222' }, 1);
    const relationOf = (record: object) => relationIn(index.related({ ...record }));
    expect(relationOf({ phone: '+971 599 111 222' })).toBeUndefined();
    expect(relationOf({ phone: '0599111222', dial_code: 971 })).toBeUndefined();
    expect(relationOf({ phone: '0599111222', dial_code: 966 })).toBe('folded');
    expect(relationOf({ phone: '0599111222' })).toBe('folded');
  });

  test('IDs: are never folded', () => {
    const index = new KeyIndex<number>();
    index.add(keyFromNames(customers, ['id']), { id: 'Abc' }, 1);
    expect(relationIn(index.related({ id: 'abc' }))).toBeUndefined();
  });
});
