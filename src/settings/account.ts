/**
 * Selects the account of a command: one service or sandbox, and one token. Flags, the environment and the profile may
 * each name one, with flags first. If two sources of the same rank disagree, a write could reach the wrong business,
 * so boh reports it and stops.
 */
import { type Failure, usage } from '../base/errors.ts';
import { type Config, type Profile, profileNamed } from './config.ts';

/** A profile, and what selected it. */
export interface ChosenProfile {
  name: string;
  profile: Profile;
  from: SettingSource;
}

/** The endpoints and tokens that each source names. */
export interface Named {
  config: Config;
  /** The profile of --profile, else of BOH_PROFILE, else the active one. */
  chosen: ChosenProfile | undefined;
  flags: { baseUrl?: string | undefined; sandbox?: boolean | undefined };
  environment: {
    baseUrl?: string | undefined;
    sandbox?: string | undefined;
    profile?: string | undefined;
    /** The unchanged text; it is only compared. */
    token?: string | undefined;
  };
}

/** The account according to flags, environment and profile. */
export interface ChosenAccount {
  place: Endpoint | undefined;
  /** Whether the profile belongs to another endpoint: only its preferences are used then, and not its token. */
  elsewhere: boolean;
  /** Whether the service settings of the environment belong to this endpoint. */
  environmentCounts: boolean;
  token: 'environment' | 'profile' | undefined;
  /**
   * The conflict. `address`: two services are named. `token`: BOH_TOKEN belongs to another account, or to an unknown
   * one.
   */
  conflict?: { about: 'address' | 'token'; failure: Failure } | undefined;
}

/** Returns the selected account. */
export function selectedAccount(named: Named): ChosenAccount {
  const { chosen, environment } = named;
  const own = chosen && endpointIn(chosen.profile);
  const place = selectedEndpoint(named, own);
  const elsewhere = isOtherEndpoint(chosen?.profile, own, place);
  const theirs = environment.baseUrl === undefined ? undefined : { baseUrl: environment.baseUrl };
  const base = {
    place,
    elsewhere,
    environmentCounts: theirs ? isSame(theirs, place) : named.flags.sandbox !== true,
  };
  const disagreement = addresses(named, own);
  if (disagreement)
    return { ...base, token: undefined, conflict: { about: 'address', failure: disagreement } };
  return { ...base, ...selectedToken(named, own, base) };
}

function selectedEndpoint(
  { chosen, flags, environment }: Named,
  own: Endpoint | undefined,
): Endpoint | undefined {
  const isNamed = chosen?.from === 'flag';
  if (isNamed && own) return own;
  if (flags.sandbox) return { sandbox: environment.sandbox ?? 'default' };
  if (flags.baseUrl !== undefined) return { baseUrl: flags.baseUrl };
  if (environment.baseUrl !== undefined) return { baseUrl: environment.baseUrl };
  // BOH_SANDBOX is no switch: it says which sandbox, where it is to be one.
  if (own?.sandbox !== undefined && environment.sandbox !== undefined)
    return { sandbox: environment.sandbox };
  return own;
}

/** Returns two endpoints that are named with the same rank. */
function addresses({ chosen, flags, environment }: Named, own: Endpoint | undefined): Failure | undefined {
  if (chosen === undefined || own === undefined) return undefined;
  const { name, from } = chosen;
  if (from === 'flag') {
    const other = flags.sandbox ? '--sandbox' : '--base-url';
    const agrees = flags.sandbox ? own.sandbox !== undefined : isUnsetOrSame(flags.baseUrl, own.baseUrl);
    if (agrees) return undefined;
    return usage(`Profile ${name} is for ${endpointName(own)}, but ${other} names another service.`, {
      hint: 'Remove one of them, or create a profile for the other service.',
    });
  }
  if (from !== 'environment' || flags.sandbox || flags.baseUrl !== undefined) return undefined;
  const isBaseUrlSelected = isUnsetOrSame(environment.baseUrl, own.baseUrl);
  const isSandboxSelected = own.sandbox === undefined || isUnsetOrSame(environment.sandbox, own.sandbox);
  if (isBaseUrlSelected && isSandboxSelected) return undefined;
  const [variable, place] = isBaseUrlSelected
    ? ['BOH_SANDBOX', { sandbox: environment.sandbox }]
    : ['BOH_BASE_URL', { baseUrl: environment.baseUrl }];
  return usage(
    `BOH_PROFILE names profile ${name}, which is for ${endpointName(own)}, but ${variable} names ${endpointName(place)}.`,
    { hint: `Unset one of them, or choose the profile with --profile ${name}.` },
  );
}

function isUnsetOrSame(value: string | undefined, own: string | undefined): boolean {
  return value === undefined || value === own;
}

/** Returns the token. A token in the environment belongs to the address in the environment, and to no other. */
function selectedToken(
  named: Named,
  own: Endpoint | undefined,
  { place, elsewhere }: Pick<ChosenAccount, 'place' | 'elsewhere'>,
): Pick<ChosenAccount, 'token' | 'conflict'> {
  const { chosen, environment } = named;
  const kept = elsewhere ? undefined : chosen?.profile.token;
  const ofProfile = kept && ({ token: 'profile' } as const);
  // A sandbox goes by its profile's token, or by none.
  if (environment.token === undefined || place?.sandbox !== undefined)
    return ofProfile ?? { token: undefined };
  if (kept?.reveal() === environment.token) return { token: 'profile' };
  const isNamed = chosen?.from === 'flag' && own !== undefined;
  if (isNamed && ofProfile) return ofProfile;
  const theirs = environmentEndpoint(named);
  if (theirs && place && !isSame(theirs, place))
    return { token: undefined, conflict: tokenConflict(theirs, place) };
  const isByProfile = environment.baseUrl === undefined || chosen?.from === 'environment';
  if (kept && chosen && isByProfile && named.flags.baseUrl === undefined) {
    return { token: undefined, conflict: twoTokens(chosen) };
  }
  if (theirs === undefined && place) return { token: undefined, conflict: tokenAlone(place, chosen) };
  return { token: 'environment' };
}

/** Returns BOH_BASE_URL, else the endpoint of BOH_PROFILE. Undefined if only BOH_TOKEN is set. */
function environmentEndpoint({ config, environment }: Named): Endpoint | undefined {
  if (environment.baseUrl !== undefined) return { baseUrl: environment.baseUrl };
  const profile = environment.profile === undefined ? undefined : profileNamed(config, environment.profile);
  return profile && endpointIn(profile);
}

function tokenConflict(theirs: Endpoint, place: Endpoint): ChosenAccount['conflict'] {
  const failure = usage(
    `BOH_TOKEN is for ${endpointName(theirs)}, so it is not sent to ${endpointName(place)}.`,
    {
      hint: 'Set BOH_BASE_URL and BOH_TOKEN together, or use a profile with a token for this address: --profile NAME.',
    },
  );
  return { about: 'token', failure };
}

/** Returns the conflict of a lone BOH_TOKEN: it may belong to another service than the active profile or the flag. */
function tokenAlone(place: Endpoint, chosen: ChosenProfile | undefined): ChosenAccount['conflict'] {
  const own = chosen && isSame(endpointIn(chosen.profile) ?? {}, place) ? chosen.name : undefined;
  const failure = usage(
    `BOH_TOKEN is set without BOH_BASE_URL, so it is not sent to ${endpointName(place)}.`,
    {
      hint:
        `If the token is for this address, also set BOH_BASE_URL=${place.baseUrl}` +
        (own === undefined
          ? '; otherwise unset BOH_TOKEN.'
          : ` or BOH_PROFILE=${own}; otherwise unset BOH_TOKEN.`),
    },
  );
  return { about: 'token', failure };
}

function twoTokens({ name, from }: ChosenProfile): ChosenAccount['conflict'] {
  const what = from === 'environment' ? `BOH_PROFILE names profile ${name}, which` : `Profile ${name}`;
  const failure = usage(`${what} has its own token, and BOH_TOKEN is a different one.`, {
    hint:
      `To use the profile: --profile ${name}. ` +
      `To use BOH_TOKEN, also set BOH_BASE_URL${from === 'environment' ? ' and unset BOH_PROFILE' : ''}.`,
  });
  return { about: 'token', failure };
}

function isOtherEndpoint(
  profile: Profile | undefined,
  own: Endpoint | undefined,
  place: Endpoint | undefined,
): boolean {
  if (profile === undefined || place === undefined) return false;
  // A token that has lost its address goes nowhere.
  return own === undefined ? profile.token !== undefined : !isSame(own, place);
}

/** Compares addresses exactly: `readBaseUrl` has normalized them. */
function isSame(one: Endpoint, other: Endpoint | undefined): boolean {
  return one.baseUrl === other?.baseUrl && one.sandbox === other?.sandbox;
}

function endpointIn({ base_url: baseUrl, sandbox }: Profile): Endpoint | undefined {
  return baseUrl === undefined && sandbox === undefined ? undefined : { baseUrl, sandbox };
}

/** The source of a value. */
export type SettingSource = 'flag' | 'environment' | 'profile' | 'default';

/** A service by its normalized address, or a sandbox by its name. */
export interface Endpoint {
  baseUrl?: string | undefined;
  sandbox?: string | undefined;
}

/** Returns the service or sandbox in words for messages. */
export function endpointName({ sandbox, baseUrl }: Endpoint): string {
  if (sandbox !== undefined) return `the sandbox "${sandbox}"`;
  return baseUrl ?? 'the service';
}
