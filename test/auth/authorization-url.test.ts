import { expect, test } from 'vitest';
import { buildAuthorizationUrl, createState, isSameState } from '../../src/auth/authorization-url.ts';

const request = {
  authorizeUrl: 'https://console.example.com/authorize',
  clientId: 'app 1',
  state: 's+1',
  redirectUri: 'http://127.0.0.1:8714/callback',
  scopes: ['general.read', 'orders.list'],
};

test('asks for a code, with the scopes separated by spaces', () => {
  expect(buildAuthorizationUrl(request)).toBe(
    'https://console.example.com/authorize?client_id=app%201&state=s%2B1&response_type=code' +
      '&redirect_uri=http%3A%2F%2F127.0.0.1%3A8714%2Fcallback&scope=general.read%20orders.list',
  );
});

test("keeps the query of the page's address, and omits empty scopes", () => {
  const address = buildAuthorizationUrl({
    ...request,
    authorizeUrl: 'https://a.example/?lang=ar&state=old',
    scopes: [],
  });
  const query = new URL(address).searchParams;
  expect(query.get('lang')).toBe('ar');
  expect(query.getAll('state')).toEqual(['s+1']);
  expect(query.has('scope')).toBe(false);
});

test.each(['http://console.example.com/authorize', 'javascript:alert(1)', 'console.example.com'])(
  'refuses %s as a page to open',
  (authorizeUrl) => {
    expect(() => buildAuthorizationUrl({ ...request, authorizeUrl })).toThrow(/authorization URL/);
  },
);

test('states are long, unique, and need no encoding', () => {
  const states = new Set(Array.from({ length: 100 }, createState));
  expect(states.size).toBe(100);
  for (const state of states) expect(state).toMatch(/^[\w-]{43}$/);
});

test('states are equal only if they are identical', () => {
  expect(isSameState('abc', 'abc')).toBe(true);
  for (const other of ['', 'ab', 'abd', 'abcd', 'ABC']) expect(isSameState('abc', other)).toBe(false);
});
