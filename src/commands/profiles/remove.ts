/** `boh profiles remove`: asked about first where a token goes with it. */
import { Command } from 'commander';
import { Failure, usage } from '../../errors.ts';
import { existing, removeProfile } from '../../settings/profiles.ts';
import { note } from '../../terminal/messages.ts';
import { changeKept, loadKept } from '../config/kept-settings.ts';
import type { Context } from '../context.ts';
import { prepare } from '../prepare.ts';

export function removeCommand(context: Context): Command {
  return prepare(new Command('remove'))
    .description('Remove a profile with its settings and its token. The service still accepts the token.')
    .argument('<profile>')
    .action((name: string) => remove(name, context));
}

async function remove(name: string, context: Context): Promise<void> {
  const { config } = await loadKept(context);
  const { token, business_name: business } = existing(config, name);
  if (token !== undefined && !context.globals.yes) await confirmRemoval(name, business, context);
  const after = await changeKept(context, (before) => removeProfile(before, name));
  note(context.streams, `Profile ${name} is removed.`);
  if (config.active === name && Object.keys(after.profiles).length > 0) {
    note(context.streams, 'No profile is the active one now. Choose one: boh profiles use NAME');
  }
}

async function confirmRemoval(
  name: string,
  business: string | undefined,
  { streams }: Context,
): Promise<void> {
  const what = `profile ${name}, signed in${business === undefined ? '' : ` to ${business}`}`;
  if (!streams.interactive) {
    throw usage(`To remove ${what}, add --yes.`, { hint: 'There is no terminal to ask on.' });
  }
  const { confirm } = await import('../../terminal/prompts.ts');
  if (await confirm(streams, { message: `Remove ${what}?` })) return;
  throw new Failure('interrupted', 'Nothing was removed.');
}
