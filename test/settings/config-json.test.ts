import { expect, test } from 'vitest';
import type { Config } from '../../src/account/settings/config.ts';
import { checkConfig, decodeConfig, encodeConfig } from '../../src/account/settings/config-json.ts';

/** Returns the configuration with its secrets as text, so that they are compared too. */
function toPlainJson(config: Config): unknown {
  return JSON.parse(encodeConfig(config));
}

test('encoded settings: are decoded unchanged', () => {
  const config = checkConfig(
    {
      version: 1,
      active: 'diner',
      profiles: {
        diner: {
          base_url: 'https://a.example',
          token: 'abc',
          client_secret: 'def',
          scopes: ['a'],
          user_name: 'Sara',
          token_scopes: ['general.read'],
        },
      },
      defaults: { output: 'json' },
    },
    'config.json',
  );
  expect(toPlainJson(decodeConfig(encodeConfig(config), 'config.json'))).toEqual(toPlainJson(config));
});

test('decodeConfig: refuses a profile with the name __proto__', () => {
  const text = '{"version":1,"profiles":{"__proto__":{"protected":true}},"defaults":{}}';
  expect(() => decodeConfig(text, 'config.json')).toThrow(/Invalid configuration/);
  expect({}).not.toHaveProperty('protected');
});

test.each([
  [null, '_'],
  [{ version: 1, profiles: [], defaults: {} }, 'profiles'],
  [{ version: 1, profiles: {} }, 'defaults'],
  [{ version: 1, profiles: { a: 7 }, defaults: {} }, 'profiles.a'],
])('checkConfig of %j: reports %s', (json, field) => {
  expect(() => checkConfig(json, 'config.json')).toThrow(
    expect.objectContaining({
      details: expect.objectContaining({
        fields: expect.objectContaining({ [field]: [expect.any(String)] }),
      }),
    }),
  );
});
