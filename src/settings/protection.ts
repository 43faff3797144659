/**
 * Decides whether writes to an account need a confirmation. A protected profile protects its account, not its name:
 * another spelling of the address, a copy of its token, or another profile for the same business is protected too.
 */
import { isLoopback } from '../base/loopback.ts';
import type { Endpoint, SettingSource } from './account.ts';
import type { Config, Profile } from './config.ts';
import type { Secret } from './secret.ts';

/** The reason why writes need a confirmation. */
export interface Protection {
  /** The protected profile. */
  profile: string;
  /** The name of the business; undefined if it is unknown. */
  businessName?: string | undefined;
}

/** The account in use. */
export interface InUse extends Endpoint {
  apiPrefix: string;
  token: { value: Secret; from: SettingSource } | undefined;
  /** The profile in use. */
  own: { name: string; profile: Profile } | undefined;
  config: Config;
}

/** Returns the protection of the account in use; undefined if it isn't protected. */
export function protectionOf(inUse: InUse): Protection | undefined {
  const { own, config } = inUse;
  if (own?.profile.protected) return protectionBy(own.name, own.profile, inUse);
  const found = Object.entries(config.profiles).find(
    ([, profile]) => profile.protected && isSamePlace(profile, inUse) && mayBeSameAccount(profile, inUse),
  );
  return found && protectionBy(...found, inUse);
}

/** Returns the protection by a profile. The business is named only if the token is known to belong to it. */
function protectionBy(name: string, profile: Profile, { token }: InUse): Protection {
  const isKnown = token?.from === 'profile' || isSameSecret(profile.token, token?.value);
  return { profile: name, businessName: isKnown ? profile.business_name : undefined };
}

/**
 * Returns whether a profile may belong to the same account. One address can serve many businesses: another token
 * belongs to another one, unless the names are equal.
 */
function mayBeSameAccount(guarded: Profile, { token, own, config }: InUse): boolean {
  if (token === undefined || isSameSecret(guarded.token, token.value)) return true;
  const holder =
    token.from === 'profile'
      ? own?.profile
      : Object.values(config.profiles).find((profile) => isSameSecret(profile.token, token.value));
  if (holder === undefined) return true;
  return isSameBusiness(guarded, holder);
}

function isSameBusiness(one: Profile, other: Profile): boolean {
  const byId = one.business_id !== undefined && other.business_id !== undefined;
  if (byId) return one.business_id === other.business_id;
  return one.business_name !== undefined && one.business_name === other.business_name;
}

function isSameSecret(one: Secret | undefined, other: Secret | undefined): boolean {
  return one !== undefined && one.reveal() === other?.reveal();
}

function isSamePlace(profile: Profile, { baseUrl, sandbox, apiPrefix }: InUse): boolean {
  if (sandbox !== undefined || baseUrl === undefined)
    return sandbox !== undefined && profile.sandbox === sandbox;
  if (profile.base_url === undefined) return false;
  return reached(profile.base_url, profile.api_prefix ?? '') === reached(baseUrl, apiPrefix);
}

/**
 * Returns the endpoint of an address in one spelling. `readBaseUrl` has normalized host, port and slashes at the end.
 */
function reached(baseUrl: string, apiPrefix: string): string {
  const { hostname, port, pathname } = new URL(baseUrl + apiPrefix);
  const host = isLoopback(hostname) ? 'this machine' : hostname.replace(/\.$/, '');
  const path = pathname.split('/').filter(Boolean).map(decoded).join('/');
  return `${host}:${port}/${path}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
