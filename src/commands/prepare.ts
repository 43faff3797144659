/** What all commands have in common: how they fail, how their help looks, and how several make a group. */
import { mask, takeRedactions } from '../base/mask.ts';
import type { Context } from '../context/context.ts';
import { warn } from '../terminal/messages.ts';
import { numeral } from '../terminal/numeral.ts';
import { Command, formatHelp } from './command.ts';
import { helpOption } from './globals.ts';
import { optionTerm } from './line/read-line.ts';

/** In columns: beside long flags there is no more in a narrow window, and left alone its edge would cut words. */
const minWidthToWrap = 16;

/** Sets a command up like all others: it throws instead of exiting, and writes nothing past our streams. */
export function prepare(command: Command): Command {
  return command
    .exitOverride()
    .helpOption(helpOption.flags, helpOption.description)
    .helpCommand(false)
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
    .configureHelp({
      optionTerm,
      subcommandTerm: (subcommand) => subcommand.name(),
      minWidthToWrap,
      formatHelp,
    });
}

/** Makes a command that keeps a copy of what it reads report at its end, however that comes, what the copy lacks. */
export function reportingRedactions(command: Command, context: Context): Command {
  return command.hook('preAction', () => {
    context.atEnd.push(() => warnOfRedactions(context));
  });
}

/** Warns that values were redacted in what was read since the last warning: without them no copy is complete. */
export function warnOfRedactions({ streams }: Context): void {
  const count = takeRedactions();
  if (count === 0) return;
  const text =
    count === 1
      ? `1 value contains a secret that boh knows and was redacted: ${mask} stands in its place.`
      : `${numeral(count)} values contain a secret that boh knows and were redacted: ${mask} stands in their place.`;
  warn(streams, text);
}

/** Returns a command that needs another word behind it, such as `boh auth login`. */
export function groupCommand(name: string, about: string, subcommands: readonly Command[]): Command {
  const group = prepare(new Command(name)).description(about).usage('<command> [flags]');
  for (const command of subcommands) group.addCommand(command);
  return group;
}
