/** From the words of a line to the command that they name, of whose tree only that part is built. */
import { Command, CommanderError } from 'commander';
import { Failure, usage } from '../errors.ts';
import type { Context } from '../interaction/context.ts';
import type { Globals } from '../interaction/globals.ts';
import { showText } from '../interaction/output/show-text.ts';
import { brokenAt } from '../terminal/broken-lines.ts';
import { version } from '../version.ts';
import { globalsFrom, helpOption, versionOption } from './globals.ts';
import { handWritten } from './index.ts';
import { isNameless, type Line, readLine, spelledOut, withoutHelpWord } from './line/read-line.ts';
import { namedCommand } from './named-command.ts';
import { prepare } from './prepare.ts';
import { rootCommands, rootHelp } from './root-help.ts';

/** Builds and runs what the line names. Answers once the command has done its work; throws its failure. */
export async function run(argv: readonly string[], context: Context): Promise<void> {
  try {
    await runLine(argv, context);
  } catch (error) {
    if (!isNothingSetUp(error)) throw error;
    const { firstSteps } = await import('./first-steps.ts');
    const lines = await firstSteps(context, argv);
    if (!lines) throw error;
    for (const line of lines) await context.again(line);
  }
}

/** Told by its name, as the settings are read by few of the lines that come by here. */
function isNothingSetUp(error: unknown): boolean {
  return error instanceof Failure && error.name === 'NothingSetUp';
}

async function runLine(argv: readonly string[], context: Context): Promise<void> {
  const words = withoutHelpWord(argv);
  const begun = readLine(words);
  // As much as can be known before the command is found: a failure until then is told as the line asks for it.
  takeGlobals(begun, context);
  const found = await namedCommand(handWritten, words, context, { withFlags: mayNameOwnFlags(begun) });
  const line = found ? readLine(words, found.command, found) : begun;
  takeGlobals(line, context);
  context.isWrite = found?.isWrite?.([...line.names.slice(1).map(({ word }) => word), ...line.operands]);
  if (found) prepare(new Command('boh')).addCommand(found.command);
  if (isGiven(versionOption, line)) return showText(context, { text: `boh ${version}\n`, value: version });
  const isHelp = isGiven(helpOption, line) || needsHelp(line);
  if (isHelp && !line.command && !isGiven(helpOption, line) && context.globals.output === undefined) {
    const { showFirstScreen } = await import('./first-screen.ts');
    return showFirstScreen(context);
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

/** Whether the line has more flags than those that may stand anywhere, or shows all: many a line in a script has none. */
function mayNameOwnFlags(begun: Line): boolean {
  return begun.wrong.length > 0 || begun.pending !== undefined || isGiven(helpOption, begun);
}

/** A line that asks for nothing yet: no command, or a resource without a verb. */
function needsHelp({ command, wrong, operands, pending }: Line): boolean {
  return !takesWords(command) && wrong.length === 0 && operands.length === 0 && pending === undefined;
}

/** It can be run as it is; `backup` can, beside the command below it. */
function takesWords(command: Command | undefined): boolean {
  return command !== undefined && (command.commands.length === 0 || command.registeredArguments.length > 0);
}

/** Of help, in columns, where there is no terminal. */
const defaultWidth = 80;

/** Text, however it is read, unless the line itself names a format. */
async function showHelp(command: Command | undefined, context: Context): Promise<void> {
  if (context.globals.output === undefined) {
    return showText(context, { text: fittedHelp(command, context) });
  }
  const { helpFacts } = await import('./help-facts.ts');
  const value = command ? helpFacts(command) : rootCommands(context.api);
  await showText(context, { text: fittedHelp(command, context), value });
}

/** What commander leaves as it is, such as examples, may be longer than the window. */
function fittedHelp(command: Command | undefined, context: Context): string {
  const { isTerminal, columns } = context.streams;
  const text = helpText(command, context);
  return isTerminal.out ? brokenAt(text, columns) : text;
}

function helpText(command: Command | undefined, { api, streams }: Context): string {
  if (!command) return rootHelp(api);
  let help = '';
  command.configureOutput({
    writeOut: (text) => {
      help += text;
    },
    // Left alone, commander opens the stream of the output to ask it.
    getOutHelpWidth: () => (streams.isTerminal.out ? streams.columns : defaultWidth),
    getOutHasColors: () => streams.colour.out,
  });
  command.outputHelp();
  return help;
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
  const { lineFailure } = await import('./line/line-failure.ts');
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
    const { commandFailure } = await import('./line/line-failure.ts');
    throw commandFailure(error, line, api);
  }
}
