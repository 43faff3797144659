/** Whom a token belongs to and what it allows, for people and for the profile. */
import type { Account } from '../../session/account.ts';
import type { Profile } from '../../settings/config.ts';

/** "You are Sara Al-Amin, for Fresh Farms, with 2 scopes: general.read, users.read." */
export function introduction({ userName, businessName, scopes }: Account): string {
  const who = userName ?? 'someone whom the service does not name';
  const whose = businessName === undefined ? '' : `, for ${businessName}`;
  const number = scopes?.length === 1 ? 'one scope' : `${scopes?.length} scopes`;
  return `You are ${who}${whose}${scopes ? `, with ${number}: ${scopes.join(', ')}` : ''}.`;
}

/** As a profile keeps it. */
export function whoFields(
  who: Account = {},
): Pick<Profile, 'user_name' | 'business_id' | 'business_name' | 'token_scopes'> {
  return {
    ...(who.userName !== undefined && { user_name: who.userName }),
    ...(who.businessId !== undefined && { business_id: who.businessId }),
    ...(who.businessName !== undefined && { business_name: who.businessName }),
    ...(who.scopes !== undefined && { token_scopes: [...who.scopes] }),
  };
}
