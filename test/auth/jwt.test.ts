import { expect, test } from 'vitest';
import { parseClaims } from '../../src/account/auth/jwt.ts';
import { fc } from '../harness/fast-check.ts';

function jwt(claims: unknown): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256' })}.${part(claims)}.c2lnbmF0dXJl`;
}

test('claims: scopes, expiry time and business are parsed', () => {
  expect(parseClaims(jwt({ scopes: ['general.read'], exp: 1_700_000_000.5, business: 'b-1' }))).toEqual({
    scopes: ['general.read'],
    expiresAt: new Date('2023-11-14T22:13:20.500Z'),
    business: 'b-1',
  });
});

test('claims: scopes may be one string, and a business may be an object with a name', () => {
  expect(parseClaims(jwt({ scope: 'a b', business: { id: 'b-1', name: 'Diner' } }))).toEqual({
    scopes: ['a', 'b'],
    business: 'Diner',
  });
});

test('claims: values of the wrong type are ignored', () => {
  expect(parseClaims(jwt({ scopes: [1], exp: '12', business: 7 }))).toEqual({});
  expect(parseClaims(jwt({ exp: 1e300 }))).toEqual({});
});

test.each(['', 'opaque', 'a.b', 'a.b.c', 'a..c', jwt([1]), jwt('text'), jwt(null), '12|abcdef'])(
  'claims: undefined for the token %j',
  (token) => {
    expect(parseClaims(token)).toBeUndefined();
  },
);

test('claims: any token is parsed without an error', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json().map((json) => jwt(JSON.parse(json))),
      ),
      (token) => {
        parseClaims(token);
      },
    ),
  );
});
