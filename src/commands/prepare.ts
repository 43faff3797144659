/** What every command of ours has in common: how it fails, where its help goes, the global flags. */
import { type Command, CommanderError, Option } from 'commander';
import { version } from '../version.ts';
import { globalOptions } from './globals.ts';
import { optionTerm } from './input/boolean-flags.ts';

/** commander's way of saying that the version was asked for. */
export const versionAsked = 'boh.version';

/** A command as all of ours are: it throws instead of exiting, writes through our streams, knows the global flags. */
export function prepare(command: Command): Command {
  for (const option of globalOptions()) command.addOption(option);
  command.addOption(new Option('--version').hideHelp()).on('option:version', () => {
    throw new CommanderError(0, versionAsked, version);
  });
  return command
    .exitOverride()
    .helpOption('-h, --help', 'show this help')
    .helpCommand(false)
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
    .configureHelp({ optionTerm, subcommandTerm: (subcommand) => subcommand.name() });
}
