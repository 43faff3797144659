/** `boh profiles rename`. */
import { Command } from 'commander';
import { renameProfile } from '../../settings/profiles.ts';
import { note } from '../../terminal/messages.ts';
import { changeKept } from '../config/kept-settings.ts';
import type { Context } from '../context.ts';
import { prepare } from '../prepare.ts';

export function renameCommand(context: Context): Command {
  return prepare(new Command('rename'))
    .description('Rename a profile. It keeps its token, and stays the active one where it was.')
    .argument('<profile>')
    .argument('<new-name>')
    .action(async (from: string, to: string) => {
      await changeKept(context, (config) => renameProfile(config, from, to));
      note(context.streams, `Profile ${from} is now called ${to}.`);
    });
}
