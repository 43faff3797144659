import { describe, expect, test } from 'vitest';
import {
  addProfile,
  type Config,
  emptyConfig,
  putProfile,
  removeProfile,
  renameProfile,
  signOut,
  useProfile,
} from '../../src/settings/config.ts';
import { Secret } from '../../src/settings/secret.ts';

const config: Config = {
  version: 1,
  active: 'diner',
  profiles: {
    diner: {
      base_url: 'https://diner.example.com',
      token: new Secret('t'),
      client_secret: new Secret('s'),
      business_name: 'The Diner',
      user_name: 'Sara',
      token_scopes: ['general.read'],
    },
    cafe: {},
  },
  defaults: {},
};

test('the first profile becomes active, a second does not', () => {
  const one = addProfile(emptyConfig(), 'diner');
  expect(one.active).toBe('diner');
  expect(addProfile(one, 'cafe').active).toBe('diner');
});

test.each(['مطعم-الواحة', 'Café', 'a.b_c-1', 'constructor'])('profile name %s is valid', (name) => {
  expect(Object.keys(addProfile(emptyConfig(), name).profiles)).toEqual([name]);
});

test.each(['', '-x', '.', 'a b', 'a/b', '__proto__', 'x'.repeat(65), 'a\u001b', 'a\u202eb'])(
  'profile name %j is rejected',
  (name) => {
    expect(() => addProfile(emptyConfig(), name)).toThrow(expect.objectContaining({ category: 'usage' }));
  },
);

test('an existing name is rejected', () => {
  expect(() => addProfile(config, 'cafe')).toThrow('already');
  expect(() => renameProfile(config, 'diner', 'cafe')).toThrow('already');
});

test('putting a profile updates or creates it', () => {
  expect(putProfile(config, 'cafe', (profile) => ({ ...profile, timeout: 5 })).profiles.cafe).toEqual({
    timeout: 5,
  });
  expect(putProfile(config, 'bar', () => ({ timeout: 5 })).profiles.bar).toEqual({ timeout: 5 });
});

test('renaming keeps the position, the contents and the active profile', () => {
  const renamed = renameProfile(config, 'diner', 'bistro');
  expect(Object.keys(renamed.profiles)).toEqual(['bistro', 'cafe']);
  expect(renamed.profiles.bistro).toBe(config.profiles.diner);
  expect(renamed.active).toBe('bistro');
  expect(renameProfile(config, 'cafe', 'bar').active).toBe('diner');
});

test('removing the active profile leaves none active', () => {
  expect(removeProfile(config, 'diner')).toEqual({ version: 1, profiles: { cafe: {} }, defaults: {} });
  expect(removeProfile(config, 'cafe').active).toBe('diner');
});

test('signing out keeps the settings and the client secret', () => {
  const { diner } = signOut(config, 'diner').profiles;
  expect(Object.keys(diner ?? {})).toEqual(['base_url', 'client_secret']);
});

describe('a name that does not exist', () => {
  test.each([
    ['use', () => useProfile(config, 'dinner')],
    ['rename', () => renameProfile(config, 'dinner', 'x')],
    ['remove', () => removeProfile(config, 'dinner')],
    ['sign out', () => signOut(config, 'dinner')],
  ])('is rejected with the most similar name (%s)', (_what, task) => {
    expect(task).toThrow(
      expect.objectContaining({ category: 'usage', details: { hint: 'Did you mean "diner"?' } }),
    );
  });
});

test('no operation changes the given configuration', () => {
  const before = structuredClone(Object.keys(config.profiles));
  useProfile(config, 'cafe');
  removeProfile(config, 'diner');
  renameProfile(config, 'diner', 'x');
  expect(Object.keys(config.profiles)).toEqual(before);
  expect(config.active).toBe('diner');
});
