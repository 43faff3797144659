/**
 * Checks the selected account for every combination of flags, environment and profiles. The rules are written in another
 * form than in the code: as conditions that must always hold, and as a table of examples.
 */
import { describe, expect, test } from 'vitest';
import type { Config } from '../../src/account/settings/config.ts';
import { resolveSettings } from '../../src/account/settings/resolve.ts';
import { Secret } from '../../src/account/settings/secret.ts';
import { Failure } from '../../src/base/errors.ts';

const config: Config = {
  version: 1,
  defaults: {},
  profiles: {
    shop: { base_url: 'https://shop.example', token: new Secret('shop-token'), api_prefix: '/v5' },
    cafe: { base_url: 'https://cafe.example', token: new Secret('cafe-token') },
    /** For use with a token in the environment. */
    bare: { base_url: 'https://bare.example' },
    play: { sandbox: 'play', token: new Secret('play-token') },
  },
};

const profiles = [undefined, 'shop', 'cafe', 'bare', 'play'] as const;
const baseUrls = [undefined, 'https://shop.example', 'HTTPS://Shop.Example:443/', 'https://else.example'];
const tokens = [undefined, 'env-token', 'shop-token'];
const sandboxes = [undefined, 'other'];

interface Combination {
  flags: { profile?: string | undefined; baseUrl?: string | undefined; sandbox?: true };
  environment: Record<string, string>;
  active: string | undefined;
}

function* combinations(): Generator<Combination> {
  for (const profile of profiles)
    for (const urlOrSandbox of [...baseUrls, 'sandbox'])
      for (const BOH_PROFILE of profiles)
        for (const BOH_BASE_URL of baseUrls)
          for (const BOH_TOKEN of tokens)
            for (const BOH_SANDBOX of sandboxes)
              for (const active of profiles) {
                const variables = { BOH_PROFILE, BOH_BASE_URL, BOH_TOKEN, BOH_SANDBOX };
                const values = Object.entries(variables).filter(
                  (entry): entry is [string, string] => !!entry[1],
                );
                yield {
                  flags: {
                    profile,
                    ...(urlOrSandbox === 'sandbox' ? { sandbox: true as const } : { baseUrl: urlOrSandbox }),
                  },
                  environment: Object.fromEntries(values),
                  active,
                };
              }
}

interface Outcome {
  errorMessage?: string;
  endpoint?: string | undefined;
  token?: string | undefined;
}

/** Returns the selected endpoint and token. The endpoint of a sandbox is `sandbox:NAME`. */
function outcomeOf({ flags, environment, active }: Combination): Outcome {
  try {
    const activeConfig = { ...config, ...(active && { active }) };
    const { baseUrl, sandbox, token } = resolveSettings({ flags, environment, config: activeConfig });
    return { endpoint: sandbox ? `sandbox:${sandbox}` : baseUrl, token: token?.reveal() };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    expect(error.exitCode).toBe(2);
    expect(error.message).not.toMatch(/-token/);
    return { errorMessage: error.message };
  }
}

const endpointOfProfile = (name: string) => {
  const { base_url: baseUrl, sandbox } = config.profiles[name] ?? {};
  return sandbox ? `sandbox:${sandbox}` : baseUrl;
};
const originOf = (endpoint: string) => new URL(endpoint).origin;
const ownerOf: Record<string, string> = {
  'shop-token': 'https://shop.example',
  'cafe-token': 'https://cafe.example',
  'play-token': 'sandbox:play',
};

/** The conditions that every combination must meet. */
const rules: Record<string, (combination: Combination, outcome: Outcome) => boolean> = {
  '--profile selects the account, or the command fails': ({ flags: { profile } }, { endpoint }) =>
    profile === undefined || endpoint === endpointOfProfile(profile),

  '--profile never uses the token of another profile, or BOH_TOKEN if it has its own token': (
    { flags: { profile } },
    { token },
  ) => profile === undefined || profile === 'bare' || token === `${profile}-token`,

  '--base-url selects the service, or the command fails': ({ flags: { baseUrl } }, { endpoint }) =>
    baseUrl === undefined || endpoint === originOf(baseUrl),

  '--sandbox never selects a service': ({ flags: { sandbox } }, { endpoint }) =>
    !sandbox || endpoint?.startsWith('sandbox:') === true,

  'without flags, BOH_PROFILE and BOH_BASE_URL agree, or the command fails': (
    { flags, environment: { BOH_PROFILE, BOH_BASE_URL } },
    { endpoint },
  ) => {
    if (flags.profile || flags.baseUrl || flags.sandbox) return true;
    return (
      (!BOH_PROFILE || endpoint === endpointOfProfile(BOH_PROFILE)) &&
      (!BOH_BASE_URL || endpoint === originOf(BOH_BASE_URL))
    );
  },

  'BOH_TOKEN is only sent to the URL of the environment': (
    { environment: { BOH_BASE_URL, BOH_PROFILE, BOH_TOKEN } },
    { endpoint, token },
  ) => {
    if (BOH_TOKEN !== 'env-token' || token !== BOH_TOKEN) return true;
    if (BOH_BASE_URL) return endpoint === originOf(BOH_BASE_URL);
    if (BOH_PROFILE) return endpoint === endpointOfProfile(BOH_PROFILE);
    return endpoint === undefined;
  },

  'BOH_TOKEN never replaces the token of the named or active profile': (
    { flags, environment, active },
    { endpoint, token },
  ) => {
    const name = flags.profile ?? environment.BOH_PROFILE ?? active;
    const isComplete = environment.BOH_BASE_URL && !environment.BOH_PROFILE;
    if (!name || name === 'bare' || isComplete || flags.baseUrl || token !== 'env-token') return true;
    return endpoint !== endpointOfProfile(name);
  },

  "a profile's token is only sent to the URL of the profile": ({ environment }, { endpoint, token }) =>
    token === undefined || token === environment.BOH_TOKEN || endpoint === ownerOf[token],

  'BOH_TOKEN is never sent to a sandbox': ({ environment: { BOH_TOKEN } }, { endpoint, token }) =>
    !endpoint?.startsWith('sandbox:') || token === undefined || token !== BOH_TOKEN,
};

const testedCombinations = [...combinations()].map((combination) => ({
  combination,
  outcome: outcomeOf(combination),
}));

describe(`selected account in all ${testedCombinations.length} combinations`, () => {
  test.each(Object.keys(rules))('%s', (name) => {
    const violations = testedCombinations.filter(
      ({ combination, outcome }) =>
        outcome.errorMessage === undefined && rules[name]?.(combination, outcome) === false,
    );
    expect(violations.slice(0, 5)).toEqual([]);
  });

  test('at least a tenth succeed and at least a tenth fail, so that the rules are tested', () => {
    const failures = testedCombinations.filter(({ outcome }) => outcome.errorMessage !== undefined);
    expect(failures.length).toBeGreaterThan(testedCombinations.length / 10);
    expect(testedCombinations.length - failures.length).toBeGreaterThan(testedCombinations.length / 10);
  });
});

const shop = 'https://shop.example';
const otherUrl = 'https://else.example';

describe('selected account', () => {
  test.each<[string, Partial<Combination>, Outcome]>([
    [
      'a token and a URL in the environment take precedence over the active profile',
      { environment: { BOH_BASE_URL: otherUrl, BOH_TOKEN: 'env-token' }, active: 'shop' },
      { endpoint: otherUrl, token: 'env-token' },
    ],
    [
      '--profile takes precedence over both',
      {
        flags: { profile: 'cafe' },
        environment: { BOH_BASE_URL: otherUrl, BOH_TOKEN: 'env-token' },
        active: 'shop',
      },
      { endpoint: 'https://cafe.example', token: 'cafe-token' },
    ],
    [
      '--profile takes precedence over BOH_PROFILE',
      { flags: { profile: 'cafe' }, environment: { BOH_PROFILE: 'shop' } },
      { endpoint: 'https://cafe.example', token: 'cafe-token' },
    ],
    [
      '--sandbox with the profile of a sandbox selects that sandbox',
      { flags: { profile: 'play', sandbox: true }, environment: { BOH_SANDBOX: 'other' } },
      { endpoint: 'sandbox:play', token: 'play-token' },
    ],
    [
      'BOH_PROFILE without a stored token uses BOH_TOKEN',
      { environment: { BOH_PROFILE: 'bare', BOH_TOKEN: 'env-token' } },
      { endpoint: 'https://bare.example', token: 'env-token' },
    ],
    [
      '--profile with a stored token ignores BOH_TOKEN',
      { flags: { profile: 'shop' }, environment: { BOH_TOKEN: 'env-token' } },
      { endpoint: shop, token: 'shop-token' },
    ],
  ])('%s', (_, row, outcome) => {
    expect(outcomeOf({ flags: {}, environment: {}, active: undefined, ...row })).toEqual(outcome);
  });

  test.each<[string, Partial<Combination>, RegExp]>([
    [
      '--profile and --base-url',
      { flags: { profile: 'shop', baseUrl: otherUrl } },
      /^Profile shop is for https:\/\/shop.example, but --base-url names another service\.$/,
    ],
    [
      '--profile of a service and --sandbox',
      { flags: { profile: 'shop', sandbox: true } },
      /but --sandbox names another service/,
    ],
    [
      'BOH_PROFILE and BOH_BASE_URL',
      { environment: { BOH_PROFILE: 'shop', BOH_BASE_URL: otherUrl } },
      /^BOH_PROFILE names profile shop, .* but BOH_BASE_URL names https:\/\/else.example\.$/,
    ],
    [
      'BOH_PROFILE and BOH_SANDBOX',
      { environment: { BOH_PROFILE: 'play', BOH_SANDBOX: 'other' } },
      /but BOH_SANDBOX names the sandbox "other"/,
    ],
    [
      '--base-url and a token for BOH_BASE_URL',
      { flags: { baseUrl: otherUrl }, environment: { BOH_BASE_URL: shop, BOH_TOKEN: 'env-token' } },
      /^BOH_TOKEN is for https:\/\/shop.example, so it is not sent to https:\/\/else.example\.$/,
    ],
    [
      "the active profile's token and BOH_TOKEN alone",
      { environment: { BOH_TOKEN: 'env-token' }, active: 'shop' },
      /^Profile shop has its own token, and BOH_TOKEN is a different one\.$/,
    ],
    [
      'a profile without a token and a token for another URL',
      {
        flags: { profile: 'bare' },
        environment: { BOH_BASE_URL: shop, BOH_TOKEN: 'env-token' },
      },
      /^BOH_TOKEN is for https:\/\/shop.example, so it is not sent to https:\/\/bare.example\.$/,
    ],
    [
      'BOH_TOKEN alone and --base-url',
      { flags: { baseUrl: otherUrl }, environment: { BOH_TOKEN: 'env-token' } },
      /^BOH_TOKEN is set without BOH_BASE_URL, so it is not sent to https:\/\/else.example\.$/,
    ],
    [
      'BOH_TOKEN alone and an active profile without a token',
      { environment: { BOH_TOKEN: 'env-token' }, active: 'bare' },
      /^BOH_TOKEN is set without BOH_BASE_URL, so it is not sent to https:\/\/bare.example\.$/,
    ],
    [
      'BOH_TOKEN alone and --profile without a token',
      { flags: { profile: 'bare' }, environment: { BOH_TOKEN: 'env-token' } },
      /^BOH_TOKEN is set without BOH_BASE_URL, so it is not sent to https:\/\/bare.example\.$/,
    ],
  ])('%s: conflict causes a failure', (_, row, message) => {
    const { errorMessage } = outcomeOf({ flags: {}, environment: {}, active: undefined, ...row });
    expect(errorMessage).toMatch(message);
  });

  test('the prefix and the client of the environment are only used with its URL', () => {
    const environment = {
      BOH_BASE_URL: otherUrl,
      BOH_API_PREFIX: '/else',
      BOH_CLIENT_ID: 'else-client',
      BOH_CLIENT_SECRET: 'else-secret',
    };
    const settings = resolveSettings({ flags: { profile: 'shop' }, environment, config });
    expect(settings).toMatchObject({ apiPrefix: '/v5', clientId: undefined, clientSecret: undefined });
  });
});
