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
} from '../../src/account/settings/config.ts';
import { Secret } from '../../src/account/settings/secret.ts';

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

test('addProfile: the first profile becomes active, later ones do not', () => {
  const withDiner = addProfile(emptyConfig(), 'diner');
  expect(withDiner.active).toBe('diner');
  expect(addProfile(withDiner, 'cafe').active).toBe('diner');
});

test.each(['مطعم-الواحة', 'Café', 'a.b_c-1', 'constructor'])('addProfile: accepts the name %s', (name) => {
  expect(Object.keys(addProfile(emptyConfig(), name).profiles)).toEqual([name]);
});

test.each(['', '-x', '.', 'a b', 'a/b', '__proto__', 'x'.repeat(65), 'a\u001b', 'a\u202eb'])(
  'addProfile: refuses the name %j',
  (name) => {
    expect(() => addProfile(emptyConfig(), name)).toThrow(expect.objectContaining({ category: 'usage' }));
  },
);

test('addProfile and renameProfile: refuse an existing name', () => {
  expect(() => addProfile(config, 'cafe')).toThrow('already');
  expect(() => renameProfile(config, 'diner', 'cafe')).toThrow('already');
});

test('putProfile: updates or creates the profile', () => {
  expect(putProfile(config, 'cafe', (profile) => ({ ...profile, timeout: 5 })).profiles.cafe).toEqual({
    timeout: 5,
  });
  expect(putProfile(config, 'bar', () => ({ timeout: 5 })).profiles.bar).toEqual({ timeout: 5 });
});

test('renameProfile: keeps the position, the content and the active profile', () => {
  const renamed = renameProfile(config, 'diner', 'bistro');
  expect(Object.keys(renamed.profiles)).toEqual(['bistro', 'cafe']);
  expect(renamed.profiles.bistro).toBe(config.profiles.diner);
  expect(renamed.active).toBe('bistro');
  expect(renameProfile(config, 'cafe', 'bar').active).toBe('diner');
});

test('removeProfile: no profile is active after the active one was removed', () => {
  expect(removeProfile(config, 'diner')).toEqual({ version: 1, profiles: { cafe: {} }, defaults: {} });
  expect(removeProfile(config, 'cafe').active).toBe('diner');
});

test('signOut: keeps the settings and the client secret', () => {
  const { diner } = signOut(config, 'diner').profiles;
  expect(Object.keys(diner ?? {})).toEqual(['base_url', 'client_secret']);
});

describe('unknown profile', () => {
  test.each([
    ['use', () => useProfile(config, 'dinner')],
    ['rename', () => renameProfile(config, 'dinner', 'x')],
    ['remove', () => removeProfile(config, 'dinner')],
    ['sign out', () => signOut(config, 'dinner')],
  ])('%s: is refused with the most similar name', (_, task) => {
    expect(task).toThrow(
      expect.objectContaining({ category: 'usage', details: { hint: 'Did you mean "diner"?' } }),
    );
  });
});

test('useProfile, removeProfile and renameProfile: do not modify their argument', () => {
  const before = structuredClone(Object.keys(config.profiles));
  useProfile(config, 'cafe');
  removeProfile(config, 'diner');
  renameProfile(config, 'diner', 'x');
  expect(Object.keys(config.profiles)).toEqual(before);
  expect(config.active).toBe('diner');
});
