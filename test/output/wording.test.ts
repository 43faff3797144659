import { expect, test } from 'vitest';
import { addresses } from '../../src/api/resources/addresses.ts';
import { suppliers } from '../../src/api/resources/suppliers.ts';
import { labelOf } from '../../src/cli/output/wording.ts';

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
