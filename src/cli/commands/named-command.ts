/** Builds the command that the first word of a command line names. */
import type { Api } from '../../api/contract/api.ts';
import { usage } from '../../base/errors.ts';
import { boh } from '../../base/hint.ts';
import { didYouMean } from '../../base/suggest.ts';
import type { Context } from '../context/context.ts';
import type { Command } from './command.ts';
import { findReferenceCommand, type HandWritten, referenceCommands } from './hand-written.ts';
import { parseCommandLine } from './line/command-line.ts';
import { isWriteVerb, resourceCommand, singletonCommand } from './resource-command.ts';

/** A command, with the properties that its declaration adds. */
export interface NamedCommand {
  command: Command;
  /** Whether boh reads no flags after its name. */
  raw?: true | undefined;
  /** Returns whether it writes to an account, given the words after its name that aren't flags. Absent if it never does. */
  isWrite?: ((words: readonly string[]) => boolean) | undefined;
}

/** Returns the command; undefined if the command line names no command. Throws a usage failure for an unknown name. */
export async function loadNamedCommand(
  handWritten: readonly HandWritten[],
  argv: readonly string[],
  context: Context,
): Promise<NamedCommand | undefined> {
  const { names, operands } = parseCommandLine(argv);
  const [firstName] = names;
  if (!firstName) return undefined;
  const declaration = handWritten.find(({ name }) => name === firstName.word);
  const { api } = context;
  if (declaration) {
    const command = await declaration.load(context, argv.slice(firstName.index + 1));
    return { command, raw: declaration.raw, isWrite: (words) => declaration.isWrite?.(words, api) ?? false };
  }
  const resource = api.findResource(firstName.word);
  if (resource?.singleton) return { command: await singletonCommand(resource, context) };
  if (resource) {
    const command = await resourceCommand(resource, operands[0], context);
    return { command, isWrite: ([verb = '']) => isWriteVerb(resource, verb) };
  }
  const reference = findReferenceCommand(firstName.word, api);
  if (reference) {
    const { referenceCommand } = await import('./contract.ts');
    return { command: referenceCommand(reference, context) };
  }
  const visibleCommands = handWritten.filter(({ hidden }) => !hidden);
  const allNames = [
    ...api.resources.map(({ command }) => command),
    ...visibleCommands.map(({ name }) => name),
    ...referenceCommands(api),
  ];
  const synonym = suggestedCommand(firstName.word, visibleCommands, api);
  const suggestion = synonym ? ` Did you mean "${synonym}"?` : didYouMean(firstName.word, allNames);
  throw usage(`Unknown command "${firstName.word}".${suggestion}`, {
    hint: boh.hint`To list all: ${boh.plain('--help')}`,
  });
}

/** Returns the command to suggest for another word, such as `log` for `history`. */
function suggestedCommand(
  name: string,
  visibleCommands: readonly HandWritten[],
  { resources }: Api,
): string | undefined {
  const suggestedNames = visibleCommands.map(({ suggestions = {} }) =>
    Object.hasOwn(suggestions, name) ? suggestions[name] : undefined,
  );
  return (
    suggestedNames.find((command) => command !== undefined) ??
    resources.find(({ searchTerms = [] }) => searchTerms.some((term) => [name, `${name}s`].includes(term)))
      ?.command
  );
}
