/** Sets up commands: their failures, their help, and groups of subcommands. */
import { redactionMarker, takeRedactionCount } from '../base/redaction.ts';
import { formatCount } from '../base/shown-items.ts';
import type { Context } from '../context/context.ts';
import { warn } from '../terminal/messages.ts';
import { Command } from './command.ts';

/** Returns the command. */
export function prepare(command: Command): Command {
  return command;
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
