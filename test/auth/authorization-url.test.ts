import { expect, test } from 'vitest';
import { buildAuthorizationUrl, createState, isSameState } from '../../src/account/auth/authorization-url.ts';

const request = {
  authorizeUrl: 'https://console.example.com/authorize',
  clientId: 'app 1',
  state: 's+1',
  redirectUri: 'http://127.0.0.1:8714/callback',
  scopes: ['general.read', 'orders.list'],
};

test('authorization URL: requests a code, with the scopes separated by spaces', () => {
  expect(buildAuthorizationUrl(request)).toBe(
    'https://console.example.com/authorize?client_id=app%201&state=s%2B1&response_type=code' +
      '&redirect_uri=http%3A%2F%2F127.0.0.1%3A8714%2Fcallback&scope=general.read%20orders.list',
  );
});

test('authorization URL: keeps the existing query, and omits empty scopes', () => {
  const url = buildAuthorizationUrl({
    ...request,
    authorizeUrl: 'https://a.example/?lang=ar&state=old',
    scopes: [],
  });
  const query = new URL(url).searchParams;
  expect(query.get('lang')).toBe('ar');
  expect(query.getAll('state')).toEqual(['s+1']);
  expect(query.has('scope')).toBe(false);
});

test.each(['http://console.example.com/authorize', 'javascript:alert(1)', 'console.example.com'])(
  'authorization URL %s: is refused',
  (authorizeUrl) => {
    expect(() => buildAuthorizationUrl({ ...request, authorizeUrl })).toThrow(/authorization URL/);
  },
);

test('a state: is long and unique, and needs no encoding', () => {
  const states = new Set(Array.from({ length: 100 }, createState));
  expect(states.size).toBe(100);
  for (const state of states) expect(state).toMatch(/^[\w-]{43}$/);
});

test('isSameState: true only for identical states', () => {
  expect(isSameState('abc', 'abc')).toBe(true);
  for (const other of ['', 'ab', 'abd', 'abcd', 'ABC']) expect(isSameState('abc', other)).toBe(false);
});
