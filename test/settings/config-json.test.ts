import { describe, expect, test } from 'vitest';
import type { Failure } from '../../src/base/errors.ts';
import type { Config } from '../../src/settings/config.ts';
import { decodeConfig, decodeValid, encodeConfig } from '../../src/settings/config-json.ts';
import { checkConfig } from '../../src/settings/config-schema.ts';
import { fc } from '../harness/fast-check.ts';

const validSettings = {
  base_url: fc.constantFrom('https://a.example', 'https://b.example/v5/'),
  api_prefix: fc.constantFrom('', 'v5'),
  token: fc.constantFrom('token-1', '"Bearer token-2"'),
  client_secret: fc.constant('secret-1'),
  timeout: fc.constantFrom(5, '90s'),
  output: fc.constantFrom('json', 'CSV'),
  scopes: fc.constantFrom(['a', 'b'], 'a b', []),
  protected: fc.constantFrom(true, 'no'),
  business_name: fc.string(),
  token_scopes: fc.array(fc.string()),
};
const validProfile = fc.record(validSettings, { requiredKeys: ['base_url'] });
const validDefaults = fc.record(
  { output: validSettings.output, timeout: validSettings.timeout },
  { requiredKeys: [] },
);

/** Random values with random names. Most of them are invalid. */
const invalidSettings = fc.dictionary(
  fc.constantFrom(...Object.keys(validSettings), 'sandbox', 'unknown'),
  fc.oneof(fc.string(), fc.constantFrom<unknown>(null, -1, {}, [1], 'to ken', 'http://a.example', 'x')),
  { maxKeys: 3 },
);
const mostly = <Value>(common: fc.Arbitrary<Value>, rare: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 12, arbitrary: common }, { weight: 1, arbitrary: rare });
const configFile = fc.record(
  {
    version: mostly(fc.constant(1), fc.constantFrom(0, '1', 2, null)),
    active: mostly(fc.constant('diner'), fc.constantFrom('missing', 7)),
    profiles: mostly(
      fc.record(
        { diner: mostly(validProfile, invalidSettings), Café: mostly(validProfile, invalidSettings) },
        { requiredKeys: ['diner'] },
      ),
      fc.constantFrom<unknown>(null, [], { '-': {} }),
    ),
    defaults: mostly(validDefaults, invalidSettings),
  },
  { requiredKeys: ['version', 'profiles', 'defaults'] },
);

function checkWithSchema(json: unknown): Config | Failure {
  try {
    return checkConfig(json, 'config.json');
  } catch (error) {
    return error as Failure;
  }
}

/** Returns the configuration with its secrets as text, so that they are compared too. */
function toPlainJson(config: Config): unknown {
  return JSON.parse(encodeConfig(config));
}

describe('decodeValid', () => {
  test('accepts the same files as the zod schema, with the same result', () => {
    const counts = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(configFile, (json) => {
        const decodedConfig = decodeValid(json);
        const schemaResult = checkWithSchema(json);
        if (decodedConfig === undefined) expect(schemaResult).toBeInstanceOf(Error);
        else expect(toPlainJson(decodedConfig)).toEqual(toPlainJson(schemaResult as Config));
        counts[decodedConfig === undefined ? 'refused' : 'accepted'] += 1;
      }),
      { numRuns: 500 },
    );
    expect(Math.min(counts.accepted, counts.refused)).toBeGreaterThan(
      (counts.accepted + counts.refused) / 10,
    );
  });

  test('encoded settings: are decoded unchanged', async () => {
    const config = decodeValid({
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
    });
    if (config === undefined) throw new Error('expected a valid configuration');
    expect(toPlainJson(await decodeConfig(encodeConfig(config), 'config.json'))).toEqual(toPlainJson(config));
  });
});

test('decodeConfig: ignores a profile with the name __proto__', async () => {
  const text = '{"version":1,"profiles":{"__proto__":{"protected":true}},"defaults":{}}';
  const config = await decodeConfig(text, 'config.json');
  expect(Object.keys(config.profiles)).toEqual([]);
  expect({}).not.toHaveProperty('protected');
  expect(config.profiles.diner).toBeUndefined();
});
