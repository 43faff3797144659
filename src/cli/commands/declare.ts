/** Builds commands from declarations: name, help, arguments, flags as a table, and the action with their values. */
import { type FieldMessages, usage } from '../../base/errors.ts';
import { redactionMarker, takeRedactionCount } from '../../base/redaction.ts';
import { formatCount } from '../../base/shown-items.ts';
import type { Context } from '../context/context.ts';
import { formatFromFlags } from '../output/choose-format.ts';
import { present, requireClipboard } from '../output/present.ts';
import type { Result } from '../output/result.ts';
import { warn } from '../terminal/messages.ts';
import { Command } from './command.ts';
import { choiceProblems, type FlagsOf, type FlagTable, optionOf, refuseFlags } from './flags/flag-table.ts';

type ArgumentTable = readonly (readonly [term: string, about: string])[];

type ArgumentValues<Table extends ArgumentTable> = {
  -readonly [Index in keyof Table]: ArgumentValue<Table[Index][0]>;
};

type ArgumentValue<Term extends string> = Term extends `${string}...${string}`
  ? string[]
  : Term extends `<${string}`
    ? string
    : string | undefined;

/** What a command declares, and its action. */
export interface Declaration<Arguments extends ArgumentTable, Flags extends FlagTable> {
  name: string;
  alias?: string | undefined;
  /** The line in the list of its group. By default the description, without its period if it is one sentence. */
  summary?: string;
  /** The description in help. */
  about: string;
  usage?: string;
  args?: Arguments;
  flags?: Flags;
  /** The most common one first. */
  examples?: readonly string[];
  /** Whether `--dry-run` shows what the command would send or change. Other commands refuse the flag. */
  dryRun?: true;
  /** Whether `-o` names formats of a file, which aren't those of results. */
  hasOwnFormats?: true;
  /** Whether it stores data, and therefore reports redacted values when it ends. */
  reportsRedactions?: true;
  subcommands?: readonly Command[];
  /** Returns the problems of the flags, which are reported together with invalid words. */
  check?(flags: FlagsOf<Flags>): FieldMessages;
  /** Returns the result, or nothing if it has shown the result. `command` has the arguments and flags of the contract. */
  run(
    args: ArgumentValues<Arguments>,
    flags: FlagsOf<Flags>,
    command: Command,
  ): Result | Promise<Result> | Promise<void>;
}

/** What the contract declares of the command of a verb. */
export type DeclaredVerb = Pick<
  Declaration<[], readonly []>,
  'name' | 'alias' | 'summary' | 'about' | 'dryRun' | 'examples'
>;

/** Returns the command of a declaration. An unknown output format is refused before it runs. */
export function createCommand<
  const Arguments extends ArgumentTable = [],
  const Flags extends FlagTable = readonly [],
>(context: Context, declaration: Declaration<Arguments, Flags>): Command {
  const { name, alias, about, args = [], flags = [], subcommands = [] } = declaration;
  const { summary = about.replace(/^([^.]*)\.$/, '$1') } = declaration;
  const command = new Command(name).summary(summary).description(about);
  command.examples = declaration.examples ?? [];
  command.supportsDryRun = declaration.dryRun ?? false;
  command.hasAction = true;
  if (alias) command.alias(alias);
  for (const [term, argumentAbout] of args) command.argument(term, argumentAbout);
  if (declaration.usage) command.usage(declaration.usage);
  addFlags(command, flags);
  for (const subcommand of subcommands) command.addCommand(subcommand);
  return command.action(async () => {
    if (declaration.reportsRedactions) context.atEnd.push(() => warnOfRedactions(context));
    if (!declaration.hasOwnFormats) await formatFromFlags(context);
    else if (context.globals.outputText !== undefined)
      throw usage(`--output-text doesn't work with ${name}, which writes files.`);
    if (context.globals.copy) requireClipboard(context);
    const values = command.opts<FlagsOf<Flags>>();
    refuseFlags({ ...choiceProblems(command.options, values), ...declaration.check?.(values) });
    const result = await declaration.run(command.processedArgs as ArgumentValues<Arguments>, values, command);
    if (result) await present(context, result);
  });
}

/** Adds flags. A flag that the command already has is skipped: for a tax, `--rate` is its rate and not that of the run. */
function addFlags(command: Command, flags: FlagTable): void {
  for (const option of flags.map(optionOf)) {
    if (!command.options.some(({ long }) => long === option.long)) command.addOption(option);
  }
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
  const group = new Command(name).description(about).usage('<command> [flags]');
  for (const command of subcommands) group.addCommand(command);
  return group;
}
