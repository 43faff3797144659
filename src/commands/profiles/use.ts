/** `boh profiles use`: the profile for all commands that name none. */
import { Command } from 'commander';
import { usage } from '../../errors.ts';
import type { Config } from '../../settings/config.ts';
import { variable } from '../../settings/layers.ts';
import { useProfile } from '../../settings/profiles.ts';
import { note, warn } from '../../terminal/messages.ts';
import { changeKept, loadKept } from '../config/kept-settings.ts';
import type { Context } from '../context.ts';
import { prepare } from '../prepare.ts';

export function useCommand(context: Context): Command {
  return prepare(new Command('use'))
    .description('Make a profile the active one: that of all commands that name none.')
    .argument('[profile]', 'asked for on a terminal unless given')
    .action((name: string | undefined) => use(name, context));
}

async function use(named: string | undefined, context: Context): Promise<void> {
  const { config } = await loadKept(context);
  const name = named ?? (await chooseProfile(config, context));
  await changeKept(context, (before) => useProfile(before, name));
  note(context.streams, `Profile ${name} is now the active one.`);
  const other = variable(context.env, 'BOH_PROFILE');
  if (other !== undefined && other !== name) {
    warn(context.streams, `BOH_PROFILE is set to ${other}, and goes before the active profile.`);
  }
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
