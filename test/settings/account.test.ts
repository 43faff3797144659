/**
 * The account of a command line, for every combination of flags, environment and profiles. The test states the rules in another form than the code: as conditions that must always hold, and as a table.
 */
import { describe, expect, test } from 'vitest';
import { Failure } from '../../src/base/errors.ts';
import type { Config } from '../../src/settings/config.ts';
import { resolveSettings } from '../../src/settings/resolve.ts';
import { Secret } from '../../src/settings/secret.ts';

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
const addresses = [undefined, 'https://shop.example', 'HTTPS://Shop.Example:443/', 'https://else.example'];
const tokens = [undefined, 'env-token', 'shop-token'];
const sandboxes = [undefined, 'other'];

interface Combination {
  flags: { profile?: string | undefined; baseUrl?: string | undefined; sandbox?: true };
  environment: Record<string, string>;
  active: string | undefined;
}

function* combinations(): Generator<Combination> {
  for (const profile of profiles)
    for (const where of [...addresses, 'sandbox'])
      for (const BOH_PROFILE of profiles)
        for (const BOH_BASE_URL of addresses)
          for (const BOH_TOKEN of tokens)
            for (const BOH_SANDBOX of sandboxes)
              for (const active of profiles) {
                const set = { BOH_PROFILE, BOH_BASE_URL, BOH_TOKEN, BOH_SANDBOX };
                const values = Object.entries(set).filter((entry): entry is [string, string] => !!entry[1]);
                yield {
                  flags: {
                    profile,
                    ...(where === 'sandbox' ? { sandbox: true as const } : { baseUrl: where }),
                  },
                  environment: Object.fromEntries(values),
                  active,
                };
              }
}

interface Outcome {
  stopped?: string;
  address?: string | undefined;
  token?: string | undefined;
}

/** Returns the selected address and token. A sandbox is shown as `sandbox:NAME`. */
function outcomeOf({ flags, environment, active }: Combination): Outcome {
  try {
    const activeConfig = { ...config, ...(active && { active }) };
    const { baseUrl, sandbox, token } = resolveSettings({ flags, environment, config: activeConfig });
    return { address: sandbox ? `sandbox:${sandbox}` : baseUrl, token: token?.reveal() };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    expect(error.exitCode).toBe(2);
    expect(error.message).not.toMatch(/-token/);
    return { stopped: error.message };
  }
}

const addressOfProfile = (name: string) => {
  const { base_url: baseUrl, sandbox } = config.profiles[name] ?? {};
  return sandbox ? `sandbox:${sandbox}` : baseUrl;
};
const originOf = (address: string) => new URL(address).origin;
const ownerOf: Record<string, string> = {
  'shop-token': 'https://shop.example',
  'cafe-token': 'https://cafe.example',
  'play-token': 'sandbox:play',
};

/** The conditions that every combination must meet. */
const rules: Record<string, (combination: Combination, outcome: Outcome) => boolean> = {
  '--profile is the account, or the run stops': ({ flags: { profile } }, { address }) =>
    profile === undefined || address === addressOfProfile(profile),

  '--profile never uses the token of another profile, or BOH_TOKEN if it has its own token': (
    { flags: { profile } },
    { token },
  ) => profile === undefined || profile === 'bare' || token === `${profile}-token`,

  '--base-url is the address, or the run stops': ({ flags: { baseUrl } }, { address }) =>
    baseUrl === undefined || address === originOf(baseUrl),

  '--sandbox never leads to a service': ({ flags: { sandbox } }, { address }) =>
    !sandbox || address?.startsWith('sandbox:') === true,

  'without flags, BOH_PROFILE and BOH_BASE_URL agree, or the run stops': (
    { flags, environment: { BOH_PROFILE, BOH_BASE_URL } },
    { address },
  ) => {
    if (flags.profile || flags.baseUrl || flags.sandbox) return true;
    return (
      (!BOH_PROFILE || address === addressOfProfile(BOH_PROFILE)) &&
      (!BOH_BASE_URL || address === originOf(BOH_BASE_URL))
    );
  },

  'BOH_TOKEN is only sent to the address of the environment': (
    { environment: { BOH_BASE_URL, BOH_PROFILE, BOH_TOKEN } },
    { address, token },
  ) => {
    if (BOH_TOKEN !== 'env-token' || token !== BOH_TOKEN) return true;
    if (BOH_BASE_URL) return address === originOf(BOH_BASE_URL);
    if (BOH_PROFILE) return address === addressOfProfile(BOH_PROFILE);
    return address === undefined;
  },

  'BOH_TOKEN never replaces the token of the named or active profile': (
    { flags, environment, active },
    { address, token },
  ) => {
    const name = flags.profile ?? environment.BOH_PROFILE ?? active;
    const isComplete = environment.BOH_BASE_URL && !environment.BOH_PROFILE;
    if (!name || name === 'bare' || isComplete || flags.baseUrl || token !== 'env-token') return true;
    return address !== addressOfProfile(name);
  },

  "a profile's token is only sent to the address of the profile": ({ environment }, { address, token }) =>
    token === undefined || token === environment.BOH_TOKEN || address === ownerOf[token],

  'BOH_TOKEN is never sent to a sandbox': ({ environment: { BOH_TOKEN } }, { address, token }) =>
    !address?.startsWith('sandbox:') || token === undefined || token !== BOH_TOKEN,
};

const all = [...combinations()].map((combination) => ({ combination, outcome: outcomeOf(combination) }));

describe(`in all ${all.length} combinations`, () => {
  test.each(Object.keys(rules))('%s', (name) => {
    const broken = all.filter(
      ({ combination, outcome }) =>
        outcome.stopped === undefined && rules[name]?.(combination, outcome) === false,
    );
    expect(broken.slice(0, 5)).toEqual([]);
  });

  test('at least a tenth run, and at least a tenth stop, so that the rules are really tested', () => {
    const stopped = all.filter(({ outcome }) => outcome.stopped !== undefined);
    expect(stopped.length).toBeGreaterThan(all.length / 10);
    expect(all.length - stopped.length).toBeGreaterThan(all.length / 10);
  });
});

const shop = 'https://shop.example';
const otherAddress = 'https://else.example';

describe('common combinations', () => {
  test.each<[string, Partial<Combination>, Outcome]>([
    [
      'a token and an address in the environment take precedence over the active profile',
      { environment: { BOH_BASE_URL: otherAddress, BOH_TOKEN: 'env-token' }, active: 'shop' },
      { address: otherAddress, token: 'env-token' },
    ],
    [
      '--profile takes precedence over both',
      {
        flags: { profile: 'cafe' },
        environment: { BOH_BASE_URL: otherAddress, BOH_TOKEN: 'env-token' },
        active: 'shop',
      },
      { address: 'https://cafe.example', token: 'cafe-token' },
    ],
    [
      '--profile takes precedence over BOH_PROFILE',
      { flags: { profile: 'cafe' }, environment: { BOH_PROFILE: 'shop' } },
      { address: 'https://cafe.example', token: 'cafe-token' },
    ],
    [
      '--sandbox with the profile of a sandbox selects that sandbox',
      { flags: { profile: 'play', sandbox: true }, environment: { BOH_SANDBOX: 'other' } },
      { address: 'sandbox:play', token: 'play-token' },
    ],
    [
      'BOH_PROFILE without a stored token uses BOH_TOKEN',
      { environment: { BOH_PROFILE: 'bare', BOH_TOKEN: 'env-token' } },
      { address: 'https://bare.example', token: 'env-token' },
    ],
    [
      '--profile with a stored token ignores BOH_TOKEN',
      { flags: { profile: 'shop' }, environment: { BOH_TOKEN: 'env-token' } },
      { address: shop, token: 'shop-token' },
    ],
  ])('%s', (_what, row, outcome) => {
    expect(outcomeOf({ flags: {}, environment: {}, active: undefined, ...row })).toEqual(outcome);
  });

  test.each<[string, Partial<Combination>, RegExp]>([
    [
      '--profile and --base-url',
      { flags: { profile: 'shop', baseUrl: otherAddress } },
      /^Profile shop is for https:\/\/shop.example, but --base-url names another service\.$/,
    ],
    [
      '--profile of a service and --sandbox',
      { flags: { profile: 'shop', sandbox: true } },
      /but --sandbox names another service/,
    ],
    [
      'BOH_PROFILE and BOH_BASE_URL',
      { environment: { BOH_PROFILE: 'shop', BOH_BASE_URL: otherAddress } },
      /^BOH_PROFILE names profile shop, .* but BOH_BASE_URL names https:\/\/else.example\.$/,
    ],
    [
      'BOH_PROFILE and BOH_SANDBOX',
      { environment: { BOH_PROFILE: 'play', BOH_SANDBOX: 'other' } },
      /but BOH_SANDBOX names the sandbox "other"/,
    ],
    [
      '--base-url and a token for BOH_BASE_URL',
      { flags: { baseUrl: otherAddress }, environment: { BOH_BASE_URL: shop, BOH_TOKEN: 'env-token' } },
      /^BOH_TOKEN is for https:\/\/shop.example, so it is not sent to https:\/\/else.example\.$/,
    ],
    [
      "the active profile's token and BOH_TOKEN alone",
      { environment: { BOH_TOKEN: 'env-token' }, active: 'shop' },
      /^Profile shop has its own token, and BOH_TOKEN is a different one\.$/,
    ],
    [
      'a profile without a token and a token for another address',
      {
        flags: { profile: 'bare' },
        environment: { BOH_BASE_URL: shop, BOH_TOKEN: 'env-token' },
      },
      /^BOH_TOKEN is for https:\/\/shop.example, so it is not sent to https:\/\/bare.example\.$/,
    ],
    [
      'BOH_TOKEN alone and --base-url',
      { flags: { baseUrl: otherAddress }, environment: { BOH_TOKEN: 'env-token' } },
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
  ])('%s: stop if they disagree', (_what, row, message) => {
    const { stopped } = outcomeOf({ flags: {}, environment: {}, active: undefined, ...row });
    expect(stopped).toMatch(message);
  });

  test('the prefix and the client of the environment are only used with its address', () => {
    const environment = {
      BOH_BASE_URL: otherAddress,
      BOH_API_PREFIX: '/else',
      BOH_CLIENT_ID: 'else-client',
      BOH_CLIENT_SECRET: 'else-secret',
    };
    const settings = resolveSettings({ flags: { profile: 'shop' }, environment, config });
    expect(settings).toMatchObject({ apiPrefix: '/v5', clientId: undefined, clientSecret: undefined });
  });
});
