/** Lists the commands of boh that aren't generated from the contract, with values for their arguments. */

import { api } from '../../src/api/resources/index.ts';
import type { Command } from '../../src/cli/commands/command.ts';
import { handWritten } from '../../src/cli/commands/index.ts';
import type { Context } from '../../src/cli/context/context.ts';

/** Returns the commands with an action. `newFolder` returns a new folder for an argument that names one. */
export async function everyHandWrittenCommand(
  newFolder: () => string,
): Promise<{ command: Command; words: string[] }[]> {
  const found: { command: Command; words: string[] }[] = [];
  const collect = (command: Command, path: readonly string[]) => {
    for (const subcommand of command.commands) collect(subcommand, [...path, subcommand.name()]);
    const operands = command.registeredArguments.map((argument) => {
      if (argument.name() === 'folder') return newFolder();
      return argument.required || argument.variadic ? 'customers' : '1';
    });
    if (command.commands.length === 0 || operands.length > 0)
      found.push({ command, words: [...path, ...operands] });
  };
  for (const { name, raw, load } of handWritten) {
    // Raw commands parse their own arguments.
    if (!raw) collect(await load({ api } as Context, []), [name]);
  }
  return found;
}
