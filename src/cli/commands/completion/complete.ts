/**
 * `boh __complete SHELL …`: the completion script of a shell runs it at each Tab. It waits for records only for a limited
 * time, prints only candidates and never prompts.
 */
import type { Option } from 'commander';
import type { Api } from '../../../api/contract/api.ts';
import { startWithSecrets } from '../../../base/child-process.ts';
import type { Context } from '../../context/context.ts';
import { showText } from '../../output/show-value.ts';
import { BooleanOption, Command } from '../command.ts';
import { type HandWritten, referenceCommands } from '../hand-written.ts';
import { parseFlags, takesValue } from '../line/command-line.ts';
import { addPrefix, type Candidate } from './candidate.ts';
import { type PartialCommandLine, parsePartialCommandLine } from './partial-command-line.ts';
import type { RecordCache } from './records.ts';
import { parseCursorLine } from './shells.ts';
import type { Sources } from './sources.ts';

/** The time limit for records, so that a Tab takes less than 300 ms in total. Commands and flags don't have a limit. */
const timeLimitMs = 150;

/** The time limit of the background process, which waits longer for the response. */
const backgroundTimeLimitMs = 10_000;
const timeLimitVariable = 'BOH_COMPLETION_PATIENCE';

/** Returns the command `boh __complete`. */
export function completeCommand(
  words: readonly string[],
  handWritten: readonly HandWritten[],
  context: Context,
): Command {
  return new Command('__complete')
    .argument('[words...]')
    .helpOption(false)
    .action(() => complete(words, handWritten, context));
}

async function complete(
  [shell = '', ...args]: readonly string[],
  handWritten: readonly HandWritten[],
  context: Context,
): Promise<void> {
  context.globals.quiet = true;
  const cursorLine = parseCursorLine(shell, args);
  const timeLimitText = context.env[timeLimitVariable];
  const timeoutSignal = AbortSignal.timeout(Number(timeLimitText ?? timeLimitMs));
  const timeout = new Promise((resolve) => timeoutSignal.addEventListener('abort', resolve, { once: true }));
  const { promise: requestStarted, resolve: markRequestStarted } = Promise.withResolvers<void>();
  let pendingCache: RecordCache | undefined;
  const onRequest = (cache: RecordCache) => {
    pendingCache = cache;
    markRequestStarted();
  };
  const search = async (): Promise<readonly Candidate[]> => {
    const commandLine = await parsePartialCommandLine(cursorLine.before, handWritten, context);
    const sources = async () =>
      (await import('./records.ts')).openSources(commandLine, { signal: timeoutSignal, onRequest }, context);
    return findCandidates(commandLine, cursorLine.current, sources, { api: context.api, handWritten });
  };
  // Errors are ignored here: running the command reports them.
  const searchResult = search().catch(() => []);
  const candidates = await Promise.race([
    searchResult,
    Promise.all([timeout, requestStarted]).then(() => undefined),
  ]);
  if (candidates) return showText(context, { text: cursorLine.formatCandidates(candidates) });
  if (timeLimitText === undefined) await continueInBackground(pendingCache, context);
}

/**
 * Starts a background process that caches the response for the next Tab, and exits. This process can't end otherwise,
 * because a DNS lookup can't be canceled.
 */
async function continueInBackground(pendingCache: RecordCache | undefined, context: Context): Promise<void> {
  const [, program = '', ...words] = process.argv;
  // A single executable has no script argument.
  const args = program === process.execPath ? words : [program, ...words];
  if (pendingCache?.claim()) {
    // The background process sends the same request, so it needs the token.
    const env = { ...context.env, [timeLimitVariable]: String(backgroundTimeLimitMs) };
    startWithSecrets(process.execPath, args, { detached: true, stdio: 'ignore', env }).unref();
  }
  process.exit(0);
}

async function findCandidates(
  commandLine: PartialCommandLine,
  current: string,
  sources: () => Promise<Sources>,
  { api, handWritten }: { api: Api; handWritten: readonly HandWritten[] },
): Promise<readonly Candidate[]> {
  const { command, options, pending, positionals, isEnded } = commandLine;
  if (pending) return (await sources()).forOption(pending)(current);
  if (current.startsWith('-') && !isEnded) {
    const { option, value } = parseFlags(current, options).at(-1) ?? {};
    if (!option || value === undefined || !takesValue(option)) return flagCandidates(commandLine);
    const { forOption } = await sources();
    return addPrefix(current.slice(0, current.length - value.length), await forOption(option)(value));
  }
  if (!command) return commandCandidates(api, handWritten);
  if (command.commands.length > 0 && positionals.length === 0) {
    return command.commands.map((subcommand) => ({ value: subcommand.name(), about: subcommand.summary() }));
  }
  return (await sources()).forArgument(positionals.length)(current);
}

function commandCandidates(api: Api, handWritten: readonly HandWritten[]): Candidate[] {
  return [
    ...api.resources.map(({ command, summary }) => ({ value: command, about: summary })),
    ...handWritten
      .filter(({ hidden }) => !hidden)
      .map(({ name, summary }) => ({ value: name, about: summary })),
    ...referenceCommands(api).map((name) => ({ value: name, about: 'Known records' })),
  ];
}

/** Returns the flags that the command line doesn't have yet, and repeatable flags. */
function flagCandidates({ options, flagValues }: PartialCommandLine): Candidate[] {
  return options
    .filter(({ long, parseArg }) => parseArg !== undefined || !flagValues.has(long ?? ''))
    .flatMap(spellingsOf);
}

function spellingsOf(option: Option): Candidate[] {
  const { long, description: about } = option;
  if (!long) return [];
  return option instanceof BooleanOption
    ? [
        { value: long, about },
        { value: `--no-${long.slice(2)}`, about },
      ]
    : [{ value: long, about }];
}
