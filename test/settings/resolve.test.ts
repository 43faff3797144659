import { describe, expect, test } from 'vitest';
import { type Config, emptyConfig, type Profile } from '../../src/account/settings/config.ts';
import { resolveSettings, type SettingsInput } from '../../src/account/settings/resolve.ts';
import { Secret } from '../../src/account/settings/secret.ts';
import { requireBaseUrl, requireToken, type Settings } from '../../src/account/settings/settings.ts';
import type { Failure } from '../../src/base/errors.ts';
import { hintContaining } from '../harness/hint.ts';

const diner: Profile = {
  base_url: 'https://diner.example.com',
  api_prefix: '/v5',
  token: new Secret('diner-token'),
  client_secret: new Secret('diner-secret'),
  business_name: 'The Diner',
  protected: true,
  colour: 'red',
  output: 'csv',
  timeout: 5,
  'wire.filter_style': 'plain',
};
const rehearsal: Profile = { sandbox: 'rehearsal', token: new Secret('rehearsal-token') };
const config: Config = {
  version: 1,
  active: 'diner',
  profiles: { diner, rehearsal },
  defaults: { output: 'yaml' },
};

function resolve(input: Partial<SettingsInput> = {}): Settings {
  return resolveSettings({ flags: {}, environment: {}, config: emptyConfig(), ...input });
}

function failureOf(task: () => unknown): Failure {
  try {
    task();
  } catch (error) {
    return error as Failure;
  }
  throw new Error('expected a failure');
}

test('resolveSettings without settings: returns the documented defaults', () => {
  expect(resolve()).toMatchObject({
    apiPrefix: '',
    redirectUri: 'http://127.0.0.1:8714/callback',
    scopes: [],
    protection: undefined,
    timeoutMs: 30_000,
    wire: { filterStyle: 'bracket', deletedFilter: 'include', redeemMethod: 'GET' },
    source: { api_prefix: 'default', timeout: 'default' },
  });
  expect(resolve().output).toBeUndefined();
});

test('resolveSettings: a token and a URL in the environment are sufficient', () => {
  const settings = resolve({ environment: { BOH_TOKEN: 'abc', BOH_BASE_URL: 'https://api.example.com/' } });
  expect(requireBaseUrl(settings)).toBe('https://api.example.com');
  expect(requireToken(settings).reveal()).toBe('abc');
  expect(settings.tokenUrl).toBe('https://api.example.com/oauth/token');
  expect(settings.source).toMatchObject({ base_url: 'environment', token: 'environment' });
});

describe('precedence of sources', () => {
  const environment = { BOH_OUTPUT: 'ndjson' };

  test('is flag, environment, profile, default for all profiles', () => {
    expect(resolve({ config, environment, flags: { output: 'json' } })).toMatchObject({
      output: 'json',
      source: { output: 'flag' },
    });
    expect(resolve({ config, environment })).toMatchObject({
      output: 'ndjson',
      source: { output: 'environment' },
    });
    expect(resolve({ config })).toMatchObject({ output: 'csv', source: { output: 'profile' } });
    const empty = { ...config, profiles: { diner: {} } };
    expect(resolve({ config: empty })).toMatchObject({ output: 'yaml', source: { output: 'default' } });
  });

  test('ignores empty environment variables', () => {
    const empty = { BOH_OUTPUT: '', BOH_PROFILE: '', BOH_BASE_URL: '', BOH_TOKEN: '', BOH_CLIENT_SECRET: '' };
    expect(resolve({ config, environment: empty })).toEqual(resolve({ config }));
  });
});

describe('profile', () => {
  test('precedence: --profile, BOH_PROFILE, the active profile', () => {
    const environment = { BOH_PROFILE: 'rehearsal' };
    expect(resolve({ config })).toMatchObject({ profile: 'diner', source: { profile: 'profile' } });
    expect(resolve({ config, environment })).toMatchObject({
      profile: 'rehearsal',
      source: { profile: 'environment' },
    });
    expect(resolve({ config, environment, flags: { profile: 'diner' } })).toMatchObject({
      profile: 'diner',
      source: { profile: 'flag' },
    });
  });

  test('provides the values of all its settings', () => {
    expect(resolve({ config })).toMatchObject({
      baseUrl: 'https://diner.example.com',
      apiPrefix: '/v5',
      businessName: 'The Diner',
      protection: { profile: 'diner', businessName: 'The Diner' },
      colour: 'red',
      timeoutMs: 5_000,
      wire: { filterStyle: 'plain' },
    });
    expect(resolve({ config }).clientSecret?.reveal()).toBe('diner-secret');
  });

  test('with an unknown name: is refused with the most similar name', () => {
    const failure = failureOf(() => resolve({ config, flags: { profile: 'dinner' } }));
    expect(failure).toMatchObject({ category: 'usage', details: { hint: 'Did you mean "diner"?' } });
  });

  test('that is being created: does not have to exist', () => {
    const input = {
      config,
      flags: { profile: 'new', baseUrl: 'https://new.example.com' },
      newProfile: true,
    };
    expect(resolve(input)).toMatchObject({
      profile: 'new',
      baseUrl: 'https://new.example.com',
      apiPrefix: '',
    });
    expect(resolve({ ...input, flags: { profile: 'new', sandbox: true } })).toMatchObject({
      profile: 'new',
    });
  });

  test.each(['constructor', '__proto__', 'toString'])(
    'with the name %s: is not found in the prototype',
    (profile) => {
      expect(failureOf(() => resolve({ config, flags: { profile } })).category).toBe('usage');
    },
  );
});

describe('token of a profile', () => {
  const otherUrl = { BOH_BASE_URL: 'https://evil.example.com' };

  test.each<[string, Partial<SettingsInput>]>([
    ['another base URL in the environment', { environment: otherUrl }],
    ['another base URL as a flag', { flags: { baseUrl: 'https://evil.example.com' } }],
    ['another port', { flags: { baseUrl: 'https://diner.example.com:8443' } }],
    ['another path', { flags: { baseUrl: 'https://diner.example.com/other' } }],
    ['a sandbox', { flags: { sandbox: true } }],
  ])('is not sent to %s', (_, input) => {
    const settings = resolve({ config, ...input });
    expect(settings).toMatchObject({
      profile: undefined,
      token: undefined,
      clientSecret: undefined,
      protection: undefined,
    });
    expect(settings).toMatchObject({
      apiPrefix: '',
      businessName: undefined,
      wire: { filterStyle: 'bracket' },
    });
    const failure = failureOf(() => requireToken(settings));
    expect(failure.category).toBe('usage');
    expect(failure.message).toContain('profile diner is for https://diner.example.com');
  });

  test('is sent to the same base URL in any spelling', () => {
    const settings = resolve({ config, flags: { baseUrl: 'HTTPS://DINER.example.com:443/' } });
    expect(requireToken(settings).reveal()).toBe('diner-token');
    expect(settings).toMatchObject({ profile: 'diner', protection: { profile: 'diner' } });
  });

  test('without a URL in its profile: is not sent', () => {
    const withoutUrl = { ...config, profiles: { diner: { token: new Secret('diner-token') } } };
    expect(resolve({ config: withoutUrl, environment: otherUrl }).token).toBeUndefined();
  });

  test('with BOH_TOKEN and BOH_BASE_URL: is not used, and neither is the name of the business', () => {
    const environment = { BOH_TOKEN: 'other', BOH_BASE_URL: 'https://diner.example.com' };
    const settings = resolve({ config, environment });
    expect(settings).toMatchObject({
      businessName: undefined,
      protection: { profile: 'diner', businessName: undefined },
    });
    expect(requireToken(settings).reveal()).toBe('other');
  });

  test('with another URL in the environment: only the preferences of the profile are used', () => {
    expect(resolve({ config, environment: otherUrl })).toMatchObject({ output: 'csv', timeoutMs: 5_000 });
  });
});

describe('sandbox', () => {
  test('uses the token of its profile, and not BOH_TOKEN', () => {
    const environment = { BOH_TOKEN: 'env-token' };
    expect(resolve({ flags: { sandbox: true }, environment }).token).toBeUndefined();
    const config: Config = { version: 1, active: 'r', profiles: { r: rehearsal }, defaults: {} };
    const { token, source } = resolve({ environment, config });
    expect([token?.reveal(), source.token]).toEqual(['rehearsal-token', 'profile']);
  });

  test('has the name "default" or BOH_SANDBOX, which alone doesn\'t select a sandbox', () => {
    const environment = { BOH_SANDBOX: 'other' };
    expect(resolve({ flags: { sandbox: true } }).sandbox).toBe('default');
    expect(resolve({ flags: { sandbox: true }, environment }).sandbox).toBe('other');
    expect(resolve({ environment }).sandbox).toBeUndefined();
  });

  test('with --sandbox: replaces a URL in the environment', () => {
    const environment = { BOH_BASE_URL: 'https://api.example.com', BOH_API_PREFIX: '/v5' };
    expect(resolve({ flags: { sandbox: true }, environment })).toMatchObject({
      sandbox: 'default',
      baseUrl: undefined,
      apiPrefix: '',
      tokenUrl: undefined,
    });
  });

  test("of a profile: uses that profile's token", () => {
    const settings = resolve({ config, flags: { profile: 'rehearsal' } });
    expect(settings.sandbox).toBe('rehearsal');
    expect(requireToken(settings).reveal()).toBe('rehearsal-token');
  });

  test('of the active profile: is replaced by a URL in the environment', () => {
    const settings = resolve({
      config: { ...config, active: 'rehearsal' },
      environment: { BOH_BASE_URL: 'https://a.example' },
    });
    expect(settings).toMatchObject({ sandbox: undefined, baseUrl: 'https://a.example', token: undefined });
  });

  test('of the active profile: is replaced by BOH_SANDBOX, and its token is not used', () => {
    const active = { ...config, active: 'rehearsal' };
    const settings = resolve({ config: active, environment: { BOH_SANDBOX: 'other' } });
    expect(settings).toMatchObject({ sandbox: 'other', profile: undefined, token: undefined });
    expect(settings.source.sandbox).toBe('environment');
  });

  test('with --base-url: is refused', () => {
    const failure = failureOf(() => resolve({ flags: { sandbox: true, baseUrl: 'https://a.example' } }));
    expect(failure.message).toContain("can't be combined with --base-url");
  });
});

describe('invalid value', () => {
  test('is reported in one sentence with its user-visible name', () => {
    const failure = failureOf(() => resolve({ environment: { BOH_BASE_URL: 'api.example.com' } }));
    expect(failure.category).toBe('usage');
    expect(failure.message).toBe(
      'BOH_BASE_URL: The URL must begin with https://. Did you mean https://api.example.com?',
    );
  });

  test('is reported together with all other invalid values, without secrets', () => {
    const environment = {
      BOH_TOKEN: 'CAN ARY',
      BOH_CLIENT_SECRET: 'CAN\u0000ARY',
      BOH_OUTPUT: 'xml',
      BOH_BASE_URL: 'ftp://x',
    };
    const failure = failureOf(() => resolve({ environment, flags: { timeout: 'soon' } }));
    expect(Object.keys(failure.details.fields ?? {}).sort()).toEqual([
      '--timeout',
      'BOH_BASE_URL',
      'BOH_CLIENT_SECRET',
      'BOH_OUTPUT',
      'BOH_TOKEN',
    ]);
    expect(JSON.stringify(failure.details)).not.toContain('ARY');
  });

  test('of BOH_SANDBOX: is reported under the name of the variable', () => {
    const failure = failureOf(() =>
      resolve({ environment: { BOH_SANDBOX: '../x' }, flags: { sandbox: true } }),
    );
    expect(failure.message).toContain('BOH_SANDBOX: The name of a sandbox may contain letters');
  });
});

test.each([
  ['1', 1_000],
  ['90s', 90_000],
  ['500ms', 500],
  ['2m', 120_000],
  ['0.5', 500],
])('timeout %s: is %i ms', (timeout, ms) => expect(resolve({ flags: { timeout } }).timeoutMs).toBe(ms));

test.each(['0', '-1', 'Infinity', '1e3', '2h', '3601', '', ' '])('timeout %j: is refused', (timeout) => {
  expect(failureOf(() => resolve({ flags: { timeout } })).message).toContain('--timeout');
});

test('requireBaseUrl and requireToken: the failure has a hint to sign in', () => {
  const failures = [requireBaseUrl, requireToken].map((check) => failureOf(() => check(resolve())));
  expect(failures.map(({ category }) => category)).toEqual(['usage', 'not_signed_in']);
  for (const { details } of failures) expect(details.hint).toEqual(hintContaining('boh auth login'));
});
