/** Defines the command class of boh, with examples and groups of flags, and formats its help. */
import { Command as BaseCommand, type Help, Option } from 'commander';
import { helpOption } from './globals.ts';

/** The headings of flags that are rarely needed. Help lists these groups last, in this order. */
const trailingHeadings = ['Output:', 'Bulk run:', 'Advanced:'];

/** A boolean flag. For commander it requires a value: `commanderArguments` adds `=true` or `=false`. */
export class BooleanOption extends Option {}

/** Returns the term of an option in help: `--[no-]is-active` for a boolean. */
function optionTerm(option: Option): string {
  return option instanceof BooleanOption ? `--[no-]${option.long?.slice(2)}` : option.flags;
}

/** The narrowest description that help wraps, in columns. With commander's default, a narrow window would cut words. */
const minWidthToWrap = 16;

/** A command of commander that throws instead of exiting, and has examples. Flags without a heading are listed under "Flags:". */
export class Command extends BaseCommand {
  declare readonly commands: readonly Command[];

  /** The examples in help, the most common one first. */
  examples: readonly string[] = [];

  /** Whether `--dry-run` shows what the command would send or change. Other commands refuse the flag. */
  supportsDryRun = false;

  /** Whether it can be called without a subcommand. */
  hasAction = false;

  constructor(name: string) {
    super(name);
    this.exitOverride()
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
}

/** Formats the help of a command: its description, examples, usage, the most common flags, then the others. */
function formatHelp(command: BaseCommand, help: Help): string {
  const width = help.padWidth(command, help);
  const formatSection = (title: string, items: readonly { term: string; about: string }[]) =>
    items.length === 0
      ? []
      : [[title, ...items.map(({ term, about }) => help.formatItem(term, width, about, help))].join('\n')];
  const { examples = [], supportsDryRun = false } = command instanceof Command ? command : {};
  const subcommands = help.visibleCommands(command).map((subcommand) => ({
    term: help.subcommandTerm(subcommand),
    about: help.subcommandDescription(subcommand),
  }));
  return [
    help.boxWrap(help.commandDescription(command), help.helpWidth ?? 80),
    ...(examples.length === 0
      ? []
      : [`${titleOf(examples)}\n${examples.map((line) => `  ${line}`).join('\n')}`]),
    `Usage: ${help.commandUsage(command).replace('[options]', '[flags]')}`,
    ...formatSection(
      'Arguments:',
      help.visibleArguments(command).map((argument) => ({
        term: help.argumentTerm(argument),
        about: help.argumentDescription(argument),
      })),
    ),
    ...formatSection('Commands:', subcommands),
    ...groupsOf(help.visibleOptions(command)).flatMap(([title, options]) =>
      formatSection(
        title,
        options.map((option) => ({ term: help.optionTerm(option), about: help.optionDescription(option) })),
      ),
    ),
    `Global flags, such as --sandbox${supportsDryRun ? ' and --dry-run' : ''}: boh --help\n`,
  ].join('\n\n');
}

function titleOf(examples: readonly string[]): string {
  return examples.length === 1 ? 'Example:' : 'Examples:';
}

/** Returns the options by heading, without `--help`: the reader has just used it. */
function groupsOf(options: readonly Option[]): [heading: string, options: Option[]][] {
  const displayedOptions = options.filter(({ long }) => long !== '--help');
  const groups = Map.groupBy(displayedOptions, ({ helpGroupHeading }) => helpGroupHeading ?? 'Flags:');
  const rank = (heading: string) => trailingHeadings.indexOf(heading);
  return [...groups].sort(([a], [b]) => rank(a) - rank(b));
}
