import { describe, expect, test } from 'vitest';
import { type Config, emptyConfig } from '../../src/account/settings/config.ts';
import {
  getSetting,
  listSettings,
  setSetting,
  unsetSetting,
} from '../../src/account/settings/config-values.ts';
import { Secret } from '../../src/account/settings/secret.ts';
import { settingNames } from '../../src/account/settings/setting-definitions.ts';
import { hintContaining } from '../harness/hint.ts';

const config: Config = {
  version: 1,
  active: 'diner',
  profiles: {
    diner: {
      base_url: 'https://diner.example.com',
      token: new Secret('CANARY'),
      client_secret: new Secret('CANARY'),
    },
    cafe: {},
  },
  defaults: { timeout: 5 },
};

describe('listSettings and getSetting', () => {
  const settings = listSettings({
    flags: {},
    environment: { BOH_OUTPUT: 'csv', BOH_TOKEN: 'CANARY' },
    config,
  });

  test('return every setting with its value and source, and no secret', () => {
    expect(settings.map(({ name }) => name)).toEqual(settingNames);
    expect(settings).toContainEqual(
      expect.objectContaining({ name: 'base_url', value: 'https://diner.example.com', source: 'profile' }),
    );
    expect(settings).toContainEqual(
      expect.objectContaining({ name: 'output', value: 'csv', source: 'environment' }),
    );
    expect(settings).toContainEqual(
      expect.objectContaining({ name: 'timeout', value: 5, source: 'default' }),
    );
    expect(settings.find(({ name }) => name === 'colour')).not.toHaveProperty('value');
    expect(JSON.stringify(settings)).not.toContain('CANARY');
  });

  test('return a single setting by name', () => {
    expect(getSetting({ flags: {}, environment: {}, config }, 'timeout')).toMatchObject({ value: 5 });
  });
});

describe('setSetting', () => {
  test.each([
    ['base_url', 'https://cafe.example.com/', 'https://cafe.example.com'],
    ['api_prefix', 'v5', '/v5'],
    ['scopes', 'general.read, orders.list', ['general.read', 'orders.list']],
    ['protected', 'true', true],
    ['colour', 'Red', 'red'],
    ['timeout', '90s', 90],
    ['output', 'NDJSON', 'ndjson'],
    ['wire.filter_style', 'plain', 'plain'],
    ['wire.redeem_method', 'put', 'PUT'],
    ['wire.page_size_param', 'per_page', 'per_page'],
    ['client_id', 'app-1', 'app-1'],
    ['sandbox', 'rehearsal', 'rehearsal'],
  ])('%s to %j: stores %j', (name, text, value) => {
    expect(setSetting(config, 'cafe', name, text).profiles.cafe).toEqual({ [name]: value });
  });

  test.each([
    ['output', 'xml', 'output: Expected one of table'],
    ['protected', 'maybe', 'protected: Expected true or false.'],
    ['base_url', 'cafe.example.com', 'Did you mean https://cafe.example.com?'],
    ['scopes', 'a;b', 'scopes: Expected scopes'],
    ['timeout', 'long', 'timeout: '],
  ])('%s to %j: is refused with %s', (name, text, message) => {
    expect(() => setSetting(config, 'cafe', name, text)).toThrow(message);
  });

  test('without a profile: applies to all profiles, if the setting allows it', () => {
    expect(setSetting(emptyConfig(), undefined, 'output', 'json').defaults).toEqual({ output: 'json' });
    expect(() => setSetting(emptyConfig(), undefined, 'base_url', 'https://a.example')).toThrow('--profile');
  });

  test('another URL for a signed-in profile: is refused, because its token would be sent there', () => {
    const changes = [
      () => setSetting(config, 'diner', 'base_url', 'https://evil.example.com'),
      () => setSetting(config, 'diner', 'sandbox', 'x'),
      () => unsetSetting(config, 'diner', 'base_url'),
    ];
    for (const change of changes)
      expect(change).toThrow(
        expect.objectContaining({ details: { hint: hintContaining('boh auth logout') } }),
      );
    expect(setSetting(config, 'diner', 'base_url', 'https://diner.example.com/')).toEqual(config);
  });

  test('a base URL in addition to a sandbox: is refused', () => {
    const rehearsal = setSetting(config, 'cafe', 'sandbox', 'rehearsal');
    expect(() => setSetting(rehearsal, 'cafe', 'base_url', 'https://a.example')).toThrow('both');
  });
});

test('unsetSetting: deletes the value, and accepts a missing one', () => {
  const changed = setSetting(config, 'cafe', 'timeout', '5');
  expect(unsetSetting(changed, 'cafe', 'timeout')).toEqual(config);
  expect(unsetSetting(config, 'cafe', 'timeout')).toEqual(config);
  expect(unsetSetting(config, undefined, 'timeout').defaults).toEqual({});
});

describe('unknown setting', () => {
  test.each([
    ['base-url', 'Did you mean "base_url"?'],
    ['filter_style', 'boh config list'],
    ['token', '--with-token'],
    ['client_secret', 'BOH_CLIENT_SECRET'],
    ['constructor', 'boh config list'],
  ])('%s: is refused with the hint %s', (name, message) => {
    for (const task of [
      () => setSetting(config, 'cafe', name, 'x'),
      () => unsetSetting(config, 'cafe', name),
    ]) {
      expect(task).toThrow(
        expect.objectContaining({ category: 'usage', details: { hint: hintContaining(message) } }),
      );
    }
  });
});
