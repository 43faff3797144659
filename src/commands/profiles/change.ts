/** `boh profiles use`, `rename` and `remove`. A profile goes with its token, so that is asked about first. */
import { Command } from 'commander';
import { Failure, usage } from '../../errors.ts';
import type { Context } from '../../interaction/context.ts';
import { presented } from '../../interaction/output/present.ts';
import { type Result, told } from '../../interaction/output/result.ts';
import type { Config } from '../../settings/config.ts';
import { variable } from '../../settings/layers.ts';
import { existing, removeProfile, renameProfile, useProfile } from '../../settings/profiles.ts';
import { warn } from '../../terminal/messages.ts';
import { changeKept, loadKept } from '../config/kept-settings.ts';
import { prepare } from '../prepare.ts';

export function useCommand(context: Context): Command {
  return prepare(new Command('use'))
    .description('Make a profile the active one: that of all commands that name none.')
    .argument('[profile]', 'asked for on a terminal unless given')
    .action(presented(context, (name: string | undefined) => use(name, context)));
}

export function renameCommand(context: Context): Command {
  return prepare(new Command('rename'))
    .description('Rename a profile. It keeps its token, and stays the active one where it was.')
    .argument('<profile>')
    .argument('<new-name>')
    .action(
      presented(context, async (from: string, to: string) => {
        await changeKept(context, (config) => renameProfile(config, from, to));
        return told(`Profile ${from} is now called ${to}.`);
      }),
    );
}

export function removeCommand(context: Context): Command {
  return prepare(new Command('remove'))
    .description('Remove a profile with its settings and its token. The service still accepts the token.')
    .argument('<profile>')
    .action(presented(context, (name: string) => remove(name, context)));
}

async function use(named: string | undefined, context: Context): Promise<Result> {
  const { config } = await loadKept(context);
  const name = named ?? (await chooseProfile(config, context));
  await changeKept(context, (before) => useProfile(before, name));
  const other = variable(context.env, 'BOH_PROFILE');
  if (other !== undefined && other !== name) {
    warn(context.streams, `BOH_PROFILE is set to ${other}, and goes before the active profile.`);
  }
  return told(`Profile ${name} is now the active one.`);
}

async function chooseProfile({ profiles, active }: Config, { streams }: Context): Promise<string> {
  const names = Object.keys(profiles);
  if (names.length === 0) throw usage('There is no profile yet.', { hint: 'Make one: boh auth login' });
  if (!streams.interactive) throw usage('Name the profile: boh profiles use NAME.');
  const { choose } = await import('../../terminal/prompts.ts');
  const choices = names.map((value) => ({ value, label: value }));
  return choose(streams, {
    message: 'Which profile?',
    choices,
    ...(active !== undefined && { initial: active }),
  });
}

async function remove(name: string, context: Context): Promise<Result> {
  const { config } = await loadKept(context);
  const { token, business_name: business } = existing(config, name);
  if (token !== undefined && !context.globals.yes) await confirmRemoval(name, business, context);
  const after = await changeKept(context, (before) => removeProfile(before, name));
  const isLeft = config.active === name && Object.keys(after.profiles).length > 0;
  const next = isLeft ? ['No profile is the active one now. Choose one: boh profiles use NAME'] : [];
  return told(`Profile ${name} is removed.`, ...next);
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
