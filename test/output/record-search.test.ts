import { describe, expect, test } from 'vitest';
import { api } from '../../src/api/resources/index.ts';
import { isMatch, parseSearchTerms, searchableTextOf } from '../../src/cli/prompts/search.ts';

const [customers, items] = [api.resource('customers'), api.resource('inventory_items')];
if (!customers || !items) throw new Error('the API has no customers or items');

const huda = searchableTextOf(customers, {
  id: 'kx7amaloilq2',
  name: 'Huda Al-Amin',
  dial_code: 966,
  phone: '550370556',
  email: 'huda@example.com',
});
const isFoundBy = (text: string) => isMatch(huda, parseSearchTerms(customers, text));

describe('search for a customer', () => {
  test.each([
    'huda',
    'AMIN hu',
    '0370',
    '055 0370',
    '0550370556',
    '+966 55 037',
    '00966 55 0370',
    '(055) 0370-556',
    'huda 055 03',
    'huda@exa',
    'amaloilq',
    'kx7amaloilq2',
  ])('finds the customer by %s', (text) => expect(isFoundBy(text)).toBe(true));

  test.each(['055 0371', '550 556', 'huda 0561', 'oil', '+971 55', 'omar 0370'])(
    "doesn't find the customer by %s",
    (text) => expect(isFoundBy(text)).toBe(false),
  );
});

test('search for numbers in resources without phones: compares them as words', () => {
  const box = searchableTextOf(items, { id: 'a', sku: 'SKU-500', name: 'Cola 2 l' });
  expect(isMatch(box, parseSearchTerms(items, '2 500'))).toBe(true);
  expect(isMatch(box, parseSearchTerms(items, '2 501'))).toBe(false);
});
