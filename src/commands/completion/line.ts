/** What a line says up to the cursor: the command it names, the flags it has given, and the one that wants a value. */
import type { Command, Option } from 'commander';
import { type Operation, operations } from '../../contract/operation.ts';
import { resourceCalled } from '../../contract/resource.ts';
import { booleanPlaceholder } from '../../reference/value-words.ts';
import { resources, whoami } from '../../resources/index.ts';
import type { Context } from '../context.ts';
import { commandWords, globalOptions } from '../globals.ts';
import type { HandWritten } from '../hand-written.ts';
import { namedCommand } from '../named-command.ts';

export interface Line {
  /** The innermost command that is named; undefined before the first word. */
  command: Command | undefined;
  /** What it calls, where it is a verb of a resource. */
  operation: Operation | undefined;
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
  before: readonly string[],
  handWritten: readonly HandWritten[],
  context: Context,
): Promise<Line> {
  const [first] = commandWords(before, 1);
  const named = await namedCommand(handWritten, before, context);
  // The tree is as deep as its names: which words these are can be told once flags and their values are known.
  const outer = readWords(before, optionsOf(named));
  const names = outer.positionals.slice(1);
  const { command, depth } = innermost(named, names);
  const options = optionsOf(command);
  const inner = readWords(before, options);
  return {
    ...inner,
    command,
    operation: first && command && operationOf(first.word, command),
    options,
    positionals: inner.positionals.slice(1 + depth),
  };
}

function optionsOf(command: Command | undefined): Option[] {
  return [...(command?.options.filter(({ hidden }) => !hidden) ?? []), ...globalOptions()];
}

function innermost(
  command: Command | undefined,
  [name, ...others]: readonly string[],
): { command: Command | undefined; depth: number } {
  const below = command?.commands.find(
    (it) => name !== undefined && [it.name(), ...it.aliases()].includes(name),
  );
  if (!below) return { command, depth: 0 };
  const { command: found, depth } = innermost(below, others);
  return { command: found, depth: depth + 1 };
}

function operationOf(word: string, command: Command): Operation | undefined {
  const resource = resourceCalled(word, [...resources, whoami]);
  return resource && operations(resource).find(({ verb }) => resource.singleton || verb === command.name());
}

type Words = Pick<Line, 'given' | 'positionals' | 'pending' | 'isEnded'>;

function readWords(words: readonly string[], options: readonly Option[]): Words {
  const given = new Map<string, string[]>();
  const positionals: string[] = [];
  let pending: Option | undefined;
  let isEnded = false;
  const take = (option: Option, value: string) => {
    const name = option.long ?? '';
    given.set(name, [...(given.get(name) ?? []), value]);
  };
  for (const word of words) {
    if (pending) {
      take(pending, word);
      pending = undefined;
    } else if (isEnded || !word.startsWith('-') || word === '-') {
      positionals.push(word);
    } else if (word === '--') {
      isEnded = true;
    } else {
      const { option, value } = readFlag(word, options);
      if (option && wantsValue(option) && value === undefined) pending = option;
      else if (option) take(option, value ?? '');
    }
  }
  return { given, positionals, pending, isEnded };
}

/** `--status=closed`, `-ojson`, `--no-is-active`. */
export function readFlag(
  word: string,
  options: readonly Option[],
): { option: Option | undefined; value?: string } {
  const [, name = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? /^(-[^-])(.+)$/s.exec(word) ?? [];
  const positive = name.replace(/^--no-/, '--');
  const option = options.find(({ long, short }) => name === long || name === short || positive === long);
  return { option, ...(value !== undefined && { value }) };
}

/** A boolean field's flag goes without a value, though it may have one. */
function wantsValue(option: Option): boolean {
  return option.required && !isBoolean(option);
}

export function isBoolean({ flags }: Option): boolean {
  return flags.endsWith(`<${booleanPlaceholder}>`);
}
