/** From the words of a line to the command that they name, of whose tree only that part is built. */

import { CommanderError } from 'commander';
import { Failure, usage } from '../base/errors.ts';
import { version } from '../base/version.ts';
import type { Context, Globals } from '../context/context.ts';
import { showText } from '../output/show-value.ts';
import { Command } from './command.ts';
import { globalsFrom, helpOption, versionOption } from './globals.ts';
import { showHelp } from './help.ts';
import { handWritten } from './index.ts';
import { commandFailure, lineFailure } from './line/line-failure.ts';
import { isNameless, type Line, readLine, spelledOut, withoutHelpWord } from './line/read-line.ts';
import { namedCommand } from './named-command.ts';
import { prepare } from './prepare.ts';

/** Builds and runs what the line names. Answers once the command has done its work; throws its failure. */
export async function run(argv: readonly string[], context: Context): Promise<void> {
  try {
    await runLine(argv, context);
  } catch (error) {
    if (!isNothingSetUp(error)) throw error;
    const lines = await (await firstScreen()).firstSteps(context, argv);
    if (!lines) throw error;
    for (const line of lines) await context.again(line);
  }
}

/** Loaded where a line names no command, or needs an account that there is none of. */
const firstScreen = () => import('./first-screen.ts');

/** Told by its name, as the settings are read by few of the lines that come by here. */
function isNothingSetUp(error: unknown): boolean {
  return error instanceof Failure && error.name === 'NothingSetUp';
}

async function runLine(argv: readonly string[], context: Context): Promise<void> {
  const words = withoutHelpWord(argv);
  const begun = readLine(words);
  // As much as can be known before the command is found: a failure until then is told as the line asks for it.
  takeGlobals(begun, context);
  const found = await namedCommand(handWritten, words, context);
  const line = found ? readLine(words, found.command, found) : begun;
  takeGlobals(line, context);
  context.isWrite = found?.isWrite?.([...line.names.slice(1).map(({ word }) => word), ...line.operands]);
  if (found) prepare(new Command('boh')).addCommand(found.command);
  if (isGiven(versionOption, line)) return showText(context, { text: `boh ${version}\n`, value: version });
  const isHelp = isGiven(helpOption, line) || needsHelp(line);
  if (isHelp && !line.command && !isGiven(helpOption, line) && context.globals.output === undefined) {
    return (await firstScreen()).showFirstScreen(context);
  }
  if (isHelp) return showHelp(line.command, context);
  await refuseWrong(line, context);
  const { offline, dryRun } = context.globals;
  if (offline && !dryRun) throw usage('--offline says how far --dry-run goes: give both.');
  await keepDeadline(context);
  if (line.command) await runCommand(line.command, line, context);
}

function takeGlobals(line: Line, { globals }: Context): void {
  for (const name of Object.keys(globals)) delete globals[name as keyof Globals];
  Object.assign(globals, globalsFrom(line.flags));
}

function isGiven(asked: typeof helpOption, { flags }: Line): boolean {
  return flags.some(({ option }) => option === asked);
}

/** A line that asks for nothing yet: no command, or a resource without a verb. */
function needsHelp({ command, wrong, operands, pending }: Line): boolean {
  return !takesWords(command) && wrong.length === 0 && operands.length === 0 && pending === undefined;
}

/** It can be run as it is; `backup` can, beside the command below it. */
function takesWords(command: Command | undefined): boolean {
  return command !== undefined && (command.commands.length === 0 || command.registeredArguments.length > 0);
}

async function refuseWrong(line: Line, { api }: Context): Promise<void> {
  const { command, wrong, pending, operands, flags } = line;
  if (
    wrong.length === 0 &&
    !pending &&
    !flags.some(isNameless) &&
    (takesWords(command) || operands.length === 0)
  )
    return;
  throw lineFailure(line, api);
}

const longestDeadline = 7 * 86_400;

async function keepDeadline({ globals: { deadline }, endAfter }: Context): Promise<void> {
  if (deadline === undefined) return;
  const { readSeconds } = await import('../settings/setting-list.ts');
  const seconds = readSeconds(deadline, longestDeadline);
  const failure = new Failure(
    'unavailable',
    `The command was not done within its deadline of ${seconds} s.`,
    {
      hint: 'What had been done by then stays done. More time: --deadline SECONDS.',
    },
  );
  endAfter(seconds * 1000, failure);
}

async function runCommand(command: Command, line: Line, { api }: Context): Promise<void> {
  try {
    await command.parseAsync(spelledOut(line), { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw commandFailure(error, line, api);
  }
}
