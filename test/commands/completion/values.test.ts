import { expect, test } from 'vitest';
import { complete } from './completing.ts';

test('completion of a KEY=VALUE pair: suggests filters, then the values that the flag of the filter accepts', async () => {
  expect(await complete('customers list --filter is_bl')).toEqual(['is_blacklisted=']);
  expect(await complete('customers update --where is_blacklisted=')).toEqual([
    'is_blacklisted=true',
    'is_blacklisted=false',
  ]);
  expect(await complete('inventory-counts list --filter status=cl')).toEqual(['status=closed']);
  expect(await complete('customers list --filter nonsense=')).toEqual([]);
});

test('completion of config set: suggests all values of a setting that has a closed list', async () => {
  expect(await complete('config set wire.envelope ')).toEqual(['data', 'items', 'none']);
  expect(await complete('config set protected t')).toEqual(['true']);
  expect(await complete('config set scopes general.r')).toContain('general.read');
  expect(await complete('config set base_url ')).toEqual([]);
});

test('completion of boh api: suggests methods, then the paths of the API', async () => {
  expect(await complete('api P')).toEqual(['POST', 'PUT', 'PATCH']);
  expect(await complete('api GET /sup')).toEqual(['/suppliers']);
});
