/** Checks that a protected profile protects its account, however the account is selected and its URL is written. */
import { describe, expect, test } from 'vitest';
import type { Config } from '../../src/account/settings/config.ts';
import { resolveSettings } from '../../src/account/settings/resolve.ts';
import { Secret } from '../../src/account/settings/secret.ts';

describe('protected profile', () => {
  const protectedProfile = {
    base_url: 'https://diner.example',
    api_prefix: '/v5',
    token: new Secret('diner-token'),
    business_name: 'The Diner',
    protected: true,
  };
  const local = { ...protectedProfile, base_url: 'http://127.0.0.1:8080', token: new Secret('local-token') };
  const otherProfile = {
    base_url: 'https://diner.example',
    api_prefix: '/v5',
    token: new Secret('other-token'),
  };
  const profiles = { guarded: protectedProfile, local, other: otherProfile, play: { sandbox: 'play' } };
  const config: Config = { version: 1, defaults: {}, profiles };

  function protectedBy(environment: Record<string, string>, changes: Partial<Config> = {}) {
    return resolveSettings({ flags: {}, environment, config: { ...config, ...changes } }).protection?.profile;
  }

  test.each([
    'https://diner.example',
    'https://diner.example/',
    'HTTPS://DINER.EXAMPLE:443//',
    'https://diner.example.',
    'https://diner.example/%2E',
  ])('protects its account at %s, with any active profile', (BOH_BASE_URL) => {
    const environment = { BOH_BASE_URL, BOH_API_PREFIX: 'v5/', BOH_TOKEN: 'diner-token' };
    for (const active of ['guarded', 'other', 'play', undefined]) {
      expect(protectedBy(environment, active ? { active } : {}), String(active)).toBe('guarded');
      expect(protectedBy({ ...environment, BOH_TOKEN: 'another' }, active ? { active } : {})).toBe('guarded');
    }
  });

  test('protects its account if the prefix is part of the URL', () => {
    const environment = { BOH_BASE_URL: 'https://diner.example/v5/', BOH_TOKEN: 'diner-token' };
    expect(protectedBy(environment)).toBe('guarded');
  });

  test.each([
    'http://localhost:8080',
    'http://127.0.0.1:8080',
    'https://127.0.0.1:8080',
    'http://[::1]:8080',
    'http://127.1:8080',
    'http://LOCALHOST:8080/',
  ])('of this machine: protects %s', (BOH_BASE_URL) => {
    expect(protectedBy({ BOH_BASE_URL, BOH_API_PREFIX: '/v5', BOH_TOKEN: 'x' })).toBe('local');
  });

  test('does not protect another business at the same URL, or another service', () => {
    const environment = { BOH_BASE_URL: 'https://diner.example', BOH_API_PREFIX: '/v5' };
    expect(protectedBy({ ...environment, BOH_TOKEN: 'other-token' })).toBeUndefined();
    expect(protectedBy({}, { active: 'other' })).toBeUndefined();
    expect(
      protectedBy({ ...environment, BOH_BASE_URL: 'https://diner.example:8443', BOH_TOKEN: 'x' }),
    ).toBeUndefined();
    expect(protectedBy({ BOH_BASE_URL: 'http://localhost:8081', BOH_TOKEN: 'x' })).toBeUndefined();
  });

  test('protects other profiles of the same business', () => {
    const sameBusiness = { ...otherProfile, business_name: 'The Diner' };
    const allProfiles = { ...profiles, second: sameBusiness };
    expect(protectedBy({}, { profiles: allProfiles, active: 'second' })).toBe('guarded');
    const profilesWithIds = {
      guarded: { ...protectedProfile, business_id: 'b1' },
      second: { ...sameBusiness, business_id: 'b2' },
    };
    expect(protectedBy({}, { profiles: profilesWithIds, active: 'second' })).toBeUndefined();
  });
});
