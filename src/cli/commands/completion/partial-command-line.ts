/** Parses a command line up to the cursor. */
import type { Option } from 'commander';
import { verbsOf } from '../../../api/contract/composite.ts';
import type { Operation } from '../../../api/contract/operation.ts';
import type { Resource } from '../../../api/contract/resource.ts';
import type { Context } from '../../context/context.ts';
import type { Command } from '../command.ts';
import { helpOption, versionOption } from '../globals.ts';
import type { HandWritten } from '../hand-written.ts';
import { optionsOf, parseCommandLine, withoutHelpWord } from '../line/command-line.ts';
import { loadNamedCommand } from '../named-command.ts';

/** A command line up to the cursor. */
export interface PartialCommandLine {
  /** The innermost command; undefined before the first word. */
  command: Command | undefined;
  /** The operation of the command, if it is a verb of a resource. */
  operation: Operation | undefined;
  /** The resource that the command line names, if any. */
  resource: Resource | undefined;
  /** The flags that can be suggested. */
  options: readonly Option[];
  /** The values of the flags before the cursor, by long name. */
  flagValues: ReadonlyMap<string, readonly string[]>;
  /** The words after the names of commands: IDs and other arguments. */
  positionals: readonly string[];
  /** The flag that the word at the cursor is a value of. */
  pending: Option | undefined;
  /** Whether the command line contains `--`: later words aren't flags. */
  isEnded: boolean;
}

/** Parses the words before the cursor. */
export async function parsePartialCommandLine(
  words: readonly string[],
  handWritten: readonly HandWritten[],
  context: Context,
): Promise<PartialCommandLine> {
  const wordsWithoutHelp = withoutHelpWord(words);
  const handWrittenCommand = await loadNamedCommand(handWritten, wordsWithoutHelp, context);
  const { names, command, flags, operands, pending, isEnded } = parseCommandLine(
    wordsWithoutHelp,
    handWrittenCommand?.command,
    handWrittenCommand,
  );
  const flagValues = new Map<string, string[]>();
  for (const { option, value = '' } of flags) {
    const name = option.long ?? '';
    flagValues.set(name, [...(flagValues.get(name) ?? []), value]);
  }
  // `boh views save NAME RESOURCE` names its resource in the second argument.
  const resource =
    context.api.findResource(names[0]?.word ?? '') ?? context.api.findResource(operands[1] ?? '');
  return {
    command,
    operation: command && operationOf(resource, command),
    resource,
    options: optionsOf(command).filter(
      (option) => !option.hidden && option !== helpOption && option !== versionOption,
    ),
    flagValues,
    positionals: operands,
    pending,
    isEnded,
  };
}

function operationOf(resource: Resource | undefined, command: Command): Operation | undefined {
  return resource && verbsOf(resource).find(({ verb }) => resource.singleton || verb === command.name());
}
