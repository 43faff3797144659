import { expect, test } from 'vitest';
import { redactAndShorten } from '../../src/account/auth/excerpt.ts';
import { fc } from '../harness/fast-check.ts';

test('an excerpt: is one line of at most 200 characters, without control characters', () => {
  expect(redactAndShorten('a\r\n\tb\u001b[31mc\u202ed')).toBe('a b [31mc d');
  expect(redactAndShorten('word '.repeat(100))).toHaveLength(200);
});

test('an excerpt: redacts values with the names of secrets in JSON and in a query', () => {
  expect(redactAndShorten('{"access_token":"abc","token_type":"Bearer"}')).toBe(
    '{"access_token":"••••","token_type":"Bearer"}',
  );
  expect(redactAndShorten('{"data":{"access_token":["abc",{"x":"def"}]}}')).toBe(
    '{"data":{"access_token":"••••"}}',
  );
  expect(redactAndShorten('{"access_token":"abc')).toBe('{"access_token":"••••');
  expect(redactAndShorten('client_secret=abc&x=1')).toBe('client_secret=••••&x=1');
});

test('an excerpt: redacts words that may be a token', () => {
  expect(redactAndShorten(`it was ${'a1'.repeat(20)}.`)).toBe('it was ••••');
  expect(redactAndShorten('it was token-7f3a91c2d4e5 indeed, incontrovertibly')).toBe(
    'it was •••• indeed, incontrovertibly',
  );
});

test('an excerpt: never contains a secret that was sent, in any spelling', () => {
  const secrets = fc
    .string({ minLength: 4, maxLength: 40, unit: 'grapheme-ascii' })
    .filter((text) => /^\S+$/.test(text));
  const noise = fc.string({ maxLength: 250 });
  const spellings = [String, encodeURIComponent, (text: string) => JSON.stringify({ error: text })];
  fc.assert(
    fc.property(secrets, noise, noise, fc.constantFrom(...spellings), (secret, before, after, spell) => {
      fc.pre(!`${before} ${after} error {":"} ••••…`.includes(secret));
      expect(redactAndShorten(`${before}${spell(secret)}${after}`, [secret])).not.toContain(spell(secret));
    }),
  );
});
