/** Builds the command that the first word of a command line names. */

import { usage } from '../base/errors.ts';
import { boh } from '../base/hint.ts';
import { didYouMean } from '../base/suggest.ts';
import type { Context } from '../context/context.ts';
import type { Api } from '../contract/api.ts';
import type { Command } from './command.ts';
import type { HandWritten } from './hand-written.ts';
import { readLine } from './line/read-line.ts';
import { referenceCalled, referenceCommands } from './reference-names.ts';
import { isWriteVerb, resourceCommand, singletonCommand } from './resource-command.ts';

/** A command, and what its declaration says about it. */
export interface NamedCommand {
  command: Command;
  /** Whether boh reads no flags after its name. */
  raw?: true | undefined;
  /** Returns whether it writes to an account, given the words after its name that aren't flags. Absent if it never does. */
  isWrite?: ((words: readonly string[]) => boolean) | undefined;
}

/** Returns the command; undefined if the command line names none. Throws a usage failure for an unknown name. */
export async function namedCommand(
  handWritten: readonly HandWritten[],
  argv: readonly string[],
  context: Context,
): Promise<NamedCommand | undefined> {
  const { names, operands } = readLine(argv);
  const [first] = names;
  if (!first) return undefined;
  const own = handWritten.find(({ name }) => name === first.word);
  const { api } = context;
  if (own) {
    const command = await own.load(context, argv.slice(first.at + 1));
    return { command, raw: own.raw, isWrite: (words) => own.isWrite?.(words, api) ?? false };
  }
  const resource = api.findResource(first.word);
  if (resource?.singleton) return { command: await singletonCommand(resource, context) };
  if (resource) {
    const command = await resourceCommand(resource, operands[0], context);
    return { command, isWrite: ([verb = '']) => isWriteVerb(resource, verb) };
  }
  const reference = referenceCalled(first.word, api);
  if (reference) {
    const { referenceCommand } = await import('./reference-command.ts');
    return { command: referenceCommand(reference, context) };
  }
  const shown = handWritten.filter(({ hidden }) => !hidden);
  const all = [
    ...api.resources.map(({ command }) => command),
    ...shown.map(({ name }) => name),
    ...referenceCommands(api),
  ];
  const suggested = suggestedCommand(first.word, shown, api);
  const guess = suggested ? ` Did you mean "${suggested}"?` : didYouMean(first.word, all);
  throw usage(`Unknown command "${first.word}".${guess}`, {
    hint: boh.hint`To list all: ${boh.plain('--help')}`,
  });
}

/** Returns the command to suggest for another word, such as `log` for `history`. */
function suggestedCommand(
  word: string,
  shown: readonly HandWritten[],
  { resources }: Api,
): string | undefined {
  const own = shown.map(({ suggestions = {} }) =>
    Object.hasOwn(suggestions, word) ? suggestions[word] : undefined,
  );
  return (
    own.find((command) => command !== undefined) ??
    resources.find(({ searchTerms = [] }) => searchTerms.includes(word))?.command
  );
}
