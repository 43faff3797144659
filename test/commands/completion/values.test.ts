import { expect, test } from 'vitest';
import { complete } from './completing.ts';

test('both parts of a pair are completed: a filter, and the values that its own flag accepts', async () => {
  expect(await complete('customers list --filter is_bl')).toEqual(['is_blacklisted=']);
  expect(await complete('customers update --where is_blacklisted=')).toEqual([
    'is_blacklisted=true',
    'is_blacklisted=false',
  ]);
  expect(await complete('inventory-counts list --filter status=cl')).toEqual(['status=closed']);
  expect(await complete('customers list --filter nonsense=')).toEqual([]);
});

test('a setting is completed with all its values, if there is a closed list', async () => {
  expect(await complete('config set wire.envelope ')).toEqual(['data', 'items', 'none']);
  expect(await complete('config set protected t')).toEqual(['true']);
  expect(await complete('config set scopes general.r')).toContain('general.read');
  expect(await complete('config set base_url ')).toEqual([]);
});

test('a request is completed with its method and the paths of the API', async () => {
  expect(await complete('api P')).toEqual(['POST', 'PUT', 'PATCH']);
  expect(await complete('api GET /sup')).toEqual(['/suppliers']);
});
