import { describe, expect, test } from 'vitest';
import { parsePastedResponse } from '../../src/auth/callback.ts';
import { Failure } from '../../src/base/errors.ts';
import { fc } from '../harness/fast-check.ts';

const expected = { state: 'state-1', redirectUri: 'https://shop.example/back' };
const address = 'https://shop.example/back?code=abc123&state=state-1';

function categoryOf(text: string, given: Parameters<typeof parsePastedResponse>[1] = expected): string {
  try {
    parsePastedResponse(text, given);
  } catch (error) {
    if (error instanceof Failure) return error.category;
    throw error;
  }
  return 'none';
}

test.each([
  ['the whole address', address],
  ['with spaces and a line break', `  ${address}\r\n`],
  ['in double quotes', `"${address}"`],
  ['in single quotes', `'${address}'`],
  ['in angle brackets', `<${address}>`],
  ['in quotes and brackets', `"<${address}> "`],
  ['with a fragment', `${address}#top`],
  ['without the scheme, as some browsers copy it', 'shop.example/back?code=abc123&state=state-1'],
  ['in another case, with the port', 'HTTPS://SHOP.example:443/back?code=abc123&state=state-1'],
  ['its query', '?state=state-1&code=abc123'],
  ['its query without the mark', 'code=abc123&state=state-1'],
  ['the code alone', 'abc123'],
  ['the code in quotes', '"abc123"'],
])('reads the code from %s', (_what, text) => {
  expect(parsePastedResponse(text, expected)).toBe('abc123');
});

/** Any UTF-16 unit, control characters and halves of pairs included. */
const character = fc.nat(0xffff).map((code) => String.fromCharCode(code));

test('a code may contain slashes and dashes', () => {
  expect(parsePastedResponse('4/0Ab-c_d.e~f', expected)).toBe('4/0Ab-c_d.e~f');
});

describe('refuses', () => {
  test.each([
    ['the state of another sign-in', 'https://shop.example/back?code=abc123&state=state-2'],
    ['two states', `${address}&state=state-2`],
    ['no state', 'https://shop.example/back?code=abc123'],
    ['two codes', `${address}&code=def`],
    ['an empty code', 'https://shop.example/back?code=&state=state-1'],
    ['a code with a line break', 'https://shop.example/back?code=a%0Ab&state=state-1'],
    ['a denial', 'https://shop.example/back?error=access_denied&state=state-1'],
    ['another error', 'https://shop.example/back?error=server_error&state=state-1'],
  ])('an answer with %s', (_what, text) => {
    expect(categoryOf(text)).toBe('not_signed_in');
  });

  test.each([
    '',
    '  ',
    'two words',
    'https://shop.example/back',
    'https://shop.example/authorize?client_id=1',
    'x'.repeat(5000),
  ])("text that isn't an answer: %.40s", (text) => {
    expect(categoryOf(text)).toBe('usage');
  });
});

describe('an address other than the redirect address', () => {
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
  ])('is refused: %s', (text) => {
    expect(categoryOf(text)).toBe('usage');
    expect(categoryOf(text, { ...expected, allowMissingState: true })).toBe('usage');
  });

  test('whose registered form has a query must have it too', () => {
    const own = { ...expected, redirectUri: 'https://shop.example/back?app=7' };
    expect(parsePastedResponse('https://shop.example/back?app=7&code=abc123&state=state-1', own)).toBe(
      'abc123',
    );
    expect(categoryOf(address, own)).toBe('usage');
  });

  test.each([
    'http://127.0.0.1:8714/callback',
    'http://localhost:8714/callback',
    'http://[::1]:8714/callback',
  ])('on this machine: %s is compared exactly', (redirectUri) => {
    const local = { ...expected, redirectUri };
    expect(parsePastedResponse(`${redirectUri}?code=abc123&state=state-1`, local)).toBe('abc123');
    expect(parsePastedResponse(`${redirectUri.slice(7)}?code=abc123&state=state-1`, local)).toBe('abc123');
    expect(categoryOf('http://127.0.0.2:8714/callback?code=abc123&state=state-1', local)).toBe('usage');
  });
});

test('an answer without a state is accepted only with --allow-missing-state, one with a wrong state never', () => {
  const lenient = { ...expected, allowMissingState: true };
  expect(parsePastedResponse('https://shop.example/back?code=abc123', lenient)).toBe('abc123');
  expect(categoryOf('https://shop.example/back?code=abc123&state=wrong', lenient)).toBe('not_signed_in');
});

test('any text: a code or a failure', () => {
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
