/**
 * `boh __complete SHELL …`: the completion script of a shell runs it at each Tab. It waits for records only for a limited
 * time, prints only candidates and never prompts.
 */
import { startWithSecrets } from '../../base/child-process.ts';
import type { Context } from '../../context/context.ts';
import { showText } from '../../output/show-value.ts';
import { Command } from '../command.ts';
import type { HandWritten } from '../hand-written.ts';
import type { Candidate } from './candidate.ts';
import { findCandidates } from './candidates.ts';
import { parsePartialCommandLine } from './partial-command-line.ts';
import type { RecordCache } from './record-cache.ts';
import { parseCursorLine } from './shells.ts';

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
      (await import('./external-sources.ts')).openSources(
        commandLine,
        { signal: timeoutSignal, onRequest },
        context,
      );
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
