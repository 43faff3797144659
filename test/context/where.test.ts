/** Commands inside messages, as a person can type them next. */
import { expect, it } from 'vitest';
import { inPlace } from '../../src/context/where.ts';
import { api } from '../../src/resources/index.ts';

it.each([
  [{ sandbox: true }, 'See: boh --sandbox customers list'],
  [{ profile: 'main branch' }, 'See: boh --profile "main branch" customers list'],
  [
    { baseUrl: 'https://x.example', apiPrefix: '/v5' },
    'See: boh --base-url https://x.example --api-prefix /v5 customers list',
  ],
  [{}, 'See: boh customers list'],
])('%j leads to the same service', (globals, expected) => {
  expect(inPlace('See: boh customers list', { api, globals })).toBe(expected);
});

it.each([
  [
    'Sign in with `boh auth login`, or set BOH_TOKEN.',
    'Sign in with `boh --profile main auth login`, or set BOH_TOKEN.',
  ],
  ['To go on: boh runs resume 1.', 'To go on: boh --profile main runs resume 1.'],
  ['Check the address: boh config get base_url', 'Check the address: boh --profile main config get base_url'],
  ['See them: boh profiles list', 'See them: boh profiles list'],
  ['`boh auth logout --profile old` ends it.', '`boh auth logout --profile old` ends it.'],
])('leads to the same account: %s', (sentence, expected) => {
  expect(inPlace(sentence, { api, globals: { profile: 'main' } })).toBe(expected);
});

it.each([
  ['Make it: boh mirror sync. A role', 'Make it: boh mirror sync --to sqlite:a.sqlite. A role'],
  [
    'It is without them: boh mirror sync --resource tags',
    'It is without them: boh mirror sync --to sqlite:a.sqlite --resource tags',
  ],
  ['Elsewhere: boh mirror sync --to sqlite:FILE', 'Elsewhere: boh mirror sync --to sqlite:FILE'],
])('leads to the same mirror: %s', (sentence, expected) => {
  expect(inPlace(sentence, { api, globals: {}, mirrorPlace: 'sqlite:a.sqlite' })).toBe(expected);
});

it('leaves commands alone that belong to no service', () => {
  const sentence = 'Sign in with `boh auth login`; boh doctor tells more. boh has a bug.';
  expect(inPlace(sentence, { api, globals: { sandbox: true } })).toBe(sentence);
});
