/** Finds and runs the command that a command line names. Only the required part of the command tree is built. */

import { CommanderError } from 'commander';
import { parseDurationSeconds } from '../base/duration.ts';
import { Failure, usage } from '../base/errors.ts';
import { version } from '../base/version.ts';
import type { Context, Globals } from '../context/context.ts';
import { showText } from '../output/show-value.ts';
import { Command } from './command.ts';
import { globalValues, helpOption, versionOption } from './globals.ts';
import { showHelp } from './help.ts';
import { handWritten } from './index.ts';
import {
  type CommandLine,
  commanderArguments,
  isEmptyFileName,
  parseCommandLine,
  withoutHelpWord,
} from './line/command-line.ts';
import { commandFailure, commandLineFailure } from './line/command-line-failure.ts';
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
  return command !== undefined && (command.commands.length === 0 || command.registeredArguments.length > 0);
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
