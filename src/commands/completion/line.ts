/** Reads a command line up to the cursor: its command, its flags, and the flag that needs a value. */
import type { Option } from 'commander';
import type { Context } from '../../context/context.ts';
import { verbsOf } from '../../contract/composite.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Resource } from '../../contract/resource.ts';
import type { Command } from '../command.ts';
import { helpOption, versionOption } from '../globals.ts';
import type { HandWritten } from '../hand-written.ts';
import { optionsOf, readLine as readWords, withoutHelpWord } from '../line/read-line.ts';
import { namedCommand } from '../named-command.ts';

/** A command line up to the cursor. */
export interface Line {
  /** The innermost command; undefined before the first word. */
  command: Command | undefined;
  /** The operation of the command, if it is a verb of a resource. */
  operation: Operation | undefined;
  /** The resource that the command line is about, if any. */
  resource: Resource | undefined;
  /** The flags to suggest. */
  options: readonly Option[];
  /** The values of the flags that were given, by long name. */
  given: ReadonlyMap<string, readonly string[]>;
  /** Words after the names of commands: IDs and other arguments. */
  positionals: readonly string[];
  /** A flag whose value comes next. */
  pending: Option | undefined;
  /** Whether `--` was typed: no flags follow. */
  isEnded: boolean;
}

/** Reads the words before the cursor. */
export async function readLine(
  words: readonly string[],
  handWritten: readonly HandWritten[],
  context: Context,
): Promise<Line> {
  const before = withoutHelpWord(words);
  const found = await namedCommand(handWritten, before, context);
  const { names, command, flags, operands, pending, isEnded } = readWords(before, found?.command, found);
  const given = new Map<string, string[]>();
  for (const { option, value = '' } of flags) {
    const name = option.long ?? '';
    given.set(name, [...(given.get(name) ?? []), value]);
  }
  // `boh views save NAME RESOURCE` is about a resource too.
  const resource =
    context.api.findResource(names[0]?.word ?? '') ?? context.api.findResource(operands[1] ?? '');
  return {
    command,
    operation: command && operationOf(resource, command),
    resource,
    options: optionsOf(command).filter((it) => !it.hidden && it !== helpOption && it !== versionOption),
    given,
    positionals: operands,
    pending,
    isEnded,
  };
}

function operationOf(resource: Resource | undefined, command: Command): Operation | undefined {
  return resource && verbsOf(resource).find(({ verb }) => resource.singleton || verb === command.name());
}
