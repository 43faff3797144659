/** `boh auth status`: shows account, service and scopes of the token. Only `--check` sends a request. */
import { Option } from 'commander';
import { parseClaims } from '../../auth/jwt.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { createAction } from '../../output/present.ts';
import type { Result } from '../../output/result.ts';
import type { Account } from '../../session/account.ts';
import { TokenScopes } from '../../session/permissions.ts';
import { putProfile } from '../../settings/config.ts';
import { refusalOf } from '../../settings/refused-tokens.ts';
import { requireToken, type Settings } from '../../settings/settings.ts';
import { warn } from '../../terminal/messages.ts';
import { Command } from '../command.ts';
import { changeStoredSettings } from '../config.ts';
import { prepare } from '../prepare.ts';
import { accountFields } from './store-token.ts';

/** Returns the command `boh auth status`. */
export function statusCommand(context: Context): Command {
  return prepare(new Command('status'))
    .description(
      'Show the account, service and scopes of the token, as stored on this machine. Exits with 3 if there is no token.',
    )
    .addOption(new Option('--check', 'also check the token with the service; exits with 3 if it is refused'))
    .examples('boh auth status', 'boh auth status --check')
    .action(
      createAction(context, (options: { check?: boolean }) => showStatus(options.check === true, context)),
    );
}

async function showStatus(isChecked: boolean, context: Context): Promise<Result> {
  const settings = await context.settings();
  const token = requireToken(settings);
  const claims = parseClaims(token.reveal());
  const account = isChecked ? await checkToken(settings, context) : undefined;
  const storedScopes = new TokenScopes(settings, context.env).current();
  const statusData = {
    profile: settings.profile ?? null,
    base_url: settings.baseUrl ?? null,
    sandbox: settings.sandbox ?? null,
    token_from: settings.source.token ?? null,
    business: account?.businessName ?? settings.businessName ?? claims?.business ?? null,
    user: account?.userName ?? settings.userName ?? null,
    scopes: account?.scopes ?? storedScopes?.scopes ?? null,
    scopes_from: account?.scopes ? 'service' : (storedScopes?.source ?? null),
    expires_at: claims?.expiresAt?.toISOString() ?? null,
    checked: isChecked,
  };
  if (claims?.expiresAt && claims.expiresAt < context.now()) {
    const message = boh.hint`The token has expired. To sign in again: ${boh.profile('auth login')}`;
    warn(context.streams, message);
  }
  return { kind: 'data', data: statusData };
}

/** Requests the account of the token, and updates the profile. Throws `not_signed_in` if the token is rejected. */
async function checkToken(settings: Settings, context: Context): Promise<Account> {
  refusalOf(settings, context.env).forget();
  const account = await (await context.session()).whoami();
  const { profile, source } = settings;
  if (profile !== undefined && source.token === 'profile') {
    await changeStoredSettings(context, (config) =>
      putProfile(config, profile, (currentProfile) => ({ ...currentProfile, ...accountFields(account) })),
    );
  }
  return account;
}
