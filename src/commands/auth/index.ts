/** `boh auth …`: signs in and out, and shows the account and the permissions of the token. */
import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { createAction } from '../../output/present.ts';
import { messageResult, type Result } from '../../output/result.ts';
import { requireProfile, signOut } from '../../settings/config.ts';
import { requireToken } from '../../settings/settings.ts';
import { warn } from '../../terminal/messages.ts';
import { Command } from '../command.ts';
import { changeStoredSettings, loadStoredSettings, profileToChange } from '../config.ts';
import { groupCommand, prepare } from '../prepare.ts';
import { loginCommand } from './login.ts';
import { canCommand, scopesCommand } from './scopes.ts';
import { statusCommand } from './status.ts';

const about = 'Sign in and out, and show your account and permissions.';

/** Returns the command `boh auth` with its subcommands. */
export function authCommand(context: Context): Command {
  return groupCommand('auth', about, [
    loginCommand(context).summary('Sign in through the browser, or store a token'),
    statusCommand(context).summary('Show the account, service and scopes of the token'),
    logoutCommand(context).summary('Remove the token of a profile'),
    tokenCommand(context).summary('Print the token, for curl and other programs'),
    scopesCommand(context).summary('Show which commands the token allows'),
    canCommand(context).summary('Check whether the token allows a command'),
  ]);
}

function tokenCommand(context: Context): Command {
  return prepare(new Command('token'))
    .description(
      'Print the token, for curl and other programs. Keep it secret: it gives access to your account.',
    )
    .examples('curl -H "Authorization: Bearer $(boh auth token)" https://api.example.com/whoami')
    .action(
      createAction(context, async () => ({
        kind: 'text',
        text: `${requireToken(await context.settings()).reveal()}\n`,
        isSecret: true,
      })),
    );
}

function logoutCommand(context: Context): Command {
  return prepare(new Command('logout'))
    .description(
      'Remove the token of the profile in use, or of --profile NAME. The profile keeps its settings.',
    )
    .examples('boh auth logout', 'boh auth logout --profile shop')
    .action(createAction(context, () => logout(context)));
}

async function logout(context: Context): Promise<Result> {
  const { streams, env } = context;
  const { config } = await loadStoredSettings(context);
  const profile = profileToChange(config, context);
  if (profile === undefined) {
    throw usage('No profile is in use.', {
      hint: boh.hint`Specify a profile: ${boh.plain('auth logout', '--profile', 'NAME')}. To list all: ${boh.plain('profiles list')}`,
    });
  }
  const { token, sandbox } = requireProfile(config, profile);
  await changeStoredSettings(context, (before) => signOut(before, profile));
  if (env.BOH_TOKEN && sandbox === undefined)
    warn(streams, 'BOH_TOKEN is still set, and is still used. Unset it to sign out completely.');
  return messageResult(
    token !== undefined
      ? `The token of profile ${profile} was removed. The service still accepts it until it is revoked there.`
      : `Profile ${profile} was not signed in.`,
  );
}
