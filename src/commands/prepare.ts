/** Sets up commands: their failures, their help, and groups of subcommands. */
import { redactionMarker, takeRedactionCount } from '../base/redaction.ts';
import type { Context } from '../context/context.ts';
import { formatCount } from '../terminal/format-count.ts';
import { warn } from '../terminal/messages.ts';
import { Command, formatHelp } from './command.ts';
import { helpOption } from './globals.ts';
import { optionTerm } from './line/command-line.ts';

/** The narrowest description that help wraps, in columns. With commander's default, a narrow window would cut words. */
const minWidthToWrap = 16;

/** Prepares a command: it throws instead of exiting, and writes only to the streams of the context. */
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

/** Makes a command that stores data report redacted values when it ends, also after a failure. */
export function withRedactionReport(command: Command, context: Context): Command {
  return command.hook('preAction', () => {
    context.atEnd.push(() => warnOfRedactions(context));
  });
}

/** Warns that values were redacted since the last warning: the stored copy isn't complete without them. */
export function warnOfRedactions({ streams }: Context): void {
  const count = takeRedactionCount();
  if (count === 0) return;
  const message =
    count === 1
      ? `1 value contains a known secret and was redacted as ${redactionMarker}.`
      : `${formatCount(count)} values contain a known secret and were redacted as ${redactionMarker}.`;
  warn(streams, message);
}

/** Returns a command that has subcommands, such as `boh auth`. */
export function groupCommand(name: string, about: string, subcommands: readonly Command[]): Command {
  const group = prepare(new Command(name)).description(about).usage('<command> [flags]');
  for (const command of subcommands) group.addCommand(command);
  return group;
}
