/** `boh auth logout`: the profile forgets its token; its settings stay for the next sign-in. */
import { Command } from 'commander';
import { usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { presented } from '../../interaction/output/present.ts';
import { type Result, told } from '../../interaction/output/result.ts';
import { existing, signOut } from '../../settings/profiles.ts';
import { warn } from '../../terminal/messages.ts';
import { changeKept, loadKept, profileMeant } from '../config/kept-settings.ts';
import { prepare } from '../prepare.ts';

export function logoutCommand(context: Context): Command {
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
      hint: 'Name it: boh auth logout --profile NAME. See them all: boh profiles list',
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
