/** A command with further words behind it, such as `boh auth login`: only the one that the line names is loaded. */
import { Command } from 'commander';
import type { Context } from './context.ts';
import { readLine } from './line/read-line.ts';
import { prepare } from './prepare.ts';

export interface Subcommand {
  name: string;
  summary: string;
  load(context: Context): Promise<Command>;
}

/** `words` are those that follow the name of the group on the line. */
export async function groupCommand(
  group: Command,
  subcommands: readonly Subcommand[],
  context: Context,
  words: readonly string[],
): Promise<Command> {
  const [named] = readLine(words).names;
  for (const { name, summary, load } of subcommands) {
    const command = name === named?.word ? await load(context) : prepare(new Command(name));
    group.addCommand(command.summary(summary));
  }
  return prepare(group).usage('<command> [flags]');
}
