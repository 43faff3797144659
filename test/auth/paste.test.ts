import { describe, expect, test } from 'vitest';
import { parsePastedResponse } from '../../src/account/auth/callback.ts';
import { Failure } from '../../src/base/errors.ts';
import { fc } from '../harness/fast-check.ts';

const expected = { state: 'state-1', redirectUri: 'https://shop.example/back' };
const url = 'https://shop.example/back?code=abc123&state=state-1';

function categoryOf(
  text: string,
  expectedResponse: Parameters<typeof parsePastedResponse>[1] = expected,
): string {
  try {
    parsePastedResponse(text, expectedResponse);
  } catch (error) {
    if (error instanceof Failure) return error.category;
    throw error;
  }
  return 'none';
}

test.each([
  ['the complete URL', url],
  ['a URL with spaces and a line break', `  ${url}\r\n`],
  ['a URL in double quotes', `"${url}"`],
  ['a URL in single quotes', `'${url}'`],
  ['a URL in angle brackets', `<${url}>`],
  ['a URL in quotes and angle brackets', `"<${url}> "`],
  ['a URL with a fragment', `${url}#top`],
  ['a URL without the scheme, as some browsers copy it', 'shop.example/back?code=abc123&state=state-1'],
  ['a URL in another case, with the port', 'HTTPS://SHOP.example:443/back?code=abc123&state=state-1'],
  ['a query', '?state=state-1&code=abc123'],
  ['a query without the question mark', 'code=abc123&state=state-1'],
  ['the code alone', 'abc123'],
  ['the code in quotes', '"abc123"'],
])('a pasted response: the code is read from %s', (_, text) => {
  expect(parsePastedResponse(text, expected)).toBe('abc123');
});

/** Any UTF-16 code unit, including control characters and single surrogates. */
const character = fc.nat(0xffff).map((code) => String.fromCharCode(code));

test('a pasted code: may contain slashes and dashes', () => {
  expect(parsePastedResponse('4/0Ab-c_d.e~f', expected)).toBe('4/0Ab-c_d.e~f');
});

describe('a pasted response', () => {
  test.each([
    ['the state of another sign-in', 'https://shop.example/back?code=abc123&state=state-2'],
    ['two states', `${url}&state=state-2`],
    ['no state', 'https://shop.example/back?code=abc123'],
    ['two codes', `${url}&code=def`],
    ['an empty code', 'https://shop.example/back?code=&state=state-1'],
    ['a code with a line break', 'https://shop.example/back?code=a%0Ab&state=state-1'],
    ['a denial', 'https://shop.example/back?error=access_denied&state=state-1'],
    ['another error', 'https://shop.example/back?error=server_error&state=state-1'],
  ])('with %s: is refused as not_signed_in', (_, text) => {
    expect(categoryOf(text)).toBe('not_signed_in');
  });

  test.each([
    '',
    '  ',
    'two words',
    'https://shop.example/back',
    'https://shop.example/authorize?client_id=1',
    'x'.repeat(5000),
  ])('that is not a response (%.40s): is refused as a usage failure', (text) => {
    expect(categoryOf(text)).toBe('usage');
  });
});

describe('a pasted URL other than the redirect URI', () => {
  test.each([
    'https://evil.example/back?code=abc123&state=state-1',
    'https://shop.example/other?code=abc123&state=state-1',
    'https://shop.example/back/?code=abc123&state=state-1',
    'http://shop.example/back?code=abc123&state=state-1',
    'https://shop.example:8443/back?code=abc123&state=state-1',
    'https://shop.example@evil.example/back?code=abc123&state=state-1',
    'https://me@shop.example/back?code=abc123&state=state-1',
    'evil.example/back?code=abc123&state=state-1',
    '//evil.example/back?code=abc123&state=state-1',
    'https://evil.example/back?error=access_denied&state=state-1',
  ])('%s: is refused', (text) => {
    expect(categoryOf(text)).toBe('usage');
    expect(categoryOf(text, { ...expected, allowMissingState: true })).toBe('usage');
  });

  test('without the query of the redirect URI: is refused', () => {
    const withQuery = { ...expected, redirectUri: 'https://shop.example/back?app=7' };
    expect(parsePastedResponse('https://shop.example/back?app=7&code=abc123&state=state-1', withQuery)).toBe(
      'abc123',
    );
    expect(categoryOf(url, withQuery)).toBe('usage');
  });

  test.each([
    'http://127.0.0.1:8714/callback',
    'http://localhost:8714/callback',
    'http://[::1]:8714/callback',
  ])('with the redirect URI %s: any other loopback host is refused', (redirectUri) => {
    const loopback = { ...expected, redirectUri };
    expect(parsePastedResponse(`${redirectUri}?code=abc123&state=state-1`, loopback)).toBe('abc123');
    expect(parsePastedResponse(`${redirectUri.slice(7)}?code=abc123&state=state-1`, loopback)).toBe('abc123');
    expect(categoryOf('http://127.0.0.2:8714/callback?code=abc123&state=state-1', loopback)).toBe('usage');
  });
});

test('a pasted response: without a state, it is accepted only with --allow-missing-state; with a wrong state, never', () => {
  const lenient = { ...expected, allowMissingState: true };
  expect(parsePastedResponse('https://shop.example/back?code=abc123', lenient)).toBe('abc123');
  expect(categoryOf('https://shop.example/back?code=abc123&state=wrong', lenient)).toBe('not_signed_in');
});

test('any pasted text: returns a code or fails with usage or not_signed_in', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string({ unit: character }),
        fc.string().map((query) => `https://shop.example/back?${query}`),
      ),
      (text) => {
        expect(['none', 'usage', 'not_signed_in']).toContain(categoryOf(text));
      },
    ),
  );
});
