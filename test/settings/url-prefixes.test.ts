/** A base URL that ends with a prefix, such as /v5, is the same service as the base URL and the prefix. */
import { describe, expect, test } from 'vitest';
import { type Config, emptyConfig, type Profile } from '../../src/account/settings/config.ts';
import { resolveSettings, type SettingsInput } from '../../src/account/settings/resolve.ts';
import { Secret } from '../../src/account/settings/secret.ts';
import { requireToken, type Settings } from '../../src/account/settings/settings.ts';

const diner: Profile = {
  base_url: 'https://diner.example.com',
  api_prefix: '/v5',
  token: new Secret('diner-token'),
};
const config: Config = { version: 1, active: 'diner', profiles: { diner }, defaults: {} };

function resolve(input: Partial<SettingsInput>): Settings {
  return resolveSettings({ flags: {}, environment: {}, config: emptyConfig(), ...input });
}

describe('a base URL that ends with a prefix', () => {
  test.each([
    ['https://api.example.com/v5', '/v5'],
    ['https://api.example.com/v5/', '/v5'],
    ['https://api.example.com/api', '/api'],
    ['https://api.example.com/api/v2', '/api/v2'],
  ])('%s: is split, and the token URL is at the host', (BOH_BASE_URL, apiPrefix) => {
    const settings = resolve({ environment: { BOH_BASE_URL } });
    expect(settings).toMatchObject({
      baseUrl: 'https://api.example.com',
      apiPrefix,
      tokenUrl: 'https://api.example.com/oauth/token',
      source: { base_url: 'environment', api_prefix: 'environment' },
    });
  });

  test.each(['https://api.example.com/shop', 'https://api.example.com/v5/shop', 'https://v5.example.com'])(
    '%s: has no prefix, and is kept',
    (baseUrl) => {
      expect(resolve({ flags: { baseUrl } })).toMatchObject({ baseUrl, apiPrefix: '' });
    },
  );

  test('with the same prefix in its own setting: is used once; with another one: is kept', () => {
    const baseUrl = 'https://api.example.com/v5';
    expect(resolve({ flags: { baseUrl, apiPrefix: '/v5' } })).toMatchObject({
      baseUrl: 'https://api.example.com',
      apiPrefix: '/v5',
    });
    expect(resolve({ flags: { baseUrl, apiPrefix: '/shop' } })).toMatchObject({
      baseUrl,
      apiPrefix: '/shop',
    });
  });

  test('names the same service as the profile with the prefix in its own setting', () => {
    const flags = { profile: 'diner', baseUrl: 'https://diner.example.com/v5/' };
    expect(requireToken(resolve({ config, flags })).reveal()).toBe('diner-token');
    const { base_url, api_prefix, ...profile } = diner;
    const joined = { ...config, profiles: { diner: { ...profile, base_url: `${base_url}${api_prefix}` } } };
    const environment = { BOH_BASE_URL: 'https://diner.example.com', BOH_API_PREFIX: '/v5' };
    expect(requireToken(resolve({ config: joined, environment })).reveal()).toBe('diner-token');
  });

  test("with the preset of the service: has the preset's authorization URL", () => {
    const flags = { baseUrl: 'https://api.foodics.com/v5', like: 'Foodics-v5' };
    expect(resolve({ flags })).toMatchObject({
      baseUrl: 'https://api.foodics.com',
      apiPrefix: '/v5',
      authorizeUrl: 'https://console.foodics.com/authorize',
      wire: { redeemMethod: 'PUT' },
    });
  });
});
