/** Finds and runs the command that a command line names. Only the required part of the command tree is built. */
import { CommanderError, type Option } from 'commander';
import type { Api } from '../../api/contract/api.ts';
import type { Fields } from '../../api/contract/field.ts';
import { capitalize } from '../../api/contract/wording.ts';
import { parseDurationSeconds } from '../../base/duration.ts';
import { Failure, usage } from '../../base/errors.ts';
import { boh, type Hint } from '../../base/hint.ts';
import { didYouMean } from '../../base/suggest.ts';
import { version } from '../../base/version.ts';
import type { Context, Globals } from '../context/context.ts';
import { showText } from '../output/show-value.ts';
import { BooleanOption, Command } from './command.ts';
import { globalValues, helpOption, versionOption } from './globals.ts';
import { showHelp } from './help.ts';
import { handWritten } from './index.ts';
import {
  type CommandLine,
  commanderArguments,
  type FlagPart,
  isEmptyFileName,
  optionsOf,
  parseCommandLine,
  withoutHelpWord,
} from './line/command-line.ts';
import { loadNamedCommand } from './named-command.ts';

/** Runs a command line. Resolves when the command is done; throws its failure. */
export async function run(argv: readonly string[], context: Context): Promise<void> {
  try {
    await runLine(argv, context);
  } catch (error) {
    if (!isNoServiceUrl(error)) throw error;
    const lines = await (await loadFirstScreen()).chooseFirstSteps(context, argv);
    if (!lines) throw error;
    for (const commandLine of lines) await context.rerun(commandLine);
  }
}

/** Loads the first screen. It is needed without a command on the command line, or without an account. */
const loadFirstScreen = () => import('./first-screen.ts');

/** Checks the name and not the class, so that this module doesn't load the settings. */
function isNoServiceUrl(error: unknown): boolean {
  return error instanceof Failure && error.name === 'NoServiceUrl';
}

async function runLine(argv: readonly string[], context: Context): Promise<void> {
  // Node.js replaces each byte that isn't UTF-8, so that the value sent would be another one.
  const invalidWord = argv.find((word) => word.includes('\ufffd'));
  if (invalidWord !== undefined) throw usage(`The argument "${invalidWord}" isn't valid UTF-8.`);
  const words = withoutHelpWord(argv);
  const globalCommandLine = parseCommandLine(words);
  // Read the global flags first, so that an unknown command is reported in the requested format.
  applyGlobals(globalCommandLine, context);
  await context.addDeployment();
  const namedCommand = await loadNamedCommand(handWritten, words, context);
  const commandLine = namedCommand
    ? parseCommandLine(words, namedCommand.command, namedCommand)
    : globalCommandLine;
  applyGlobals(commandLine, context);
  context.isWrite = namedCommand?.isWrite?.([
    ...commandLine.names.slice(1).map(({ word }) => word),
    ...commandLine.operands,
  ]);
  if (namedCommand) new Command('boh').addCommand(namedCommand.command);
  if (hasFlag(versionOption, commandLine))
    return showText(context, { text: `boh ${version}\n`, value: version });
  const isHelp = hasFlag(helpOption, commandLine) || needsHelp(commandLine);
  if (
    isHelp &&
    !commandLine.command &&
    !hasFlag(helpOption, commandLine) &&
    context.globals.output === undefined
  ) {
    return (await loadFirstScreen()).showFirstScreen(context);
  }
  if (isHelp) return showHelp(commandLine.command, context);
  await refuseInvalidCommandLine(commandLine, context);
  const { offline, dryRun, unchecked, strictValues } = context.globals;
  if (offline && !dryRun) throw usage('--offline can only be used with --dry-run.');
  if (unchecked && strictValues) throw usage("--strict-values can't be used with --unchecked.");
  if (dryRun) refuseIgnoredDryRun(commandLine);
  startDeadline(context);
  if (commandLine.command) await runCommand(commandLine.command, commandLine, context);
}

function applyGlobals(commandLine: CommandLine, { globals }: Context): void {
  for (const name of Object.keys(globals)) delete globals[name as keyof Globals];
  Object.assign(globals, globalValues(commandLine.flags));
}

function hasFlag(flag: typeof helpOption, { flags }: CommandLine): boolean {
  return flags.some(({ option }) => option === flag);
}

/** Returns whether the command line is incomplete: it has no command, or a resource without a verb. */
function needsHelp({ command, invalidFlags, operands, pending }: CommandLine): boolean {
  return !isRunnable(command) && invalidFlags.length === 0 && operands.length === 0 && pending === undefined;
}

/** Returns whether a command has an action. `backup` has an action and also subcommands. */
function isRunnable(command: Command | undefined): boolean {
  return command !== undefined && (command.hasAction || command.commands.length === 0);
}

async function refuseInvalidCommandLine(commandLine: CommandLine, { api }: Context): Promise<void> {
  const { command, invalidFlags, pending, operands, flags } = commandLine;
  if (
    invalidFlags.length === 0 &&
    !pending &&
    !flags.some(isEmptyFileName) &&
    (isRunnable(command) || operands.length === 0)
  )
    return;
  throw commandLineFailure(commandLine, api);
}

function refuseIgnoredDryRun({ command, names }: CommandLine): void {
  if (!command || command.supportsDryRun) return;
  const name = names.map(({ word }) => word).join(' ');
  throw usage(`boh ${name} doesn't support --dry-run. Nothing was sent or changed.`);
}

const maxDeadlineSeconds = 7 * 86_400;

function startDeadline({ globals: { deadline }, endAfter }: Context): void {
  if (deadline === undefined) return;
  const seconds = parseDurationSeconds(deadline, maxDeadlineSeconds);
  const failure = new Failure(
    'unavailable',
    `The command didn't finish within its deadline of ${seconds} s.`,
    {
      hint: 'Completed changes remain. To allow more time: --deadline SECONDS.',
    },
  );
  endAfter(seconds * 1000, failure);
}

async function runCommand(command: Command, commandLine: CommandLine, { api }: Context): Promise<void> {
  try {
    await command.parseAsync(commanderArguments(commandLine), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw commandFailure(error, commandLine, api);
  }
}

/** Other words for a verb, each with the verb that an error message suggests. They aren't accepted as aliases. */
const verbSynonyms: Readonly<Record<string, string>> = {
  ...{ show: 'get', view: 'get', read: 'get', describe: 'get', inspect: 'get' },
  ...{ add: 'create', new: 'create', insert: 'create', make: 'create' },
  ...{ edit: 'update', change: 'update', set: 'update', modify: 'update', patch: 'update' },
  ...{ remove: 'delete', rm: 'delete', del: 'delete', destroy: 'delete', archive: 'delete' },
  ...{ find: 'list', search: 'list', query: 'list', all: 'list' },
  ...{ undelete: 'restore', recover: 'restore', use: 'redeem' },
  ...{ zones: 'map', calendar: 'week', stock: 'levels', history: 'costs' },
};

/** Returns the failure of a command line with unknown flags, a flag without its value, or an unknown command. */
function commandLineFailure(commandLine: CommandLine, api: Api): Failure {
  const { command, invalidFlags, pending, operands, flags } = commandLine;
  const problems = invalidFlags.map((part) => describeProblem(part, commandLine));
  for (const { option } of flags.filter(isEmptyFileName))
    problems.push(`${option.long} needs a file name, but it is empty.`);
  if (pending) problems.push(`${pending.long} needs a value.`);
  if (problems.length > 0) return usage(problems.join(' '), { hint: hintFor(commandLine, api) });
  const [unknownWord = ''] = operands;
  if (!command)
    return usage('Expected a command before --.', {
      hint: boh.hint`To list all: ${boh.plain('--help')}`,
    });
  const names = command.commands.map((subcommand) => subcommand.name());
  const message = `Unknown command "${commandNameOf(commandLine)} ${unknownWord}".`;
  const verb = names.find((name) => name === verbSynonyms[unknownWord]);
  const suggestion = verb === undefined ? didYouMean(unknownWord, names) : ` Did you mean "${verb}"?`;
  return usage(message + (commandLine.isEnded ? '' : suggestion), {
    hint: boh.help(commandNameOf(commandLine)),
  });
}

/** Returns the failure for an error of commander about flags or arguments. */
function commandFailure(error: CommanderError, commandLine: CommandLine, api: Api): Failure {
  const commandName = commandNameOf(commandLine);
  const hint = boh.help(commandName);
  const [firstArgument] = commandLine.operands;
  if (error.code !== 'commander.excessArguments' || firstArgument === undefined)
    return usage(describeError(error, commandLine), { hint });
  const [firstName = '', lastName] = commandName.split(' ');
  if ((lastName ?? firstName) === 'export') {
    const correctedCommand =
      lastName === undefined
        ? boh.account('export', '--to', firstArgument)
        : boh.account(`${firstName} export`, '--to', firstArgument);
    return usage(`"${firstArgument}" needs --to: boh ${commandName} has no argument for a file.`, {
      hint: boh.hint`To write it: ${correctedCommand}`,
    });
  }
  const isRecordCommand = api.findResource(firstName) !== undefined;
  const quotesHint = isRecordCommand ? 'A name with spaces needs quotes: "@Fresh Farms". ' : '';
  return usage(describeError(error, commandLine), { hint: [quotesHint, hint] });
}

/** Returns the message for an error of commander. It names all missing arguments or flags, not only the first one. */
function describeError({ code, message }: CommanderError, commandLine: CommandLine): string {
  const { command, operands, flags } = commandLine;
  const parameters = command?.registeredArguments ?? [];
  const commandName = commandNameOf(commandLine);
  const describeMissing = (names: string[]) => `${commandName} needs ${names.join(' and ')}.`;
  switch (code) {
    case 'commander.missingArgument': {
      const missing = parameters.filter(({ required }, index) => required && operands[index] === undefined);
      return describeMissing(missing.map((parameter) => `<${parameter.name()}>`));
    }
    case 'commander.missingMandatoryOptionValue': {
      const isMissing = (option: Option) => option.mandatory && !flags.some((flag) => flag.option === option);
      return describeMissing((command?.options ?? []).filter(isMissing).map(({ flags: term }) => term));
    }
    case 'commander.excessArguments': {
      const limit = ['no arguments', '1 argument'][parameters.length] ?? `${parameters.length} arguments`;
      return `${commandName} takes ${limit}, but got ${operands.length}: ${operands.join(', ')}.`;
    }
    case 'commander.conflictingOption': {
      const [first, second] = [...message.matchAll(/'(--[\w-]+)/g)].map(([, flag]) => flag);
      return `${first} can't be combined with ${second}.`;
    }
    case 'commander.invalidArgument': {
      const pattern = /'(--[\w-]+)[^']*' argument '(.*)' is invalid\. (.*)$/s;
      const [, flag, value, expected = ''] = pattern.exec(message) ?? [];
      const reason = expected.replace('Allowed choices are', 'Expected one of:');
      return flag === undefined ? message : `Invalid value "${value}" for ${flag}. ${reason}`;
    }
    default:
      return `${capitalize(message.replace(/^error: /, ''))}.`;
  }
}

function describeProblem({ name, option }: FlagPart, { command }: CommandLine): string {
  if (option) return `${name} takes no value.`;
  const flagNames = optionsOf(command).flatMap((flagOption) =>
    flagOption.long && !flagOption.hidden ? spellingsOf(flagOption.long, flagOption) : [],
  );
  return `Unknown flag ${name}.${name.startsWith('--') ? didYouMean(name, flagNames) : ''}`;
}

function spellingsOf(long: string, option: object): string[] {
  return option instanceof BooleanOption ? [long, `--no-${long.slice(2)}`] : [long];
}

function hintFor(commandLine: CommandLine, api: Api): Hint {
  const fields = commandLine.invalidFlags.map(({ name }) => name.slice(2).replaceAll('-', '_'));
  const resource = api.findResource(commandLine.names[0]?.word ?? '');
  const secret = fields.find((name) => resource && isSecret(resource.fields, name));
  const secretHint = `Secrets have no flags, because others could see them. To be prompted for it: --ask ${secret}. `;
  return [secret === undefined ? '' : secretHint, boh.help(commandNameOf(commandLine))];
}

function isSecret(fields: Fields, name: string): boolean {
  return Object.hasOwn(fields, name) && fields[name]?.traits.secret === true;
}

function commandNameOf({ names }: CommandLine): string {
  return names.map(({ word }) => word).join(' ');
}
