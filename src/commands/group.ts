/** A command with further words behind it, such as `boh auth login`: only the one that the line names is loaded. */
import { Command } from 'commander';
import type { Context } from '../interaction/context.ts';
import { readLine } from './line/read-line.ts';
import { prepare } from './prepare.ts';

/** Its name, what help says of it, and what makes it. */
export type Subcommand = readonly [string, string, () => Promise<(context: Context) => Command>];

export interface Group {
  name: string;
  about: string;
  subcommands: readonly Subcommand[];
}

/** `words` are those that follow the name of the group on the line. */
export async function groupCommand(
  { name, about, subcommands }: Group,
  context: Context,
  words: readonly string[],
): Promise<Command> {
  const group = prepare(new Command(name)).description(about).usage('<command> [flags]');
  const [named] = readLine(words).names;
  for (const [word, summary, load] of subcommands) {
    const command = word === named?.word ? (await load())(context) : prepare(new Command(word));
    group.addCommand(command.summary(summary));
  }
  return group;
}
