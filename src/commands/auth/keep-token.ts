/** The end of every sign-in: the token is tried, kept in its profile, and the person told who they are. */

import { Failure, usage } from '../../base/errors.ts';
import { boh, joinHints } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { confirm } from '../../prompts/terminal/prompts.ts';
import type { Account } from '../../session/account.ts';
import { openSignInAnswers } from '../../settings/caches.ts';
import { type Profile, profileNamed, putProfile, signOut } from '../../settings/config.ts';
import { refusalOf } from '../../settings/refused-tokens.ts';
import type { Secret } from '../../settings/secret.ts';
import { endpointName } from '../../settings/settings.ts';
import { note, warn } from '../../terminal/messages.ts';
import { changeKept } from '../config/kept-settings.ts';
import type { SignInTarget } from './target.ts';

/** All but the token; of a profile that has one nothing is touched before it is known to stay what it is. */
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

/** Throws, with no token kept, where the service doesn't accept it. `--unchecked` keeps it without asking. */
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
    // Whatever is known of the old token goes with it.
    return putProfile(signOut(changed, profile), profile, (own) => ({ ...own, token, ...whoFields(who) }));
  });
  openSignInAnswers(context.env, profile).forget();
  tellKept(profile, who, active === profile, context);
  if (context.env.BOH_TOKEN && target.settings.sandbox === undefined) {
    warn(
      context.streams,
      `BOH_TOKEN is set: unset it, or add --profile ${profile}, to go by the token that was just kept.`,
    );
  }
}

/** A token that may not ask who it belongs to can be good for other things. */
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
        ? `It may be cut off, or for another address than ${endpointName(settings)}.`
        : joinHints(' ', details.hint, 'To keep a token without trying it, add --unchecked.');
    throw new Failure(category, `${message} The token was not kept.`, { ...details, hint });
  }
}

/**
 * A profile is one business: whoever has approved in the name of another one, or was led to, would write there from
 * now on under this name.
 */
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
    throw usage(`${what} The token was not kept.`, {
      hint: 'Give it a profile of its own with --profile NAME, or add --yes to change this one.',
    });
  }
  if (await confirm(streams, { message: `${what} Change the profile to ${after}?` })) return;
  throw new Failure('interrupted', 'The token was not kept; the profile is as it was.');
}

function tellKept(profile: string, who: Account | undefined, isActive: boolean, { streams }: Context): void {
  const text = who
    ? introduction(who)
    : boh.hint`The token was not tried. To try it: ${boh.profile('auth status', '--check')}`;
  note(streams, text);
  const use = boh.hint` To use it, add --profile ${profile}, or run: ${boh.plain('profiles use', profile)}`;
  note(streams, [`The token is kept in profile ${profile}.`, isActive ? '' : use]);
}

/** "You are Sara Al-Amin, for Fresh Farms, with 2 scopes: general.read, users.read." */
function introduction({ userName, businessName, scopes }: Account): string {
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
