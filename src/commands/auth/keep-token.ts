/** The end of every sign-in: checks the token, stores it in a profile, and shows whose it is. */

import { Failure, usage } from '../../base/errors.ts';
import { boh, joinHints } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { askToContinue } from '../../prompts/confirming/confirm-action.ts';
import type { Account } from '../../session/account.ts';
import { openSignInAnswers } from '../../settings/caches.ts';
import { type Profile, profileNamed, putProfile, signOut } from '../../settings/config.ts';
import { refusalOf } from '../../settings/refused-tokens.ts';
import type { Secret } from '../../settings/secret.ts';
import { endpointName } from '../../settings/settings.ts';
import { note, warn } from '../../terminal/messages.ts';
import { changeKept } from '../config/kept-settings.ts';
import type { SignInTarget } from './target.ts';

/**
 * Stores the settings of a sign-in before its token. Doesn't change a profile that already has a token: the new token
 * may turn out to be for another business.
 */
export async function keepSettings(
  { profile, values, newSecret }: SignInTarget,
  context: Context,
): Promise<void> {
  await changeKept(context, (config) =>
    profileNamed(config, profile)?.token !== undefined
      ? config
      : putProfile(config, profile, (own) => ({
          ...own,
          ...values,
          ...(newSecret && { client_secret: newSecret }),
        })),
  );
}

/** Checks and stores a token. Throws without storing it if the service refuses it; `--unchecked` skips the check. */
export async function keepToken(target: SignInTarget, token: Secret, context: Context): Promise<void> {
  const { profile, values, newSecret } = target;
  const who = context.globals.unchecked ? undefined : await tryToken(target, token, context);
  await confirmBusiness(target, who, context);
  const { active } = await changeKept(context, (before) => {
    const changed = putProfile(before, profile, (own) => ({
      ...own,
      ...values,
      ...(newSecret && { client_secret: newSecret }),
    }));
    // Signing out removes what the profile stores about the old token.
    return putProfile(signOut(changed, profile), profile, (own) => ({ ...own, token, ...whoFields(who) }));
  });
  openSignInAnswers(context.env, profile).forget();
  notifyStored(profile, who, active === profile, context);
  if (context.env.BOH_TOKEN && target.settings.sandbox === undefined) {
    warn(
      context.streams,
      `BOH_TOKEN is set and overrides the new token. Unset it, or add --profile ${profile}.`,
    );
  }
}

/** Returns whose token it is: empty if the token may not ask, because it can still allow other commands. */
async function tryToken({ settings }: SignInTarget, token: Secret, context: Context): Promise<Account> {
  const tried = { ...settings, token, tokenScopes: undefined };
  refusalOf(tried, context.env).forget();
  const session = await context.sessionFor(tried);
  try {
    return await session.whoami();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.category === 'not_allowed') return {};
    const { category, details, message } = error;
    const hint =
      category === 'not_signed_in'
        ? `The token may be incomplete, or not for ${endpointName(settings)}.`
        : joinHints(' ', details.hint, 'To store the token without checking it, add --unchecked.');
    throw new Failure(category, `${message} The token was not stored.`, { ...details, hint });
  }
}

/** Asks before a profile changes to another business: its name would stand for that business from now on. */
async function confirmBusiness(
  { profile, kept }: SignInTarget,
  { businessId, businessName }: Account = {},
  { globals, streams }: Context,
): Promise<void> {
  const isAnother =
    kept.business_id !== undefined && businessId !== undefined
      ? kept.business_id !== businessId
      : kept.business_name !== undefined && businessName !== undefined && kept.business_name !== businessName;
  if (!isAnother || globals.yes) return;
  const before = kept.business_name ?? kept.business_id;
  const after = businessName ?? businessId;
  const what = `Profile ${profile} is for ${before}, and this token is for ${after}.`;
  if (!streams.interactive) {
    throw usage(`${what} The token was not stored.`, {
      hint: 'Use another profile with --profile NAME, or add --yes to change this one.',
    });
  }
  const left = 'The token was not stored, and the profile was not changed.';
  await askToContinue(`${what} Change the profile to ${after}?`, { streams }, left);
}

function notifyStored(
  profile: string,
  who: Account | undefined,
  isActive: boolean,
  { streams }: Context,
): void {
  const text = who
    ? introduction(who)
    : boh.hint`The token was not checked. To check it: ${boh.profile('auth status', '--check')}`;
  note(streams, text);
  const use = boh.hint` To use it, add --profile ${profile}, or run: ${boh.plain('profiles use', profile)}`;
  note(streams, [`The token is stored in profile ${profile}.`, isActive ? '' : use]);
}

/** Returns a sentence such as "Signed in as Sara Al-Amin of Fresh Farms, with 2 scopes: general.read, users.read." */
function introduction({ userName, businessName, scopes }: Account): string {
  const who = userName === undefined ? '' : ` as ${userName}`;
  const business = businessName === undefined ? '' : ` of ${businessName}`;
  const count = scopes?.length === 1 ? '1 scope' : `${scopes?.length} scopes`;
  return `Signed in${who}${business}${scopes ? `, with ${count}: ${scopes.join(', ')}` : ''}.`;
}

/** Returns what a profile stores about the owner of its token. */
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
