/** The command that the first word of a line names, built as far as the line needs it. */
import type { Command } from 'commander';
import { resourceCalled } from '../contract/resource.ts';
import { usage } from '../errors.ts';
import { resources, whoami } from '../resources/index.ts';
import type { Context } from './context.ts';
import { commandWords } from './globals.ts';
import type { HandWritten } from './hand-written.ts';
import { resourceCommand, singletonCommand } from './resource-command.ts';

/** Undefined where the line names none; throws a usage failure where there is none of that name. */
export async function namedCommand(
  handWritten: readonly HandWritten[],
  argv: readonly string[],
  context: Context,
): Promise<Command | undefined> {
  const [first, second] = commandWords(argv, 2);
  if (!first) return undefined;
  const own = handWritten.find(({ name }) => name === first.word);
  if (own) return own.load(context, argv.slice(first.at + 1));
  if (first.word === whoami.command) return singletonCommand(whoami, context);
  const resource = resourceCalled(first.word, resources);
  if (resource) return resourceCommand(resource, second?.word, context);
  const { didYouMean } = await import('../suggest.ts');
  const shown = handWritten.filter(({ hidden }) => !hidden);
  const names = [...[...resources, whoami].map(({ command }) => command), ...shown.map(({ name }) => name)];
  throw usage(`There is no command "${first.word}".${didYouMean(first.word, names)}`, {
    hint: 'See them all: boh --help',
  });
}
