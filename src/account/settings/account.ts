/**
 * Selects the account of a command: one service or sandbox, and one token. Flags, the environment and the profile may
 * each name an account; flags have precedence. If two sources with the same precedence disagree, a write could reach
 * the wrong business, so boh stops with an error.
 */
import { type Failure, usage } from '../../base/errors.ts';
import { type Config, findProfile, type Profile } from './config.ts';

export interface SelectedProfile {
  name: string;
  profile: Profile;
  from: SettingSource;
}

/** The endpoints and tokens that each source names. */
export interface AccountSources {
  config: Config;
  /** The profile from --profile, from BOH_PROFILE, or the active profile. */
  selectedProfile: SelectedProfile | undefined;
  flags: { baseUrl?: string | undefined; sandbox?: boolean | undefined };
  environment: {
    baseUrl?: string | undefined;
    sandbox?: string | undefined;
    profile?: string | undefined;
    /** The token as text; it is only compared. */
    token?: string | undefined;
  };
}

/** The account according to flags, environment and profile. */
export interface SelectedAccount {
  endpoint: Endpoint | undefined;
  /** Whether the profile belongs to another endpoint. If so, only its preferences are used, and not its token. */
  isForOtherEndpoint: boolean;
  /** Whether the service settings of the environment apply to this endpoint. */
  usesEnvironment: boolean;
  token: 'environment' | 'profile' | undefined;
  /**
   * The conflict. `endpoint`: two services are named. `token`: BOH_TOKEN belongs to another account, or its account is
   * unknown.
   */
  conflict?: { kind: 'endpoint' | 'token'; failure: Failure } | undefined;
}

export function selectAccount(sources: AccountSources): SelectedAccount {
  const { selectedProfile, environment } = sources;
  const profileEndpoint = selectedProfile && endpointOf(selectedProfile.profile);
  const endpoint = selectEndpoint(sources, profileEndpoint);
  const isForOtherEndpoint = hasOtherEndpoint(selectedProfile?.profile, profileEndpoint, endpoint);
  const environmentEndpoint =
    environment.baseUrl === undefined ? undefined : { baseUrl: environment.baseUrl };
  const common = {
    endpoint,
    isForOtherEndpoint,
    usesEnvironment: environmentEndpoint
      ? isSame(environmentEndpoint, endpoint)
      : sources.flags.sandbox !== true,
  };
  const failure = endpointConflict(sources, profileEndpoint);
  if (failure) return { ...common, token: undefined, conflict: { kind: 'endpoint', failure } };
  return { ...common, ...selectToken(sources, profileEndpoint, common) };
}

function selectEndpoint(
  { selectedProfile, flags, environment }: AccountSources,
  profileEndpoint: Endpoint | undefined,
): Endpoint | undefined {
  const isFlagProfile = selectedProfile?.from === 'flag';
  if (isFlagProfile && profileEndpoint) return profileEndpoint;
  if (flags.sandbox) return { sandbox: environment.sandbox ?? 'default' };
  if (flags.baseUrl !== undefined) return { baseUrl: flags.baseUrl };
  if (environment.baseUrl !== undefined) return { baseUrl: environment.baseUrl };
  // BOH_SANDBOX doesn't switch to a sandbox: it only names the sandbox to use.
  if (profileEndpoint?.sandbox !== undefined && environment.sandbox !== undefined)
    return { sandbox: environment.sandbox };
  return profileEndpoint;
}

/** Returns the failure if two sources with the same precedence name different endpoints. */
function endpointConflict(
  { selectedProfile, flags, environment }: AccountSources,
  profileEndpoint: Endpoint | undefined,
): Failure | undefined {
  if (selectedProfile === undefined || profileEndpoint === undefined) return undefined;
  const { name, from } = selectedProfile;
  if (from === 'flag') {
    const otherFlag = flags.sandbox ? '--sandbox' : '--base-url';
    const isConsistent = flags.sandbox
      ? profileEndpoint.sandbox !== undefined
      : isUnsetOrSame(flags.baseUrl, profileEndpoint.baseUrl);
    if (isConsistent) return undefined;
    return usage(
      `Profile ${name} is for ${endpointName(profileEndpoint)}, but ${otherFlag} names another service.`,
      {
        hint: 'Remove one of them, or create a profile for the other service.',
      },
    );
  }
  if (from !== 'environment' || flags.sandbox || flags.baseUrl !== undefined) return undefined;
  const isBaseUrlSelected = isUnsetOrSame(environment.baseUrl, profileEndpoint.baseUrl);
  const isSandboxSelected =
    profileEndpoint.sandbox === undefined || isUnsetOrSame(environment.sandbox, profileEndpoint.sandbox);
  if (isBaseUrlSelected && isSandboxSelected) return undefined;
  const [variable, endpoint] = isBaseUrlSelected
    ? ['BOH_SANDBOX', { sandbox: environment.sandbox }]
    : ['BOH_BASE_URL', { baseUrl: environment.baseUrl }];
  return usage(
    `BOH_PROFILE names profile ${name}, which is for ${endpointName(profileEndpoint)}, but ${variable} names ${endpointName(endpoint)}.`,
    { hint: `Unset one of them, or choose the profile with --profile ${name}.` },
  );
}

function isUnsetOrSame(value: string | undefined, expected: string | undefined): boolean {
  return value === undefined || value === expected;
}

/** Returns the token. A token in the environment belongs to the URL in the environment, and to no other. */
function selectToken(
  sources: AccountSources,
  profileEndpoint: Endpoint | undefined,
  { endpoint, isForOtherEndpoint }: Pick<SelectedAccount, 'endpoint' | 'isForOtherEndpoint'>,
): Pick<SelectedAccount, 'token' | 'conflict'> {
  const { selectedProfile, environment } = sources;
  const storedToken = isForOtherEndpoint ? undefined : selectedProfile?.profile.token;
  const profileToken = storedToken && ({ token: 'profile' } as const);
  // In a sandbox, only the token of its profile is used.
  if (environment.token === undefined || endpoint?.sandbox !== undefined)
    return profileToken ?? { token: undefined };
  if (storedToken?.reveal() === environment.token) return { token: 'profile' };
  const isFlagProfile = selectedProfile?.from === 'flag' && profileEndpoint !== undefined;
  if (isFlagProfile && profileToken) return profileToken;
  const tokenEndpoint = endpointOfEnvironment(sources);
  if (tokenEndpoint && endpoint && !isSame(tokenEndpoint, endpoint))
    return { token: undefined, conflict: tokenConflict(tokenEndpoint, endpoint) };
  const isByProfile = environment.baseUrl === undefined || selectedProfile?.from === 'environment';
  if (storedToken && selectedProfile && isByProfile && sources.flags.baseUrl === undefined) {
    return { token: undefined, conflict: twoTokensConflict(selectedProfile) };
  }
  if (tokenEndpoint === undefined && endpoint)
    return { token: undefined, conflict: tokenWithoutUrlConflict(endpoint, selectedProfile) };
  return { token: 'environment' };
}

/** Returns the endpoint of BOH_BASE_URL, or that of BOH_PROFILE. Returns undefined if only BOH_TOKEN is set. */
function endpointOfEnvironment({ config, environment }: AccountSources): Endpoint | undefined {
  if (environment.baseUrl !== undefined) return { baseUrl: environment.baseUrl };
  const profile = environment.profile === undefined ? undefined : findProfile(config, environment.profile);
  return profile && endpointOf(profile);
}

function tokenConflict(tokenEndpoint: Endpoint, endpoint: Endpoint): SelectedAccount['conflict'] {
  const failure = usage(
    `BOH_TOKEN is for ${endpointName(tokenEndpoint)}, so it is not sent to ${endpointName(endpoint)}.`,
    {
      hint: 'Set BOH_BASE_URL and BOH_TOKEN together, or use a profile with a token for this URL: --profile NAME.',
    },
  );
  return { kind: 'token', failure };
}

/** Returns the conflict if BOH_TOKEN is set alone: it may belong to another service than the profile or the flag. */
function tokenWithoutUrlConflict(
  endpoint: Endpoint,
  selectedProfile: SelectedProfile | undefined,
): SelectedAccount['conflict'] {
  const profileName =
    selectedProfile && isSame(endpointOf(selectedProfile.profile) ?? {}, endpoint)
      ? selectedProfile.name
      : undefined;
  const failure = usage(
    `BOH_TOKEN is set without BOH_BASE_URL, so it is not sent to ${endpointName(endpoint)}.`,
    {
      hint:
        `If the token is for this URL, also set BOH_BASE_URL=${endpoint.baseUrl}` +
        (profileName === undefined
          ? '; otherwise unset BOH_TOKEN.'
          : ` or BOH_PROFILE=${profileName}; otherwise unset BOH_TOKEN.`),
    },
  );
  return { kind: 'token', failure };
}

function twoTokensConflict({ name, from }: SelectedProfile): SelectedAccount['conflict'] {
  const subject = from === 'environment' ? `BOH_PROFILE names profile ${name}, which` : `Profile ${name}`;
  const failure = usage(`${subject} has its own token, and BOH_TOKEN is a different one.`, {
    hint:
      `To use the profile: --profile ${name}. ` +
      `To use BOH_TOKEN, also set BOH_BASE_URL${from === 'environment' ? ' and unset BOH_PROFILE' : ''}.`,
  });
  return { kind: 'token', failure };
}

function hasOtherEndpoint(
  profile: Profile | undefined,
  profileEndpoint: Endpoint | undefined,
  endpoint: Endpoint | undefined,
): boolean {
  if (profile === undefined || endpoint === undefined) return false;
  // A token without a URL isn't sent anywhere.
  return profileEndpoint === undefined ? profile.token !== undefined : !isSame(profileEndpoint, endpoint);
}

/** Compares endpoints exactly: `parseBaseUrl` has normalized their URLs. */
function isSame(a: Endpoint, b: Endpoint | undefined): boolean {
  return a.baseUrl === b?.baseUrl && a.sandbox === b?.sandbox;
}

function endpointOf({ base_url: baseUrl, sandbox }: Profile): Endpoint | undefined {
  return baseUrl === undefined && sandbox === undefined ? undefined : { baseUrl, sandbox };
}

export type SettingSource = 'flag' | 'environment' | 'profile' | 'preset' | 'default';

/** A service by its normalized URL, or a sandbox by its name. */
export interface Endpoint {
  baseUrl?: string | undefined;
  sandbox?: string | undefined;
}

export function endpointName({ sandbox, baseUrl }: Endpoint): string {
  if (sandbox !== undefined) return `the sandbox "${sandbox}"`;
  return baseUrl ?? 'the service';
}
