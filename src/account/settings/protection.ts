/**
 * Decides whether writes to an account need a confirmation. A protected profile protects its account, not its name:
 * another spelling of the URL, a copy of its token, or another profile for the same business is protected too.
 */
import { isLoopback } from '../../base/loopback.ts';
import type { Endpoint, SettingSource } from './account.ts';
import type { Config, Profile } from './config.ts';
import type { Secret } from './secret.ts';

/** The reason why writes need a confirmation. */
export interface Protection {
  profile: string;
  /** The name of the business; undefined if it is unknown. */
  businessName?: string | undefined;
}

/** The account in use. */
export interface ProtectionInput extends Endpoint {
  apiPrefix: string;
  token: { value: Secret; from: SettingSource } | undefined;
  profileInUse: { name: string; profile: Profile } | undefined;
  config: Config;
}

/** Returns the protection of the account in use; undefined if it isn't protected. */
export function protectionOf(account: ProtectionInput): Protection | undefined {
  const { profileInUse, config } = account;
  if (profileInUse?.profile.protected) return protectionBy(profileInUse.name, profileInUse.profile, account);
  const match = Object.entries(config.profiles).find(
    ([, profile]) =>
      profile.protected && isSameEndpoint(profile, account) && mayBeSameAccount(profile, account),
  );
  return match && protectionBy(...match, account);
}

/** Returns the protection by a profile. The business is named only if the token is known to belong to it. */
function protectionBy(name: string, profile: Profile, { token }: ProtectionInput): Protection {
  const isTokenOfProfile = token?.from === 'profile' || isSameSecret(profile.token, token?.value);
  return { profile: name, businessName: isTokenOfProfile ? profile.business_name : undefined };
}

/**
 * Returns whether a profile may belong to the same account. One URL can serve many businesses: another token
 * belongs to another business, unless both profiles have the same business.
 */
function mayBeSameAccount(
  protectedProfile: Profile,
  { token, profileInUse, config }: ProtectionInput,
): boolean {
  if (token === undefined || isSameSecret(protectedProfile.token, token.value)) return true;
  const tokenProfile =
    token.from === 'profile'
      ? profileInUse?.profile
      : Object.values(config.profiles).find((profile) => isSameSecret(profile.token, token.value));
  if (tokenProfile === undefined) return true;
  return isSameBusiness(protectedProfile, tokenProfile);
}

function isSameBusiness(a: Profile, b: Profile): boolean {
  const byId = a.business_id !== undefined && b.business_id !== undefined;
  if (byId) return a.business_id === b.business_id;
  return a.business_name !== undefined && a.business_name === b.business_name;
}

function isSameSecret(a: Secret | undefined, b: Secret | undefined): boolean {
  return a !== undefined && a.reveal() === b?.reveal();
}

function isSameEndpoint(profile: Profile, { baseUrl, sandbox, apiPrefix }: ProtectionInput): boolean {
  if (sandbox !== undefined || baseUrl === undefined)
    return sandbox !== undefined && profile.sandbox === sandbox;
  if (profile.base_url === undefined) return false;
  return normalizeUrl(profile.base_url, profile.api_prefix ?? '') === normalizeUrl(baseUrl, apiPrefix);
}

/**
 * Returns a URL in a form that can be compared. `parseBaseUrl` has normalized host, port and trailing slashes.
 */
function normalizeUrl(baseUrl: string, apiPrefix: string): string {
  const { hostname, port, pathname } = new URL(baseUrl + apiPrefix);
  const host = isLoopback(hostname) ? 'this machine' : hostname.replace(/\.$/, '');
  const path = pathname.split('/').filter(Boolean).map(decode).join('/');
  return `${host}:${port}/${path}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
