/** What every command of ours has in common: how it fails, and how its help looks. */
import type { Command } from 'commander';
import { helpOption } from './globals.ts';
import { optionTerm } from './line/boolean-option.ts';

/** In columns: beside long flags there is no more in a narrow window, and left alone its edge would cut words. */
const minWidthToWrap = 16;

/** A command as all of ours are: it throws instead of exiting, and writes nothing past our streams. */
export function prepare(command: Command): Command {
  return command
    .exitOverride()
    .helpOption(helpOption.flags, helpOption.description)
    .helpCommand(false)
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
    .configureHelp({ optionTerm, subcommandTerm: (subcommand) => subcommand.name(), minWidthToWrap });
}
