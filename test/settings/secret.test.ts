import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parseClientSecret, parseToken, Secret } from '../../src/account/settings/secret.ts';
import { Failure } from '../../src/base/errors.ts';
import { fc } from '../harness/fast-check.ts';

/** Any UTF-16 code unit, including control characters and unpaired surrogates. */
const character = fc.nat(0xffff).map((code) => String.fromCharCode(code));

describe('Secret', () => {
  const secret = new Secret('CANARY');

  test('is redacted in every printed form', () => {
    const printed = [
      `${secret}`,
      String(secret),
      JSON.stringify({ secret }),
      inspect(secret),
      inspect({ deep: { secret } }, { showHidden: true, depth: 9 }),
      Object.entries(secret).join(),
      new Error(`with ${secret}`, { cause: secret }).stack,
    ].join('\n');
    expect(printed).not.toContain('CANARY');
    expect(printed).toContain('••••');
  });

  test('is returned by reveal()', () => {
    expect(secret.reveal()).toBe('CANARY');
  });
});

describe('parseToken', () => {
  test.each([
    'abc.DEF-123_~+/=',
    '  abc.DEF-123_~+/=\r\n',
    '\uFEFFabc.DEF-123_~+/=',
    '"abc.DEF-123_~+/="',
    "'abc.DEF-123_~+/='",
    '“abc.DEF-123_~+/=”',
    'Bearer abc.DEF-123_~+/=',
    'bearer   abc.DEF-123_~+/=',
    '"Bearer abc.DEF-123_~+/="',
    'Bearer "abc.DEF-123_~+/="',
    'Authorization: Bearer abc.DEF-123_~+/=',
  ])('%j: returns the token', (text) => {
    expect(parseToken(text).reveal()).toBe('abc.DEF-123_~+/=');
  });

  test('token that begins with "Bearer": is returned unchanged', () => {
    expect(parseToken('BearerToken').reveal()).toBe('BearerToken');
  });

  test.each([
    '',
    ' ',
    '""',
    'Bearer',
    'Bearer ""',
    'CANARY\u0000',
    'CANARY\nCANARY',
    'CANARY CANARY',
    'CANARY\u001b[31m',
    'CANARÝ',
    'CANARY'.repeat(2000),
    7,
    null,
  ])('%j: is refused, and the message does not contain it', (text) => {
    const error = failureOf(() => parseToken(text));
    expect(error.category).toBe('usage');
    expect(JSON.stringify([error.message, error.details])).not.toContain('CANAR');
  });

  test('any text: is refused, or the token is valid in a header', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: character })), (text) => {
        try {
          expect(parseToken(text).reveal()).toMatch(/^[\x21-\x7e]+$/);
        } catch (error) {
          expect(error).toBeInstanceOf(Failure);
        }
      }),
    );
  });
});

test('parseClientSecret: removes quotes, but not "Bearer"', () => {
  expect(parseClientSecret(' "s3cret" ').reveal()).toBe('s3cret');
  expect(failureOf(() => parseClientSecret('Bearer x')).message).toContain('client secret');
});

function failureOf(task: () => unknown): Failure {
  try {
    task();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('expected a failure');
}
