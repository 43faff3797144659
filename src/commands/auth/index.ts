/** `boh auth …`: signing in, and what is known of the token. */
import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import type { Context } from '../../context/context.ts';
import { presented } from '../../output/present.ts';
import { type Result, told } from '../../output/result.ts';
import { existing, signOut } from '../../settings/config.ts';
import { requireToken } from '../../settings/settings.ts';
import { warn } from '../../terminal/messages.ts';
import { Command } from '../command.ts';
import { changeKept, loadKept, profileMeant } from '../config/kept-settings.ts';
import { groupCommand, prepare } from '../prepare.ts';
import { loginCommand } from './login.ts';
import { canCommand, scopesCommand } from './scopes.ts';
import { statusCommand } from './status.ts';

const about = 'Sign in, and see who you are and what you may do.';

/** Builds the command with those below it. */
export function authCommand(context: Context): Command {
  return groupCommand('auth', about, [
    loginCommand(context).summary('Sign in through the browser, or store a token'),
    statusCommand(context).summary('Show who is signed in, where, and with which scopes'),
    logoutCommand(context).summary('Forget the token of a profile'),
    tokenCommand(context).summary('Print the token, for curl and other programs'),
    scopesCommand(context).summary('Show which commands the token allows'),
    canCommand(context).summary('Say whether the token allows a command'),
  ]);
}

function tokenCommand(context: Context): Command {
  return prepare(new Command('token'))
    .description('Print the token, for curl and other programs. Whoever has it can act in your name.')
    .examples('curl -H "Authorization: Bearer $(boh auth token)" https://api.example.com/whoami')
    .action(
      presented(context, async () => ({
        kind: 'text',
        text: `${requireToken(await context.settings()).reveal()}\n`,
        isSecret: true,
      })),
    );
}

function logoutCommand(context: Context): Command {
  return prepare(new Command('logout'))
    .description('Forget the token of the profile in use, or of --profile NAME. Its settings stay.')
    .action(presented(context, () => logout(context)));
}

async function logout(context: Context): Promise<Result> {
  const { streams, env } = context;
  const { config } = await loadKept(context);
  const profile = profileMeant(config, context);
  if (profile === undefined) {
    throw usage('No profile is in use, so there is no token to forget.', {
      hint: boh.hint`Give its name: ${boh.plain('auth logout', '--profile', 'NAME')}. To see them all: ${boh.plain('profiles list')}`,
    });
  }
  const { token, sandbox } = existing(config, profile);
  await changeKept(context, (before) => signOut(before, profile));
  if (env.BOH_TOKEN && sandbox === undefined)
    warn(streams, 'BOH_TOKEN is still set: it is a token of its own, for the address of the environment.');
  return told(
    token !== undefined
      ? `Profile ${profile} has forgotten its token. The service still accepts it until someone revokes it there.`
      : `Profile ${profile} was not signed in.`,
  );
}
