/** What help says of a command, as data: for programs that ask for help in a format of theirs. */
import type { Command } from 'commander';

export interface HelpFacts {
  name: string;
  about: string;
  usage: string;
  arguments: { name: string; about: string; required: boolean }[];
  flags: { flags: string; about: string }[];
  commands: { name: string; about: string }[];
}

export function helpFacts(command: Command): HelpFacts {
  const help = command.createHelp();
  return {
    name: command.name(),
    about: command.description(),
    usage: help.commandUsage(command),
    arguments: help.visibleArguments(command).map((argument) => ({
      name: argument.name(),
      about: argument.description,
      required: argument.required,
    })),
    flags: help.visibleOptions(command).map((option) => ({ flags: option.flags, about: option.description })),
    commands: help
      .visibleCommands(command)
      .map((below) => ({ name: below.name(), about: help.subcommandDescription(below) })),
  };
}
