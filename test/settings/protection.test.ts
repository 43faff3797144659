/** A protected profile protects its account, however the account is selected and its address is spelled. */
import { describe, expect, test } from 'vitest';
import type { Config } from '../../src/settings/config.ts';
import { resolveSettings } from '../../src/settings/resolve.ts';
import { Secret } from '../../src/settings/secret.ts';

describe('protection covers the account', () => {
  const guarded = {
    base_url: 'https://diner.example',
    api_prefix: '/v5',
    token: new Secret('diner-token'),
    business_name: 'The Diner',
    protected: true,
  };
  const local = { ...guarded, base_url: 'http://127.0.0.1:8080', token: new Secret('local-token') };
  const other = { base_url: 'https://diner.example', api_prefix: '/v5', token: new Secret('other-token') };
  const profiles = { guarded, local, other, play: { sandbox: 'play' } };
  const given: Config = { version: 1, defaults: {}, profiles };

  function protectedBy(environment: Record<string, string>, more: Partial<Config> = {}) {
    return resolveSettings({ flags: {}, environment, config: { ...given, ...more } }).protection?.profile;
  }

  test.each([
    'https://diner.example',
    'https://diner.example/',
    'HTTPS://DINER.EXAMPLE:443//',
    'https://diner.example.',
    'https://diner.example/%2E',
  ])('if its address is spelled %s, with any active profile', (BOH_BASE_URL) => {
    const environment = { BOH_BASE_URL, BOH_API_PREFIX: 'v5/', BOH_TOKEN: 'diner-token' };
    for (const active of ['guarded', 'other', 'play', undefined]) {
      expect(protectedBy(environment, active ? { active } : {}), String(active)).toBe('guarded');
      expect(protectedBy({ ...environment, BOH_TOKEN: 'another' }, active ? { active } : {})).toBe('guarded');
    }
  });

  test('if the prefix is part of the address', () => {
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
  ])('if this machine is addressed as %s', (BOH_BASE_URL) => {
    expect(protectedBy({ BOH_BASE_URL, BOH_API_PREFIX: '/v5', BOH_TOKEN: 'x' })).toBe('local');
  });

  test('but not another business at the same address, or another service', () => {
    const here = { BOH_BASE_URL: 'https://diner.example', BOH_API_PREFIX: '/v5' };
    expect(protectedBy({ ...here, BOH_TOKEN: 'other-token' })).toBeUndefined();
    expect(protectedBy({}, { active: 'other' })).toBeUndefined();
    expect(
      protectedBy({ ...here, BOH_BASE_URL: 'https://diner.example:8443', BOH_TOKEN: 'x' }),
    ).toBeUndefined();
    expect(protectedBy({ BOH_BASE_URL: 'http://localhost:8081', BOH_TOKEN: 'x' })).toBeUndefined();
  });

  test('if another profile of the same business is used', () => {
    const second = { ...other, business_name: 'The Diner' };
    const both = { ...profiles, second };
    expect(protectedBy({}, { profiles: both, active: 'second' })).toBe('guarded');
    const byId = {
      guarded: { ...guarded, business_id: 'b1' },
      second: { ...second, business_id: 'b2' },
    };
    expect(protectedBy({}, { profiles: byId, active: 'second' })).toBeUndefined();
  });
});
