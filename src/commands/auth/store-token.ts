/** Finishes every sign-in: checks the token, stores it in a profile, and shows its account. */

import { Failure, usage } from '../../base/errors.ts';
import { boh, joinHints } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import type { Api } from '../../contract/api.ts';
import { operation } from '../../contract/operation.ts';
import { askToContinue } from '../../prompts/confirm.ts';
import type { Account } from '../../session/account.ts';
import { openSignInAnswers } from '../../settings/caches.ts';
import { findProfile, type Profile, putProfile, signOut } from '../../settings/config.ts';
import { refusalOf } from '../../settings/refused-tokens.ts';
import type { Secret } from '../../settings/secret.ts';
import { endpointName } from '../../settings/settings.ts';
import { note, warn } from '../../terminal/messages.ts';
import { changeStoredSettings } from '../config.ts';
import type { SignInTarget } from './target.ts';

/**
 * Stores the settings of a sign-in before its token. It doesn't change a profile that already has a token: the new token
 * may turn out to be for another business.
 */
export async function storeSettings(
  { profile, valuesToStore, newSecret }: SignInTarget,
  context: Context,
): Promise<void> {
  await changeStoredSettings(context, (config) =>
    findProfile(config, profile)?.token !== undefined
      ? config
      : putProfile(config, profile, (currentProfile) => ({
          ...currentProfile,
          ...valuesToStore,
          ...(newSecret && { client_secret: newSecret }),
        })),
  );
}

/** Checks and stores a token. Throws without storing it if the service refuses it; `--unchecked` skips the check. */
export async function storeToken(givenTarget: SignInTarget, token: Secret, context: Context): Promise<void> {
  const { target, account } = context.globals.unchecked
    ? { target: givenTarget, account: undefined }
    : await findAccount(givenTarget, token, context);
  const { profile, valuesToStore, newSecret } = target;
  await confirmBusiness(target, account, context);
  const { active } = await changeStoredSettings(context, (config) => {
    const changedConfig = putProfile(config, profile, (currentProfile) => ({
      ...currentProfile,
      ...valuesToStore,
      ...(newSecret && { client_secret: newSecret }),
    }));
    // Signing out removes what the profile stores about the old token.
    return putProfile(signOut(changedConfig, profile), profile, (currentProfile) => ({
      ...currentProfile,
      token,
      ...accountFields(account),
    }));
  });
  openSignInAnswers(context.env, profile).forget();
  notifyStored(profile, account, active === profile, context);
  if (context.env.BOH_TOKEN && target.settings.sandbox === undefined) {
    warn(
      context.streams,
      `BOH_TOKEN is set and overrides the new token. Unset it, or add --profile ${profile}.`,
    );
  }
}

/** The prefixes that services use: `whoami` is looked for under them if it isn't under the base URL. */
const commonPrefixes = ['/v5', '/api'];

/** Returns the account of a token, and the target with the prefix under which it was found. The base URL never changes. */
async function findAccount(
  target: SignInTarget,
  token: Secret,
  context: Context,
): Promise<{ target: SignInTarget; account: Account }> {
  const { sandbox, source } = target.settings;
  const isPrefixOpen = sandbox === undefined && (source.api_prefix ?? 'default') === 'default';
  let firstFailure: Failure | undefined;
  for (const apiPrefix of [undefined, ...(isPrefixOpen ? commonPrefixes : [])]) {
    const candidate =
      apiPrefix === undefined ? target : { ...target.withFlags({ apiPrefix }), newSecret: target.newSecret };
    try {
      const account = await checkToken(candidate, token, context);
      if (apiPrefix !== undefined)
        note(context.streams, `The API is under ${apiPrefix} (api_prefix), as \`whoami\` shows.`);
      return { target: candidate, account };
    } catch (error) {
      if (!(error instanceof Failure) || error.category !== 'not_found') throw error;
      firstFailure ??= error;
    }
  }
  throw firstFailure;
}

/** Returns the account of a token; empty if the token isn't allowed to read it. The token may still allow other commands. */
async function checkToken({ settings }: SignInTarget, token: Secret, context: Context): Promise<Account> {
  const settingsWithToken = { ...settings, token, tokenScopes: undefined };
  refusalOf(settingsWithToken, context.env).forget();
  const session = await context.sessionFor(settingsWithToken);
  try {
    return await session.whoami();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.category === 'not_allowed') return {};
    const { category, details, message } = error;
    const hint =
      category === 'not_signed_in'
        ? `The token may be incomplete, or not for ${endpointName(settings)}.`
        : joinHints('\n', details.hint, 'To store the token without checking it, add --unchecked.');
    throw new Failure(category, `${message} The token was not stored.`, { ...details, hint });
  }
}

/** Asks for confirmation before the token of another business replaces the token of a profile. */
async function confirmBusiness(
  { profile, storedProfile }: SignInTarget,
  { businessId, businessName }: Account = {},
  { globals, streams }: Context,
): Promise<void> {
  const isOtherBusiness =
    storedProfile.business_id !== undefined && businessId !== undefined
      ? storedProfile.business_id !== businessId
      : storedProfile.business_name !== undefined &&
        businessName !== undefined &&
        storedProfile.business_name !== businessName;
  if (!isOtherBusiness || globals.yes) return;
  const currentBusiness = storedProfile.business_name ?? storedProfile.business_id;
  const newBusiness = businessName ?? businessId;
  const conflict = `Profile ${profile} is for ${currentBusiness}, and this token is for ${newBusiness}.`;
  if (!streams.interactive) {
    throw usage(`${conflict} The token was not stored.`, {
      hint: 'Use another profile with --profile NAME, or add --yes to change this one.',
    });
  }
  const unchangedNote = 'The token was not stored, and the profile was not changed.';
  await askToContinue(`${conflict} Change the profile to ${newBusiness}?`, { streams }, unchangedNote);
}

function notifyStored(
  profile: string,
  account: Account | undefined,
  isActive: boolean,
  { api, streams }: Context,
): void {
  const message = account
    ? signedInMessage(account)
    : boh.hint`The token was not checked. To check it: ${boh.profile('auth status', '--check')}`;
  note(streams, message);
  const useHint = boh.hint` To use it, add --profile ${profile}, or run: ${boh.plain('profiles use', profile)}`;
  note(streams, [`The token is stored in profile ${profile}.`, isActive ? '' : useHint]);
  const start = boh.forProfile(isActive ? undefined : profile, firstCommand(api, account?.scopes));
  note(streams, ['To start: ', start]);
}

/** Returns the first list that a token with these scopes may read. */
function firstCommand({ collections }: Api, scopes: readonly string[] = ['*']): string {
  const lists = collections.flatMap((resource) => operation(resource, 'list') ?? []);
  const allowed = lists.find(
    (list) => scopes.includes('*') || list.scopes.some((scope) => scopes.includes(scope)),
  );
  return allowed ? `${allowed.resource.command} list` : 'auth scopes';
}

/** Returns a message such as "Signed in as Sara Al-Amin of Fresh Farms, with 2 scopes: general.read, users.read." */
function signedInMessage({ userName, businessName, scopes }: Account): string {
  const user = userName === undefined ? '' : ` as ${userName}`;
  const business = businessName === undefined ? '' : ` of ${businessName}`;
  const count = scopes?.length === 1 ? '1 scope' : `${scopes?.length} scopes`;
  return `Signed in${user}${business}${scopes ? `, with ${count}: ${scopes.join(', ')}` : ''}.`;
}

/** Returns the fields of a profile that describe the account of its token. */
export function accountFields(
  account: Account = {},
): Pick<Profile, 'user_name' | 'business_id' | 'business_name' | 'token_scopes'> {
  return {
    ...(account.userName !== undefined && { user_name: account.userName }),
    ...(account.businessId !== undefined && { business_id: account.businessId }),
    ...(account.businessName !== undefined && { business_name: account.businessName }),
    ...(account.scopes !== undefined && { token_scopes: [...account.scopes] }),
  };
}
