import { expect, test } from 'vitest';
import { labelOf } from '../../src/output/wording.ts';
import { addresses } from '../../src/resources/addresses.ts';
import { suppliers } from '../../src/resources/suppliers.ts';

test('label of a record: contains its natural key', () => {
  expect(labelOf(suppliers, { id: 's1', name: 'Fresh Farms', code: 'SUP-01', phone: '555' })).toBe(
    'Fresh Farms (SUP-01)',
  );
});

test('label of a record without a natural key: contains its other texts', () => {
  expect(labelOf(addresses, { id: 'a1', name: 'Home', description: '12 Palm Street' })).toBe(
    'Home (12 Palm Street)',
  );
  expect(labelOf(addresses, { id: 'a1', name: 'Home', description: null })).toBe('Home');
});
