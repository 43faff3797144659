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
import { prepare } from './prepare.ts';

/** Runs a command line. Resolves when the command is done; throws its failure. */
export async function run(argv: readonly string[], context: Context): Promise<void> {
  try {
    await runLine(argv, context);
  } catch (error) {
    if (!isNoServiceUrl(error)) throw error;
    const lines = await (await firstScreen()).chooseFirstSteps(context, argv);
    if (!lines) throw error;
    for (const line of lines) await context.rerun(line);
  }
}

/** Loads the first screen. It is needed without a command on the command line, or without an account. */
const firstScreen = () => import('./first-screen.ts');

/** Checks the name and not the class, so that this module doesn't load the settings. */
function isNoServiceUrl(error: unknown): boolean {
  return error instanceof Failure && error.name === 'NoServiceUrl';
}

async function runLine(argv: readonly string[], context: Context): Promise<void> {
  const words = withoutHelpWord(argv);
  const globalLine = parseCommandLine(words);
  // Read the global flags first, so that an unknown command is reported in the requested format.
  applyGlobals(globalLine, context);
  const match = await loadNamedCommand(handWritten, words, context);
  const line = match ? parseCommandLine(words, match.command, match) : globalLine;
  applyGlobals(line, context);
  context.isWrite = match?.isWrite?.([...line.names.slice(1).map(({ word }) => word), ...line.operands]);
  if (match) prepare(new Command('boh')).addCommand(match.command);
  if (hasFlag(versionOption, line)) return showText(context, { text: `boh ${version}\n`, value: version });
  const isHelp = hasFlag(helpOption, line) || needsHelp(line);
  if (isHelp && !line.command && !hasFlag(helpOption, line) && context.globals.output === undefined) {
    return (await firstScreen()).showFirstScreen(context);
  }
  if (isHelp) return showHelp(line.command, context);
  await refuseInvalid(line, context);
  const { offline, dryRun } = context.globals;
  if (offline && !dryRun) throw usage('--offline can only be used with --dry-run.');
  startDeadline(context);
  if (line.command) await runCommand(line.command, line, context);
}

function applyGlobals(line: CommandLine, { globals }: Context): void {
  for (const name of Object.keys(globals)) delete globals[name as keyof Globals];
  Object.assign(globals, globalValues(line.flags));
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

async function refuseInvalid(line: CommandLine, { api }: Context): Promise<void> {
  const { command, invalidFlags, pending, operands, flags } = line;
  if (
    invalidFlags.length === 0 &&
    !pending &&
    !flags.some(isEmptyFileName) &&
    (isRunnable(command) || operands.length === 0)
  )
    return;
  throw commandLineFailure(line, api);
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

async function runCommand(command: Command, line: CommandLine, { api }: Context): Promise<void> {
  try {
    await command.parseAsync(commanderArguments(line), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw commandFailure(error, line, api);
  }
}
