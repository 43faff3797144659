/** What a line says up to the cursor: the command it names, the flags it has given, and the one that wants a value. */
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

export interface Line {
  /** The innermost command that is named; undefined before the first word. */
  command: Command | undefined;
  /** What it calls, where it is a verb of a resource. */
  operation: Operation | undefined;
  /** The one that the first word names, where it does. */
  resource: Resource | undefined;
  /** Those that are offered. */
  options: readonly Option[];
  /** The values of the flags that were given, by long name. */
  given: ReadonlyMap<string, readonly string[]>;
  /** Words behind the names of commands: ids and other arguments. */
  positionals: readonly string[];
  /** A flag whose value comes next. */
  pending: Option | undefined;
  /** Behind `--` there are no flags. */
  isEnded: boolean;
}

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
  // `boh views save NAME RESOURCE` is about a resource, too.
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
